// As it was before the headers of C++ lost their endings.
#include <iostream>
using namespace std;
