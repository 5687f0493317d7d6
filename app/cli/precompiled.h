// What most files of cli include, compiled once.
#pragma once

#include "base/precompiled.h"
#include "cli/command.h"
#include "cli/json.h"
#include "session/session.h"
