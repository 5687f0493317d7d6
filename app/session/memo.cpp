#include "session/memo.h"

#include "base/memory.h"

#include <algorithm>
#include <set>

namespace session {
namespace {

constexpr size_t most_remembered = 32;
constexpr double most_bytes = 600u << 20, most_share = 0.25; // the latter of the memory that is left

size_t bytes_of(const timing::Run& run) {
    return run.issues.size() * sizeof(timing::Issue) + run.parts.size() * sizeof(timing::Issue::Part);
}

// A program, its operations, listings and text are thousands of small pieces. This is what malloc gives out for them, divided by
// the instructions of the PTX and of what is executed: 1,480 to 1,810 bytes of eight kernels with glibc 2.36, x86-64, 2026-11-26.
constexpr size_t bytes_of_an_instruction = 1'700;

size_t bytes_of(const Prepared& prepared) {
    size_t instructions = prepared.ptx_listing->instructions.size();
    if (prepared.listing != prepared.ptx_listing) instructions += prepared.listing->instructions.size();
    return instructions * bytes_of_an_instruction;
}

// The large parts. Subjects share what is prepared: it counts where it is met first.
size_t bytes_of(const Remembered& products, std::set<const Prepared*>& met) {
    size_t bytes = 0;
    if (products.prepared && met.insert(products.prepared.get()).second) bytes += bytes_of(*products.prepared);
    if (products.block) bytes += bytes_of(*products.block) + products.drawn_bytes;
    if (products.time) {
        bytes += bytes_of(products.time->real->run);
        if (products.time->shown != products.time->real) bytes += bytes_of(products.time->shown->run);
    }
    if (products.grid) bytes += bytes_of(*products.grid);
    return bytes;
}

bool same_program(const Subject& a, const Subject& b) {
    return a.kernel == b.kernel && a.parameters == b.parameters && a.arch == b.arch && a.breaks == b.breaks;
}

} // namespace

Remembered& Memo::operator[](const Subject& subject) {
    auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.subject == subject; });
    if (found != entries_.end()) {
        entries_.splice(entries_.begin(), entries_, found);
        return entries_.front().products;
    }
    Remembered fresh;
    for (const Entry& entry : entries_) {
        if (!same_program(entry.subject, subject)) continue;
        if (!fresh.prepared && entry.subject.engine == subject.engine) fresh.prepared = entry.products.prepared;
        if (!fresh.machine) fresh.machine = entry.products.machine, fresh.disassembly = entry.products.disassembly;
    }
    entries_.push_front({subject, std::move(fresh)});
    return entries_.front().products;
}

void Memo::forget(const std::string& kernel) {
    std::erase_if(entries_, [&](const Entry& entry) { return entry.subject.kernel == kernel; });
}

void Memo::trim() {
    const auto most = static_cast<size_t>(std::min(most_bytes, most_share * base::memory_available()));
    size_t bytes = 0, kept = 0;
    std::set<const Prepared*> met;
    auto entry = entries_.begin();
    for (; entry != entries_.end(); ++entry, ++kept) {
        bytes += bytes_of(entry->products, met);
        // The newest two are the subject and its baseline, which are shown.
        if (kept >= 2 && (kept >= most_remembered || bytes > most)) break;
    }
    entries_.erase(entry, entries_.end());
}

size_t Memo::bytes() const {
    size_t bytes = 0;
    std::set<const Prepared*> met;
    for (const Entry& entry : entries_) bytes += bytes_of(entry.products, met);
    return bytes;
}

} // namespace session
