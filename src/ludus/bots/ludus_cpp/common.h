// The headers that courses' servers and other compilers bring along unasked. The C ones stand here by themselves:
// then a source may include them once more anywhere, even within a class.
#ifndef LUDUS_COMMON_H
#define LUDUS_COMMON_H

#include <bits/stdc++.h>

#include <ctype.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#endif
