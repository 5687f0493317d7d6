#include "session/memo.h"

#include "base/memory.h"

#include <algorithm>

namespace session {
namespace {

constexpr size_t most_remembered = 32;
constexpr double most_bytes = 600u << 20, most_share = 0.25; // the latter of the memory that is left

size_t bytes_of(const trace::Trace& trace) {
    size_t bytes = trace.events.size() * sizeof(trace::Event) + trace.accesses.size() * sizeof(trace::Addresses);
    for (const trace::BulkCopy& copy : trace.bulk_copies) bytes += sizeof copy + copy.rows.size() * sizeof copy.rows[0];
    return bytes;
}

// The large parts.
size_t bytes_of(const Remembered& products) {
    size_t bytes = 0;
    if (products.block) {
        bytes += bytes_of(products.block->trace);
        for (const auto& array : products.block->mapping) {
            bytes += (array.loads.size() + array.stores.size()) * sizeof(analysis::Touch);
        }
    }
    if (products.time)
        for (const auto& time : {products.time->real, products.time->shown})
            bytes += time->run.issues.size() * sizeof(timing::Issue);
    if (products.grid) {
        for (const auto& buffer : products.grid->memory.buffers()) bytes += buffer.bytes;
        if (products.grid->trace) bytes += bytes_of(*products.grid->trace);
    }
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
    auto entry = entries_.begin();
    for (; entry != entries_.end(); ++entry, ++kept) {
        bytes += bytes_of(entry->products);
        // The newest two are the subject and its baseline, which are shown.
        if (kept >= 2 && (kept >= most_remembered || bytes > most)) break;
    }
    entries_.erase(entry, entries_.end());
}

} // namespace session
