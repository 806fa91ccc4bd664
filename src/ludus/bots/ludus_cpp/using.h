// For sources that leave out std::, as old compilers let them.
#include <iostream>
using namespace std;
