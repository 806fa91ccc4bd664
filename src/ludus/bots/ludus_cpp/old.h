// What older C and C++ had, and newer headers leave out.
#ifndef LUDUS_OLD_H
#define LUDUS_OLD_H

#include <stdio.h>

extern "C" char *gets(char *);

#endif
