// Follows values from global loads through registers into shared memory, as far as the executed instructions carry
// them unchanged: loads, moves, stores and asynchronous copies. What is asked for is a moment, and most of what a block did before
// has been overwritten by then: the events are first gone through backwards for those that still matter.
#include "analysis/mapping.h"
#include "trace/tensor_map.h"

#include <algorithm>
#include <bit>

namespace analysis {
namespace {

enum class Role : uint8_t { nothing, other, global_load, shared_load, move, shared_store, async_copy, bulk_copy };

struct Step { // what one instruction of the listing means for origins
    Role role = Role::other;
    uint8_t bytes = 0;                  // per lane
    std::vector<int32_t> written, read; // as in trace::Instruction; read: of a move or a store
};

// The listing reduced to numbers of those registers that are followed.
struct Program {
    std::vector<Step> steps;
    uint32_t registers = 0;
};

Role role(const trace::Instruction& i) {
    using trace::Kind;
    using trace::Space;
    if (i.kind == Kind::async_copy) return Role::async_copy;
    if (i.kind == Kind::bulk_copy) return Role::bulk_copy;
    if (i.kind == Kind::load && i.space == Space::global) return Role::global_load;
    const bool exchanges =
        i.role == trace::Role::matrix_rows; // what a lane holds is of rows that others give the addresses of
    if (i.kind == Kind::load && i.space == Space::shared) return exchanges ? Role::other : Role::shared_load;
    if (i.kind == Kind::store && i.space == Space::shared) return Role::shared_store;
    return i.role == trace::Role::move ? Role::move : Role::other;
}

Program reduce(const trace::Listing& listing) {
    Program p;
    p.registers = static_cast<uint32_t>(listing.names.size());
    for (const trace::Instruction& i : listing.instructions) {
        Step& step = p.steps.emplace_back();
        step.role = role(i);
        step.bytes = i.bytes;
        step.written = i.written;
        if (step.role == Role::shared_store || step.role == Role::move) step.read = i.read;
        if (step.role == Role::shared_store && i.role == trace::Role::matrix_rows)
            step.read.assign(i.bytes / 4u, -1); // a row's words
    }
    return p;
}

// Most instructions write registers whose values never reach shared memory as they are: those need not be followed.
void drop_what_is_not_stored(Program& p) {
    std::vector<bool> wanted(p.registers, false);
    const auto want = [&](const Step& step) {
        bool news = false;
        for (const int32_t r : step.read) {
            if (r < 0 || wanted[static_cast<size_t>(r)]) continue;
            news = wanted[static_cast<size_t>(r)] = true;
        }
        return news;
    };
    const auto writes_wanted = [&](const Step& step) {
        return std::any_of(step.written.begin(), step.written.end(),
                           [&](int32_t r) { return r >= 0 && wanted[static_cast<size_t>(r)]; });
    };
    for (const Step& step : p.steps)
        if (step.role == Role::shared_store) want(step);
    for (bool again = true; again;) { // a move passes the wish on
        again = false;
        for (const Step& step : p.steps)
            if (step.role == Role::move && writes_wanted(step)) again = want(step) || again;
    }
    for (Step& step : p.steps)
        if (step.role != Role::shared_store && step.role != Role::async_copy && step.role != Role::bulk_copy &&
            !writes_wanted(step))
            step.role = Role::nothing;
    std::vector<int32_t> followed(p.registers, -1);
    p.registers = 0;
    for (size_t r = 0; r < followed.size(); ++r)
        if (wanted[r]) followed[r] = static_cast<int32_t>(p.registers++);
    for (Step& step : p.steps)
        for (std::vector<int32_t>* list : {&step.written, &step.read})
            for (int32_t& r : *list) r = r < 0 ? r : followed[static_cast<size_t>(r)];
}

// A unit of a lane's register, or of shared memory: a word, or half of one where an array has elements of 16 bits.
using Place = size_t;

// What an event does with one place.
struct Transfer {
    enum class From : uint8_t { nothing, place, global }; // nothing: of arithmetic, or zeros
    Place to = 0;
    From from = From::nothing;
    bool within = false; // a unit, which its first byte names
    uint64_t source = 0; // a place, or an address in global memory
};

class Transfers {
public:
    Transfers(const trace::Trace& t, const Program& p) : trace_(t), program_(p) {
        const bool halves = std::any_of(t.buffers.begin(), t.buffers.end(),
                                        [](const trace::Buffer& buffer) { return buffer.element_bytes() == 2; });
        unit_ = halves ? 2 : 4;
        for (const Step& step : p.steps) {
            const size_t registers = step.role == Role::shared_store ? step.read.size() : step.written.size();
            if (step.role != Role::nothing && step.role != Role::other && registers > 0)
                per_register_ = std::max<size_t>(per_register_, step.bytes / registers / unit_);
        }
        warps_ = static_cast<size_t>(std::min<uint64_t>((t.block.count() + 31) / 32, 32));
        units_ = words() * per_word();
        first_unit_ = warps_ * p.registers * trace::warp_size * per_register_;
    }

