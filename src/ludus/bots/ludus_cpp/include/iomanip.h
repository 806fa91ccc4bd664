// As it was before the headers of C++ lost their endings.
#include <iomanip>
using namespace std;
