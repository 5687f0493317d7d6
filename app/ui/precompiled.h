// What most files of ui include, compiled once.
#pragma once

#include "base/precompiled.h"
#include "ui/draw/draw.h"
#include "ui/draw/text_table.h"
#include "ui/panel.h"

#include <imgui.h>