    size_t places() const { return first_unit_ + units_; }
    size_t words() const { return (trace_.shared_bytes + 3) / 4; }
    size_t per_word() const { return 4 / unit_; }
    Place of_word(size_t word) const { return first_unit_ + word * per_word(); }
    size_t word_of(Place unit) const { return (unit - first_unit_) / per_word(); }
    size_t per_register() const { return per_register_; }

    const Step* step(const trace::Event& e) const {
        if (e.pc >= program_.steps.size() || e.warp >= warps_) return nullptr;
        const Step& step = program_.steps[e.pc];
        return step.role == Role::nothing ? nullptr : &step;
    }
    // The first unit of the register.
    Place reg(size_t warp, int32_t number, unsigned lane) const {
        return ((warp * program_.registers + static_cast<size_t>(number)) * trace::warp_size + lane) * per_register_;
    }

    // In the order in which they happen. Valid until the next call.
    const std::vector<Transfer>& of(uint32_t number) {
        made_.clear();
        const trace::Event& e = trace_.events[number];
        const Step* step = this->step(e);
        if (!step) return made_;
        if (step->role == Role::bulk_copy) {
            copy_in_bulk(number);
            return made_;
        }
        const bool has_access = e.access < trace_.accesses.size();
        const bool stores = step->role == Role::shared_store;
        const uint32_t lanes = stores ? accessing_lanes(trace_.listing->instructions[e.pc], e.active) : e.active;
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            const uint64_t address = has_access ? trace_.accesses[e.access][lane] : 0;
            if (step->role == Role::async_copy) copy(e, lane, step->bytes);
            else if (stores && has_access) store(*step, e.warp, lane, address);
            else write(*step, e.warp, lane, has_access, address);
        }
        return made_;
    }

private:
    // Registers that the step writes: from memory, from another register, or from arithmetic.
    void write(const Step& step, size_t warp, unsigned lane, bool has_access, uint64_t address) {
        const uint64_t each = step.written.empty() ? 0 : step.bytes / step.written.size();
        for (size_t i = 0; i < step.written.size(); ++i) {
            if (step.written[i] < 0) continue;
            for (size_t unit = 0; unit < per_register_; ++unit) {
                Transfer& one = made_.emplace_back();
                one.to = reg(warp, step.written[i], lane) + unit;
                const uint64_t at = address + i * each + unit * unit_;
                const bool is_loaded = has_access && (unit == 0 || unit * unit_ < each);
                if (step.role == Role::global_load && is_loaded) one.from = Transfer::From::global, one.source = at;
                if (step.role == Role::shared_load && is_loaded && at / unit_ < units_)
                    one.from = Transfer::From::place, one.source = first_unit_ + at / unit_;
                if (step.role == Role::move && step.read.size() == 1 && step.written.size() == 1 && step.read[0] >= 0)
                    one.from = Transfer::From::place, one.source = reg(warp, step.read[0], lane) + unit;
            }
        }
    }
    void store(const Step& step, size_t warp, unsigned lane, uint64_t address) {
        const uint64_t each = step.read.empty() ? 0 : step.bytes / step.read.size();
        for (size_t i = 0; i < step.read.size(); ++i) {
            const auto from = step.read[i] < 0 ? Transfer::From::nothing : Transfer::From::place;
            const uint64_t source = step.read[i] < 0 ? 0 : reg(warp, step.read[i], lane);
            for (uint64_t at = 0; at < std::max<uint64_t>(each, 1); at += unit_)
                to_unit(address + i * each + at, from, source + (step.read[i] < 0 ? 0 : at / unit_));
        }
    }
    void copy(const trace::Event& e, unsigned lane, uint64_t bytes) {
        if (e.access == trace::no_access || uint64_t{e.access} + 1 >= trace_.accesses.size()) return;
        for (uint64_t at = 0; at < bytes; at += unit_)
            to_unit(trace_.accesses[e.access][lane] + at, Transfer::From::global,
                    trace_.accesses[e.access + 1][lane] + at);
    }
    void copy_in_bulk(uint32_t event) {
        const auto earlier = [](const trace::BulkCopy& copy, uint32_t number) { return copy.event < number; };
        auto copy = std::lower_bound(trace_.bulk_copies.begin(), trace_.bulk_copies.end(), event, earlier);
        for (; copy != trace_.bulk_copies.end() && copy->event == event; ++copy) {
            if (!copy->to_shared) continue;
            uint64_t at = copy->shared;
            for (const trace::BulkCopy::Row& row : copy->rows)
                for (uint64_t n = 0; n < copy->row_bytes; n += unit_, at += unit_) {
                    const bool inside = n >= row.skipped && n - row.skipped < row.bytes;
                    to_unit(trace::swizzled(at, copy->swizzle),
                            inside ? Transfer::From::global : Transfer::From::nothing,
                            inside ? row.address + n - row.skipped : 0);
                }
        }
    }
    void to_unit(uint64_t address, Transfer::From from, uint64_t source) {
        if (address / unit_ < units_)
            made_.push_back({first_unit_ + address / unit_, from, address % unit_ != 0, source});
    }

