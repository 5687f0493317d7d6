#include "views/pictures.h"

#include "analysis/banks.h"
#include "analysis/mapping.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>

namespace views {

namespace {

using analysis::Rectangle;

bool inside(const Rectangle& box, int64_t row, int64_t column) {
    return row >= box.row && column >= box.column && row < int64_t{box.row} + box.rows &&
           column < int64_t{box.column} + box.columns;
}

void fill_rasters(ArrayPicture& picture) {
    const size_t size = size_t{picture.box.rows} * picture.box.columns;
    if (size == 0 || size > Pictures::raster_limit) return;
    picture.loaded.assign(size, never);
    picture.stored.assign(size, never);
    picture.loader.assign(size, nobody);
    picture.owner.assign(size, nobody);
    for (const analysis::Touch& touch : picture.map->loads) {
        const size_t at = picture.index(touch.row, touch.column);
        if (touch.event >= picture.loaded[at]) continue;
        picture.loaded[at] = touch.event;
        picture.loader[at] = touch.thread;
    }
    for (const analysis::Touch& touch : picture.map->stores) {
        const size_t at = picture.index(touch.row, touch.column);
        picture.stored[at] = std::min(picture.stored[at], touch.event);
        picture.owner[at] = touch.thread;
    }
}

std::vector<ArrayPicture> arrays_of(const session::BlockRun& run) {
    std::vector<ArrayPicture> arrays(run.trace.buffers.size());
    for (size_t i = 0; i < arrays.size(); ++i) {
        arrays[i].buffer = &run.trace.buffers[i];
        if (i >= run.mapping.size()) continue;
        arrays[i].map = &run.mapping[i];
        arrays[i].box = run.mapping[i].box;
        fill_rasters(arrays[i]);
    }
    return arrays;
}

int named(const std::vector<ArrayPicture>& arrays, std::string_view name) {
    for (size_t i = 0; i < arrays.size(); ++i)
        if (arrays[i].buffer->name == name && arrays[i].map) return static_cast<int>(i);
    return -1;
}

// Cuts the box of C into rectangles of one warp each: runs along rows, joined downwards while they repeat.
std::vector<WarpTile> warp_tiles(const ArrayPicture& c) {
    std::vector<WarpTile> done, open, next;
    if (c.owner.empty()) return done;
    for (uint32_t row = 0; row < c.box.rows; ++row) {
        next.clear();
        size_t candidate = 0; // both lists ascend by column
        for (uint32_t column = 0; column < c.box.columns;) {
            const uint16_t thread = c.owner[size_t{row} * c.box.columns + column];
            const uint16_t warp = thread == nobody ? nobody : static_cast<uint16_t>(thread / trace::warp_size);
            const uint32_t first = column;
            for (; column < c.box.columns; ++column) {
                const uint16_t other = c.owner[size_t{row} * c.box.columns + column];
                if ((other == nobody ? nobody : other / trace::warp_size) != warp) break;
            }
            if (warp == nobody) continue;
            WarpTile tile{warp, {c.box.row + row, c.box.column + first, 1, column - first}};
            while (candidate < open.size() && open[candidate].box.column < tile.box.column)
                done.push_back(open[candidate++]);
            if (candidate < open.size() && open[candidate].warp == warp &&
                open[candidate].box.column == tile.box.column && open[candidate].box.columns == tile.box.columns) {
                tile.box.row = open[candidate].box.row;
                tile.box.rows = open[candidate].box.rows + 1;
                ++candidate;
            }
            next.push_back(tile);
        }
        done.insert(done.end(), open.begin() + static_cast<std::ptrdiff_t>(candidate), open.end());
        std::swap(open, next);
    }
    done.insert(done.end(), open.begin(), open.end());
    return done;
}

uint32_t blocks_for(uint64_t elements, uint32_t per_block) {
    return per_block ? static_cast<uint32_t>((elements + per_block - 1) / per_block) : 0;
}

// What one block stores, at its place in the grid, gives the shape of all; nothing if that contradicts the grid.
std::optional<Lattice> lattice_of(const trace::Trace& trace, const ArrayPicture& c) {
    if (c.map->stores.empty()) return std::nullopt;
    uint32_t top = never, left = never, bottom = 0, right = 0;
    for (const analysis::Touch& touch : c.map->stores) {
        top = std::min(top, touch.row), bottom = std::max(bottom, touch.row + 1);
        left = std::min(left, touch.column), right = std::max(right, touch.column + 1);
    }
    for (const bool along_rows : {false, true}) {
        const uint32_t block_row = along_rows ? trace.block_index.x : trace.block_index.y;
        const uint32_t block_column = along_rows ? trace.block_index.y : trace.block_index.x;
        // A block at the edge is cut short; its distance from the origin still tells the shape.
        const Lattice lattice{block_row ? top / block_row : bottom - top,
                              block_column ? left / block_column : right - left, along_rows};
        const bool fits =
            blocks_for(c.buffer->rows, lattice.rows) == (along_rows ? trace.grid.x : trace.grid.y) &&
            blocks_for(c.buffer->columns, lattice.columns) == (along_rows ? trace.grid.y : trace.grid.x) &&
            top == block_row * lattice.rows && left == block_column * lattice.columns;
        if (fits) return lattice;
    }
    return std::nullopt;
}

std::vector<WarpOrder> warps_of(const session::BlockRun& run, bool barriers) {
    const trace::Trace& trace = run.trace;
    std::vector<WarpOrder> warps;
    for (const analysis::WarpSteps& steps : run.timeline.warps) {
        WarpOrder& warp = warps.emplace_back(
            WarpOrder{steps.events, steps.k_tiles, {0}, {}, {}, analysis::executions(trace, steps.events), {}});
        auto tile = steps.k_tiles.begin();
        LaneCounts lanes{};
        for (uint32_t step = 0; step < steps.events.size(); ++step) {
            const trace::Event& event = trace.events[steps.events[step]];
            const trace::Instruction& instruction = trace.listing->instructions[event.pc];
            if (step % WarpOrder::summed_up == 0) warp.lanes_before.push_back(lanes);
            ++lanes[static_cast<size_t>(lane_of(instruction))];
            if (tile != steps.k_tiles.end() && *tile == step) {
                ++tile;
                if (!barriers && step > warp.cut.back()) warp.cut.push_back(step);
            }
            if (instruction.kind == trace::Kind::barrier) warp.cut.push_back(step + 1);
            if (event.access == trace::no_access || event.active == 0) continue;
            const bool copy = instruction.kind == trace::Kind::async_copy;
            if (instruction.space == trace::Space::shared) warp.shared.push_back(steps.events[step]);
            if (copy ? analysis::reading_lanes(trace, event) != 0 : instruction.space == trace::Space::global)
                warp.global.push_back(steps.events[step]);
        }
        warp.lanes_before.push_back(lanes); // of all, where they are a multiple; else nobody asks
        if (warp.cut.back() != steps.events.size()) warp.cut.push_back(static_cast<uint32_t>(steps.events.size()));
    }
    return warps;
}

// Do barriers keep the warps together? Where there is a loop over k, it must have one: those before it do not.
bool has_barriers(const session::BlockRun& run) {
    const auto& events = run.trace.events;
    const auto& turns = run.timeline.k_tiles;
    const bool loop = turns.size() > 1 && turns.back() < events.size();
    const auto first = events.begin() + (loop ? turns.front() : 0),
               end = loop ? events.begin() + turns.back() : events.end();
    return std::any_of(first, end, [&](const trace::Event& event) {
        return run.trace.listing->instructions[event.pc].kind == trace::Kind::barrier;
    });
}

std::vector<uint32_t> segment_starts(const std::vector<WarpOrder>& warps) {
    size_t segments = 0;
    for (const WarpOrder& warp : warps) segments = std::max(segments, warp.cut.size() - 1);
    std::vector<uint32_t> starts{0};
    for (size_t s = 0; s < segments; ++s) {
        uint32_t widest = 0;
        for (const WarpOrder& warp : warps)
            if (s + 1 < warp.cut.size()) widest = std::max(widest, warp.cut[s + 1] - warp.cut[s]);
        starts.push_back(starts.back() + widest);
    }
    return starts;
}

// Where the first of the warps begins each segment, in events of the block.
std::vector<uint32_t> first_events(const std::vector<WarpOrder>& warps, size_t events) {
    std::vector<uint32_t> starts;
    for (const WarpOrder& warp : warps)
        for (size_t s = 0; s + 1 < warp.cut.size(); ++s) {
            if (s == starts.size()) starts.push_back(never);
            starts[s] = std::min(starts[s], warp.events[warp.cut[s]]);
        }
    starts.push_back(static_cast<uint32_t>(events));
    return starts;
}

std::shared_ptr<const BlockPicture> picture_of(std::shared_ptr<const session::BlockRun> run) {
    auto picture = std::make_shared<BlockPicture>();
    picture->run = std::move(run);
    picture->arrays = arrays_of(*picture->run);
    picture->a = named(picture->arrays, "A");
    picture->b = named(picture->arrays, "B");
    picture->c = named(picture->arrays, "C");
    if (picture->c >= 0) {
        const ArrayPicture& c = picture->arrays[static_cast<size_t>(picture->c)];
        picture->tiles = warp_tiles(c);
        picture->lattice = lattice_of(picture->trace(), c);
    }
    picture->shared_writes = analysis::shared_writes(picture->trace());
    picture->barriers = has_barriers(*picture->run);
    const std::vector<trace::Event>& events = picture->trace().events;
    picture->tensor_cores = std::any_of(events.begin(), events.end(), [&](const trace::Event& e) {
        return picture->trace().listing->instructions[e.pc].kind == trace::Kind::matrix;
    });
    picture->warps = warps_of(*picture->run, picture->barriers);
    picture->flights = flights(picture->trace(), picture->warps.size());
    picture->segment_start = picture->in_turn() ? first_events(picture->warps, picture->trace().events.size())
                                                : segment_starts(picture->warps);
    return picture;
}

struct EventRange { // inclusive
    uint32_t first = never, last = 0;
    bool operator==(const EventRange&) const = default;
};

// Events of one segment: of all warps where barriers keep them together, else of this one.
EventRange segment_range(const BlockPicture& picture, const WarpOrder& own, uint32_t segment) {
    EventRange range;
    for (const WarpOrder& warp : picture.warps) {
        if (!picture.barriers && &warp != &own) continue;
        if (segment + 1 >= warp.cut.size()) continue;
        range.first = std::min(range.first, warp.events[warp.cut[segment]]);
        range.last = std::max(range.last, warp.events[warp.cut[segment + 1] - 1]);
    }
    return range;
}

// Marks the words that a warp's shared loads read.
void note_shared_loads(const BlockPicture& picture, const WarpOrder& warp, EventRange range,
                       std::vector<uint8_t>& read) {
    const trace::Trace& trace = picture.trace();
    auto at = std::lower_bound(warp.shared.begin(), warp.shared.end(), range.first);
    for (; at != warp.shared.end() && *at <= range.last; ++at) {
        const trace::Event& event = trace.events[*at];
        const trace::Instruction& instruction = picture.instruction(*at);
        if (instruction.kind != trace::Kind::load) continue;
        const uint32_t accessing = analysis::accessing_lanes(instruction, event.active);
        for (size_t lane = 0; lane < trace::warp_size; ++lane) {
            if (!(accessing >> lane & 1)) continue;
            const uint64_t word = trace.accesses[event.access][lane] / 4;
            for (uint64_t w = word; w < word + std::max(1, instruction.bytes / 4) && w < read.size(); ++w) read[w] = 1;
        }
    }
}

// The first shared load of the range: what the memory holds then is what the range computes with.
uint32_t first_shared_load(const BlockPicture& picture, EventRange range) {
    uint32_t first = never;
    for (const WarpOrder& warp : picture.warps) {
        auto at = std::lower_bound(warp.shared.begin(), warp.shared.end(), range.first);
        while (at != warp.shared.end() && picture.instruction(*at).kind != trace::Kind::load) ++at;
        if (at != warp.shared.end() && *at <= range.last) first = std::min(first, *at);
    }
    return first;
}

Slab slab_of(const BlockPicture& picture, int own, EventRange range, Pictures& pictures) {
    Slab slab{std::vector<Rectangle>(picture.arrays.size()), std::vector<Rectangle>(picture.arrays.size())};
    for (size_t i = 0; i < picture.arrays.size(); ++i) {
        const analysis::ArrayMap* map = picture.arrays[i].map;
        if (!map || static_cast<int>(i) == picture.c) continue;
        const auto before = [](const analysis::Touch& touch, uint32_t event) { return touch.event < event; };
        auto touch = std::lower_bound(map->loads.begin(), map->loads.end(), range.first, before);
        for (; touch != map->loads.end() && touch->event <= range.last; ++touch)
            if (picture.barriers || touch->thread / trace::warp_size == own)
                analysis::include(slab.fetched[i], {touch->row, touch->column, 1, 1});
    }
    const uint32_t first = first_shared_load(picture, range);
    if (first == never && picture.trace().shared_bytes == 0)
        slab.used = slab.fetched; // no detour through shared memory
    if (first == never) return slab;
    const std::vector<analysis::Origin>& origin = pictures.origin(picture, first);
    std::vector<uint8_t> read(origin.size()); // each word once: a tile's are read by many lanes
    for (const WarpOrder& warp : picture.warps) note_shared_loads(picture, warp, range, read);
    for (size_t word = 0; word < origin.size(); ++word)
        if (read[word] && origin[word].buffer >= 0)
            for (const analysis::Rectangle& box : analysis::elements_of(picture.trace(), origin[word]))
                analysis::include(slab.used[static_cast<size_t>(origin[word].buffer)], box);
    return slab;
}

} // namespace

bool ArrayPicture::has(int64_t row, int64_t column) const { return !loaded.empty() && inside(box, row, column); }

size_t ArrayPicture::index(int64_t row, int64_t column) const {
    return static_cast<size_t>(row - box.row) * box.columns + static_cast<size_t>(column - box.column);
}

std::optional<base::Dim3> Lattice::block_at(int64_t row, int64_t column, base::Dim3 grid) const {
    if (row < 0 || column < 0 || rows == 0 || columns == 0) return std::nullopt;
    const auto down = static_cast<uint32_t>(row / rows), across = static_cast<uint32_t>(column / columns);
    const base::Dim3 block = x_runs_along_rows ? base::Dim3{down, across, 0} : base::Dim3{across, down, 0};
    if (block.x >= grid.x || block.y >= grid.y) return std::nullopt;
    return block;
}

Rectangle Lattice::box_of(base::Dim3 block, const trace::Buffer& c) const {
    Rectangle box{(x_runs_along_rows ? block.x : block.y) * rows, (x_runs_along_rows ? block.y : block.x) * columns, 0,
                  0};
    if (box.row < c.rows) box.rows = std::min(rows, static_cast<uint32_t>(c.rows) - box.row);
    if (box.column < c.columns) box.columns = std::min(columns, static_cast<uint32_t>(c.columns) - box.column);
    return box;
}

Lane lane_of(const trace::Instruction& instruction) {
    const bool shared = instruction.space == trace::Space::shared || instruction.space == trace::Space::cluster,
               global = instruction.space == trace::Space::global;
    switch (instruction.kind) {
    case trace::Kind::load: return shared ? Lane::shared_load : global ? Lane::global_load : Lane::other;
    case trace::Kind::store: return shared ? Lane::shared_store : global ? Lane::global_store : Lane::other;
    case trace::Kind::atomic: return shared ? Lane::shared_store : Lane::global_store;
    case trace::Kind::async_copy: return Lane::global_load;
    case trace::Kind::bulk_copy: return global ? Lane::global_store : Lane::global_load;
    case trace::Kind::fma: return Lane::math;
    case trace::Kind::matrix: return Lane::tensor;
    case trace::Kind::wait:
    case trace::Kind::barrier: return Lane::wait;
    default: return Lane::other;
    }
}

uint32_t WarpOrder::at_or_after(uint32_t event) const {
    const auto at = std::lower_bound(events.begin(), events.end(), event);
    const auto index = static_cast<uint32_t>(at - events.begin());
    return events.empty() ? 0 : std::min(index, static_cast<uint32_t>(events.size() - 1));
}

uint32_t WarpOrder::segment_of(uint32_t index) const {
    const auto after = std::upper_bound(cut.begin(), cut.end(), index);
    return static_cast<uint32_t>(std::max<std::ptrdiff_t>(after - cut.begin() - 1, 0));
}

const trace::Instruction& BlockPicture::instruction(uint32_t event) const {
    return trace().listing->instructions[trace().events[event].pc];
}

size_t bytes_of(const BlockPicture& picture) {
    const auto bytes = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
    size_t all =
        bytes(picture.shared_writes.events) + bytes(picture.shared_writes.first) + bytes(picture.segment_start);
    for (const ArrayPicture& array : picture.arrays)
        all += bytes(array.loaded) + bytes(array.stored) + bytes(array.loader) + bytes(array.owner);
    for (const WarpOrder& warp : picture.warps)
        all += bytes(warp.cut) + bytes(warp.shared) + bytes(warp.global) + bytes(warp.executions) +
               bytes(warp.lanes_before);
    for (const std::vector<Flight>& of_warp : picture.flights) all += bytes(of_warp);
    return all;
}

uint32_t BlockPicture::step(uint32_t event) const {
    const uint16_t warp = event < trace().events.size() ? trace().events[event].warp : nobody;
    return warp < warps.size() ? warps[warp].at_or_after(event) + 1 : 0;
}

namespace {

uint32_t find_costliest(const BlockPicture& picture, const WarpOrder& warp, bool load, const analysis::BankRule& rule) {
    struct Cost {
        uint32_t first = 0; // event
        uint64_t executed = 0;
    };
    std::map<uint32_t, Cost> costs; // by pc
    for (const uint32_t event : warp.shared)
        if ((picture.instruction(event).kind == trace::Kind::load) == load)
            ++costs.try_emplace(picture.trace().events[event].pc, Cost{event}).first->second.executed;
    uint32_t worst = never;
    uint64_t most = 0;
    for (const auto& [pc, cost] : costs) {
        const trace::Event& event = picture.trace().events[cost.first];
        const trace::Instruction& instruction = picture.instruction(cost.first);
        const auto wavefronts =
            analysis::count_wavefronts(rule, instruction, event.active, picture.trace().accesses[event.access]);
        const uint64_t all = cost.executed * static_cast<uint64_t>(wavefronts.wavefronts);
        if (all > most) most = all, worst = cost.first;
    }
    return worst;
}

} // namespace

struct Pictures::Impl {
    static constexpr size_t kept = 3; // of what is made for a moment: subject, baseline, and the one just left

