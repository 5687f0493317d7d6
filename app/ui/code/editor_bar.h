// What stands around the edited source: its file and what can be done with it, the search, the versions.
#pragma once

#include "ui/code/editor.h"

namespace ui {

// A line with the file's name, how it stands, and buttons; below it a choice where another program has written the file, and the
// field of the search while it is open. Leaves the cursor below.
void draw_editor_bar(Context&);

void draw_versions(Context&);

// The cursor, what is selected and found, and which lines have changed since they were compiled.
struct CodeEdit;
CodeEdit edit_marks(Editor&);

} // namespace ui
