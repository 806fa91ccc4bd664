// As it was before the headers of C++ lost their endings.
#include <fstream>
using namespace std;