    std::mutex blocks_lock;
    std::vector<std::shared_ptr<const BlockPicture>> blocks;

    // What something was made of. Runs of hundreds of megabytes do not live on for it.
    struct MadeOf {
        std::weak_ptr<const session::BlockRun> run;
        bool operator==(const std::shared_ptr<const session::BlockRun>& other) const {
            return !run.owner_before(other) && !other.owner_before(run);
        }
    };
    struct Origins {
        MadeOf run;
        uint32_t event = never;
        std::vector<analysis::Origin> words;
    };
    std::array<Origins, kept> origins; // one for each run, which are shown beside one another
    size_t oldest_origins = 0;

    MadeOf slab_run;
    EventRange slab_range;
    int slab_warp = -1;
    Slab slab;

    struct Costliest {
        MadeOf run;
        int warp;
        bool load;
        std::string arch;
        uint32_t event;
    };
    std::deque<Costliest> costliest; // newest first

    std::shared_ptr<const measure::BlockTimeline> timeline;
    measure::Waves waves; // of it

    std::optional<std::pair<uint64_t, catalog::Problem>> standing_of; // Session::series_made()
    Standing standing;

    MadeOf lives_run;
    std::shared_ptr<const trace::Listing> lives_listing; // `uses` and `lives` point into it
    std::optional<analysis::RegisterUses> uses;
    int lives_warp = -1;
    uint32_t lives_event = never;
    Lives lives;

