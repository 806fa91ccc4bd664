// The course's algorithm.h: the functions that play, and all that they use.
#ifndef LUDUS_ALGORITHM_H
#define LUDUS_ALGORITHM_H

#include "board.h"
#include "player.h"

// LUDUS_DECLARED

#endif
