// What most tests of ui include, compiled once.
#pragma once

#include "../precompiled.h"
#include "stage.h"