    MadeOf state_run;
    std::shared_ptr<const sim::BlockState> shown, before;
};

Pictures::Pictures() : impl_(std::make_unique<Impl>()) {}
Pictures::~Pictures() = default;

std::shared_ptr<const BlockPicture> Pictures::block(const std::shared_ptr<const session::BlockRun>& run) {
    auto& blocks = impl_->blocks;
    std::vector<std::shared_ptr<const BlockPicture>> left; // they end after the lock
    {
        std::lock_guard lock(impl_->blocks_lock);
        // A run that a picture alone holds is one that nobody goes back to, of up to hundreds of megabytes.
        const auto is_held = [](const auto& block) { return block->run.use_count() > 1; };
        const auto gone = std::partition(blocks.begin(), blocks.end(), is_held);
        left.assign(std::make_move_iterator(gone), std::make_move_iterator(blocks.end()));
        blocks.erase(gone, blocks.end());
        const auto known =
            std::find_if(blocks.begin(), blocks.end(), [&](const auto& block) { return block->run == run; });
        if (known != blocks.end()) return *known;
    }
    auto made = picture_of(run);
    std::lock_guard lock(impl_->blocks_lock);
    return blocks.emplace_back(std::move(made));
}

const std::vector<analysis::Origin>& Pictures::origin(const BlockPicture& picture, uint32_t event) {
    // Nothing differs until the next write.
    const auto& [writes, first] = picture.shared_writes;
    const auto after = std::upper_bound(writes.begin(), writes.end(), event);
    const uint32_t written = after == writes.begin() ? 0 : *(after - 1);
    auto& all = impl_->origins;
    auto own = std::find_if(all.begin(), all.end(), [&](const Impl::Origins& each) { return each.run == picture.run; });
    if (own == all.end()) own = all.begin() + static_cast<std::ptrdiff_t>(impl_->oldest_origins++ % all.size());
    if (own->run != picture.run || own->event != written) {
        std::vector<bool> wanted(first.size());
        for (size_t word = 0; word < wanted.size(); ++word) wanted[word] = first[word] <= written;
        *own = {{picture.run}, written, analysis::shared_origin(picture.trace(), written, wanted)};
    }
    return own->words;
}

const Slab& Pictures::slab(const BlockPicture& picture, int warp_number, uint32_t event) {
    const WarpOrder& warp = picture.warps[static_cast<size_t>(warp_number)];
    EventRange range;
    if (!warp.events.empty()) range = segment_range(picture, warp, warp.segment_of(warp.at_or_after(event)));
    Impl& own = *impl_;
    if (own.slab_run != picture.run || own.slab_warp != warp_number || own.slab_range != range) {
        own.slab = slab_of(picture, warp_number, range, *this);
        own.slab_run = {picture.run}, own.slab_warp = warp_number, own.slab_range = range;
    }
    return own.slab;
}

uint32_t Pictures::costliest_shared(const BlockPicture& picture, int warp, bool load, const std::string& arch) {
    auto& known = impl_->costliest;
    for (const auto& each : known)
        if (each.run == picture.run && each.warp == warp && each.load == load && each.arch == arch) return each.event;
    const uint32_t event =
        find_costliest(picture, picture.warps[static_cast<size_t>(warp)], load, analysis::bank_rule(arch));
    known.push_front({{picture.run}, warp, load, arch, event});
    if (known.size() > 2 * Impl::kept) known.pop_back();
    return event;
}

const Pictures::Lives& Pictures::lives(const BlockPicture& picture, int warp, uint32_t event) {
    Impl& own = *impl_;
    const bool other_run = own.lives_run != picture.run;
    if (other_run) {
        own.lives.clear();
        own.lives_listing = picture.trace().listing;
        own.uses.emplace(*own.lives_listing);
        own.lives_run = {picture.run};
    }
    if (other_run || own.lives_warp != warp || own.lives_event != event) {
        const WarpOrder& order = picture.warps[static_cast<size_t>(warp)];
        own.lives = own.uses->at(picture.trace(), order.events, order.executions, event);
        own.lives_warp = warp, own.lives_event = event;
    }
    return own.lives;
}

const measure::Waves& Pictures::waves(const std::shared_ptr<const measure::BlockTimeline>& timeline) {
    if (impl_->timeline != timeline) impl_->waves = measure::waves(*timeline), impl_->timeline = timeline;
    return impl_->waves;
}

const Standing& Pictures::standing(const session::Session& session, const catalog::Problem& problem) {
    const std::pair asked{session.series_made(), problem};
    if (impl_->standing_of != asked)
        impl_->standing = views::standing(series_groups(session.series()), problem), impl_->standing_of = asked;
    return impl_->standing;
}

std::shared_ptr<const sim::BlockState> Pictures::before(const std::shared_ptr<const session::BlockRun>& run,
                                                        const std::shared_ptr<const sim::BlockState>& state) {
    if (impl_->state_run != run) impl_->shown = impl_->before = nullptr, impl_->state_run = {run};
    if (impl_->shown != state) impl_->before = std::exchange(impl_->shown, state);
    return impl_->before;
}

} // namespace views
