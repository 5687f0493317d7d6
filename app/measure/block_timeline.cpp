#include "measure/block_timeline.h"

#include "base/fields.h"
#include "base/file.h"
#include "base/number.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <set>

namespace measure {
namespace {

using base::Error;
using base::Failure;
using base::Fields;
using base::FieldsWriter;

std::vector<uint64_t> axes_of(base::Dim3 d) { return {d.x, d.y, d.z}; }

base::Dim3 dim3_from(Fields& fields, const char* name) {
    const std::vector<uint64_t> axes = fields.naturals(name);
    if (axes.size() == 3 && *std::min_element(axes.begin(), axes.end()) > 0 &&
        *std::max_element(axes.begin(), axes.end()) <= most_blocks)
        return {static_cast<uint32_t>(axes[0]), static_cast<uint32_t>(axes[1]), static_cast<uint32_t>(axes[2])};
    fields.fail(base::say("{} is not three sizes", name));
    return {};
}

std::vector<BlockRecord> records_from(Fields& fields, uint64_t count) {
    const auto sm = fields.naturals("multiprocessor"), start = fields.naturals("start_ns"),
               end = fields.naturals("end_ns");
    if (sm.size() != count || start.size() != count || end.size() != count)
        fields.fail(base::say("there are not {} records, one for each block", count));
    if (!fields.ok()) return {};
    std::vector<BlockRecord> records;
    for (size_t i = 0; i < count; ++i) records.push_back({start[i], end[i], sm[i]});
    return records;
}

// Blocks in the order in which they started.
std::vector<size_t> by_start(const std::vector<BlockRecord>& blocks) {
    std::vector<size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return blocks[a].start_ns < blocks[b].start_ns; });
    return order;
}

// Gives each block the first place of its multiprocessor that is free. A block that starts when another ends
// follows it. A damaged recording may have all blocks at once on one multiprocessor.
struct Place {
    uint64_t free_at = 0; // when its last block ends
    int blocks = 0;
};
class Row { // of a multiprocessor
public:
    std::vector<Place> places;

    size_t take(const BlockRecord& block) {
        for (; !busy_.empty() && busy_.top().first <= block.start_ns; busy_.pop()) free_.push(busy_.top().second);
        if (free_.empty()) free_.push(places.size()), places.emplace_back();
        const size_t first = free_.top();
        free_.pop();
        busy_.emplace(block.end_ns, first);
        places[first].free_at = block.end_ns;
        ++places[first].blocks;
        return first;
    }

private:
    template <class T>
    using LeastFirst = std::priority_queue<T, std::vector<T>, std::greater<T>>;
    LeastFirst<size_t> free_;
    LeastFirst<std::pair<uint64_t, size_t>> busy_; // until when, and which place
};
std::vector<Row> seat(Waves& w, const std::vector<BlockRecord>& blocks) {
    std::vector<Row> rows(w.multiprocessors.size());
    for (const size_t b : by_start(blocks)) {
        Row& row = rows[static_cast<size_t>(w.row[b])];
        const size_t place = row.take(blocks[b]);
        w.place[b] = static_cast<int>(place);
        w.wave[b] = row.places[place].blocks - 1;
        w.most_waves = std::max(w.most_waves, row.places[place].blocks);
        w.resident = std::max(w.resident, static_cast<int>(row.places.size()));
    }
    return rows;
}

} // namespace

bool is_of(const BlockTimeline& t, std::string_view kernel, const std::map<std::string, int>& parameters,
           const catalog::Problem& p) {
    return t.kernel == kernel && t.parameters == parameters && t.m == p.m && t.n == p.n && t.k == p.k;
}

base::Status settle(std::vector<BlockRecord>& blocks) {
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < blocks.size(); ++i) {
        if (blocks[i].start_ns == 0 || blocks[i].end_ns < blocks[i].start_ns)
            return Error{Failure::check_failed,
                         base::say("block {} of {} left no record of its {}", i, blocks.size(),
                                   blocks[i].start_ns ? base::say("end") : base::say("beginning")),
                         {},
                         {}};
        first = std::min(first, blocks[i].start_ns);
    }
    for (BlockRecord& b : blocks) b.start_ns -= first, b.end_ns -= first;
    return base::Done{};
}