    const trace::Trace& trace_;
    const Program& program_;
    uint64_t unit_ = 4; // bytes
    size_t per_register_ = 1, warps_ = 0, units_ = 0;
    Place first_unit_ = 0; // of shared memory; before it the registers: [warp][register][lane][unit]
    std::vector<Transfer> made_;
};

// The events before `end` that the words hang on, the last first.
class Needed {
public:
    Needed(const trace::Trace& t, Transfers& transfers)
        : trace_(t), transfers_(transfers), is_wanted_(transfers.places()) {}

    void want(Place place) {
        wanted_ += !is_wanted_[place];
        is_wanted_[place] = true;
    }

    std::vector<uint32_t> before(uint32_t end) {
        std::vector<uint32_t> events;
        while (wanted_ > 0 && end-- > 0)
            if (may_matter(trace_.events[end]) && matters(end)) events.push_back(end);
        return events;
    }

private:
    // Quickly: most events write registers that nobody waits for.
    bool may_matter(const trace::Event& e) const {
        const Step* step = transfers_.step(e);
        if (!step) return false;
        if (step->role == Role::shared_store || step->role == Role::async_copy || step->role == Role::bulk_copy)
            return true;
        return std::any_of(step->written.begin(), step->written.end(), [&](int32_t r) {
            if (r < 0) return false;
            const uint8_t* lanes = &is_wanted_[transfers_.reg(e.warp, r, 0)];
            return std::any_of(lanes, lanes + trace::warp_size * transfers_.per_register(),
                               [](uint8_t wanted) { return wanted != 0; });
        });
    }
    bool matters(uint32_t event) {
        bool does = false;
        const std::vector<Transfer>& all = transfers_.of(event);
        for (auto one = all.rbegin(); one != all.rend(); ++one) {
            if (!is_wanted_[one->to]) continue;
            does = true;
            if (!one->within) is_wanted_[one->to] = false, --wanted_;
            if (one->from == Transfer::From::place) want(one->source);
        }
        return does;
    }

