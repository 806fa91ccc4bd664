// The main that the standard wants, where a source has `void main()`: that is renamed, and called from here.
#undef main
void ludus_void_main();
int main() { ludus_void_main(); }
