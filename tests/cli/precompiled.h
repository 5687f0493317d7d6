// What most tests of cli include, compiled once.
#pragma once

#include "../precompiled.h"
#include "program.h"
