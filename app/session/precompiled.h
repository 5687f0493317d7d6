// What most files of session include, compiled once.
#pragma once

#include "base/precompiled.h"
#include "session/session.h"
