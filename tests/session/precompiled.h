// What most tests of session include, compiled once.
#pragma once

#include "../precompiled.h"
#include "fixture.h"