    const trace::Trace& trace_;
    Transfers& transfers_;
    std::vector<uint8_t> is_wanted_; // by place
    size_t wanted_ = 0;
};

struct UnitOrigin {
    int buffer = -1;
    Element element;
};

UnitOrigin origin_of(const trace::Trace& t, uint64_t address) {
    for (size_t b = 0; b < t.buffers.size(); ++b)
        if (const std::optional<Element> e = element(t.buffers[b], address)) return {static_cast<int>(b), *e};
    return {};
}

// Of a word, by those of its lower and upper end. Halves of two arrays are named by the lower one.
Origin origin_of_word(const UnitOrigin& lower, const UnitOrigin& upper) {
    const UnitOrigin& first = lower.buffer < 0 ? upper : lower;
    return {first.buffer, first.element.row, first.element.column,
            upper.buffer == first.buffer ? upper.element : first.element};
}

} // namespace

std::vector<Origin> shared_origin(const trace::Trace& t, uint32_t event, const std::vector<bool>& wanted) {
    if (!t.listing) return std::vector<Origin>((t.shared_bytes + 3) / 4);
    Program program = reduce(*t.listing);
    drop_what_is_not_stored(program);
    Transfers transfers(t, program);
    Needed needed(t, transfers);
    for (size_t word = 0; word < transfers.words(); ++word)
        for (size_t unit = 0; unit < transfers.per_word() && word < wanted.size() && wanted[word]; ++unit)
            needed.want(transfers.of_word(word) + unit);
    const auto end = static_cast<uint32_t>(std::min<size_t>(size_t{event} + 1, t.events.size()));
    const std::vector<uint32_t> events = needed.before(end);

    std::vector<UnitOrigin> places(transfers.places());
    for (auto at = events.rbegin(); at != events.rend(); ++at)
        for (const Transfer& one : transfers.of(*at)) {
            UnitOrigin from;
            if (one.from == Transfer::From::place) from = places[one.source];
            if (one.from == Transfer::From::global) from = origin_of(t, one.source);
            UnitOrigin& to = places[one.to];
            if (!one.within || from.buffer < 0 || to.buffer != from.buffer) to = from;
        }
    std::vector<Origin> words(transfers.words());
    for (size_t word = 0; word < words.size(); ++word)
        if (word < wanted.size() && wanted[word])
            words[word] = origin_of_word(places[transfers.of_word(word)],
                                         places[transfers.of_word(word) + transfers.per_word() - 1]);
    return words;
}

std::vector<Origin> shared_origin(const trace::Trace& t, uint32_t event) {
    return shared_origin(t, event, std::vector<bool>((t.shared_bytes + 3) / 4, true));
}

SharedWrites shared_writes(const trace::Trace& t) {
    SharedWrites writes;
    writes.first.assign((t.shared_bytes + 3) / 4, trace::no_access);
    if (!t.listing) return writes;
    Program program = reduce(*t.listing);
    for (Step& step : program.steps)
        if (step.role != Role::shared_store && step.role != Role::async_copy && step.role != Role::bulk_copy)
            step.role = Role::nothing;
    Transfers transfers(t, program);
    for (uint32_t event = 0; event < t.events.size(); ++event) {
        const std::vector<Transfer>& all = transfers.of(event);
        if (!all.empty()) writes.events.push_back(event);
        for (const Transfer& one : all) {
            uint32_t& word = writes.first[transfers.word_of(one.to)];
            word = std::min(word, event);
        }
    }
    return writes;
}

} // namespace analysis