FieldsWriter fields_of(const BlockTimeline& t) {
    std::vector<uint64_t> sm, start, end;
    for (const BlockRecord& b : t.blocks)
        sm.push_back(b.multiprocessor), start.push_back(b.start_ns), end.push_back(b.end_ns);
    FieldsWriter json;
    json.text("kernel", t.kernel)
        .integers("parameters", t.parameters)
        .integer("m", t.m)
        .integer("n", t.n)
        .integer("k", t.k)
        .naturals("grid", axes_of(t.grid))
        .naturals("block", axes_of(t.block))
        .number("plain_ms", base::significant(t.plain_ms))
        .number("recorded_ms", base::significant(t.recorded_ms))
        .text("device", t.device)
        .integer("multiprocessors", t.multiprocessors)
        .text("driver", t.driver)
        .text("cuda", t.cuda)
        .text("date", t.date)
        .naturals("multiprocessor", sm)
        .naturals("start_ns", start)
        .naturals("end_ns", end);
    return json;
}

std::string to_json(const BlockTimeline& t) { return fields_of(t).line(); }

base::Result<BlockTimeline> block_timeline_from_json(std::string_view text) {
    return block_timeline_from(Fields(text));
}

base::Result<BlockTimeline> block_timeline_from(Fields fields) {
    BlockTimeline t;
    t.kernel = fields.text("kernel");
    t.parameters = fields.integers("parameters");
    t.m = fields.integer("m", 1);
    t.n = fields.integer("n", 1);
    t.k = fields.integer("k", 1);
    t.grid = dim3_from(fields, "grid");
    t.block = dim3_from(fields, "block");
    t.plain_ms = fields.positive("plain_ms");
    t.recorded_ms = fields.positive("recorded_ms");
    t.device = fields.text("device");
    t.multiprocessors = fields.integer("multiprocessors", 1);
    t.driver = fields.text("driver");
    t.cuda = fields.text("cuda");
    t.date = fields.text("date");
    if (!fields.ok()) return fields.error();
    t.blocks = records_from(fields, t.grid.count());
    for (const BlockRecord& b : t.blocks)
        if (b.end_ns < b.start_ns || b.multiprocessor > INT32_MAX)
            fields.fail(base::say("a block ends before it starts, or ran nowhere"));
    if (!fields.ok()) return fields.error();
    return t;
}

base::Result<BlockTimeline> read_block_timeline(const std::filesystem::path& path) {
    auto text = base::read_file(path);
    if (!text) return text.error();
    auto timeline = block_timeline_from_json(*text);
    if (!timeline)
        return Error{Failure::usage, timeline.error().what, path.string(),
                     base::say("write it again by gemmscope timeline --json")};
    timeline->file = path.filename().string();
    return timeline;
}

Waves waves(const BlockTimeline& t) {
    Waves w;
    std::set<uint64_t> used;
    for (const BlockRecord& b : t.blocks) {
        used.insert(b.multiprocessor);
        w.duration_ns = std::max(w.duration_ns, static_cast<double>(b.end_ns));
    }
    for (const uint64_t sm : used) w.multiprocessors.push_back(static_cast<int>(sm));
    for (auto* each : {&w.row, &w.place, &w.wave}) each->resize(t.blocks.size());
    const auto row_of = [&](uint64_t sm) {
        const auto& all = w.multiprocessors;
        return std::lower_bound(all.begin(), all.end(), static_cast<int>(sm)) - all.begin();
    };
    for (size_t i = 0; i < t.blocks.size(); ++i) w.row[i] = static_cast<int>(row_of(t.blocks[i].multiprocessor));
    const std::vector<Row> rows = seat(w, t.blocks);

    double busy = 0; // until each place's last end; one that had no block is idle all the time
    for (const Row& row : rows)
        for (const Place& place : row.places) busy += static_cast<double>(place.free_at);
    const double all =
        static_cast<double>(std::max<size_t>(static_cast<size_t>(t.multiprocessors), rows.size())) * w.resident;
    w.count = static_cast<double>(t.blocks.size()) / all;
    w.last_fill = w.count - std::ceil(w.count) + 1;
    if (w.duration_ns > 0) w.idle_at_end = 1 - busy / (all * w.duration_ns);
    return w;
}

} // namespace measure
