// Which memory access a view is about: that of the current step, or the nearest one of the selected warp.
#pragma once

#include "ui/draw/grid.h"
#include "views/table.h"

namespace ui {

struct AccessShown {
    uint32_t event = 0, step = 0; // BlockPicture::step of it
    enum class When { current, next, last } when = When::current;
    uint32_t away = 0; // instructions of the warp between the step and the access
    // Of the event:
    const trace::Instruction* instruction = nullptr;
    uint32_t active = 0;
    const trace::Addresses* address = nullptr; // shared: offsets; global: addresses
    int warp = 0;
    bool load() const { return instruction->kind == trace::Kind::load; }
    int words() const { return std::max(1, instruction->bytes / 4); }
};

// `space` is shared or global; nothing when the selected warp never accesses it. Of an async copy the side that is
// in `space`.
std::optional<AccessShown> access_shown(const BlockPicture&, const session::Selection&, trace::Space space);

// The access of one event, which has one to `space`.
AccessShown access_at(const BlockPicture&, uint32_t event, trace::Space space);

// The selected warp, within what the trace has.
int selected_warp(const BlockPicture&, const session::Selection&);

// The first line of a view about an access: opcode, the sentence, and at the right `remark` if there is room. Leaves the cursor below.
void draw_access_line(Context&, const AccessShown&, std::string_view sentence, const std::string& remark);
// The same with the step as its remark.
void draw_access_line(Context&, const AccessShown&, std::string_view sentence);

// The twin of such a view: above its notes the access, its line of the source, and the step.
void draw_access_table(Context&, const AccessShown&, Table);

// Does the word that came from there hold the element that the mouse is over?
bool is_hovered_word(const trace::Trace&, const analysis::Origin&, const session::Hover&);

// Element of a shared word or of a global address as text, "B[32..63][4]" of a word of bits; "" where
// unknown.
std::string origin_name(const trace::Trace&, const std::vector<analysis::Origin>&, uint64_t word);

// What a lane accesses at an offset of shared memory: "B[8][0..3]", of a word of two halves the one. As words_name() where it is more.
std::string accessed_name(const trace::Trace&, const std::vector<analysis::Origin>&, uint64_t offset, uint32_t bytes);

// What consecutive words hold, those that came from somewhere: "B[8][0..31]" where it is all of a box of elements, else the first run of
// neighbours and "...".
struct WordsName {
    std::string name;         // "" where all are unknown
    bool is_permuted = false; // all of a box, neither row after row nor column after column
};
WordsName words_name(const trace::Trace&, const std::vector<analysis::Origin>&, size_t first, size_t end);

} // namespace ui
