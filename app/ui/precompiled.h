// What most files of ui include, compiled once.
#pragma once

#include "base/precompiled.h"
#include "ui/draw.h"
#include "ui/panel.h"
#include "ui/text_table.h"

#include <imgui.h>
