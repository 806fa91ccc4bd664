// The course's rules.h: the checks, and two words for their answers.
#ifndef LUDUS_RULES_H
#define LUDUS_RULES_H

#include <iostream>

#include "board.h"
#include "checks.h"
#include "player.h"

#define LEGAL true
#define ILLEGAL false

#endif
