// Where and when each block of one launch ran, by the GPU's own clock: a recording, and what it says of waves
// and of the tail.
#pragma once

#include "base/dim3.h"
#include "base/fields.h"
#include "base/result.h"
#include "catalog/kernel.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace measure {

struct BlockRecord { // as the GPU writes it, see ptx/block_records.h; afterwards times count from the first
                     // start
    uint64_t start_ns = 0, end_ns = 0;
    uint64_t multiprocessor = 0; // %smid
    bool operator==(const BlockRecord&) const = default;
};

struct BlockTimeline {
    std::string kernel; // catalogue id
    std::map<std::string, int> parameters;
    int m = 0, n = 0, k = 0;
    base::Dim3 grid, block;
    std::vector<BlockRecord> blocks;      // of the grid, x fastest
    int multiprocessors = 0;              // of the device
    double plain_ms = 0, recorded_ms = 0; // of a launch by events: as it is, and with the recording in it
    std::string device, driver, cuda, date;
    std::string file; // its name; empty: recorded here
    bool operator==(const BlockTimeline&) const = default;
};
inline constexpr uint64_t most_blocks = 1 << 20; // of a recording

// The recording of these problem and parameters?
bool is_of(const BlockTimeline&, std::string_view kernel, const std::map<std::string, int>& parameters,
           const catalog::Problem&);

// Makes times count from the first start. Errors (Failure::check_failed): a block without a record, or one
// that ends before it starts.
base::Status settle(std::vector<BlockRecord>&);

std::string to_json(const BlockTimeline&); // one line, without `file`
// Errors name the field.
base::Result<BlockTimeline> block_timeline_from_json(std::string_view);
// As a part of other JSON.
base::FieldsWriter fields_of(const BlockTimeline&);
base::Result<BlockTimeline> block_timeline_from(base::Fields);
base::Result<BlockTimeline> read_block_timeline(const std::filesystem::path&); // errors name the file, too

// What a multiprocessor can hold at a time is a place; a place runs one block after the other.
struct Waves {
    int resident = 1;                  // places of a multiprocessor: the most blocks that one had at a time
    std::vector<int> multiprocessors;  // that ran blocks, ascending
    std::vector<int> row, place, wave; // of each block: index into `multiprocessors`, its place there, and
                                       // how many blocks ran on that before it
    int most_waves = 0;                // of any place
    double duration_ns = 0;            // first start to last end
    double count = 0;                  // blocks / all places of the device: 5.3
    double last_fill = 0;   // what share of the places the last wave fills, if every wave but it is full: 0.3;
                            // 1 if none is left over
    double idle_at_end = 0; // share of all places' time that passes after their last block
};
Waves waves(const BlockTimeline&);

} // namespace measure
