// What a profiler counted of one launch: which reads the caches answered, and what came from memory.
#pragma once

#include "catalog/kernel.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace measure {

struct Profile {
    std::string kernel; // catalogue id
    catalog::Values parameters;
    catalog::Problem problem;
    // Of the sectors that were asked of the cache, those that it had. The profiler counts both in runs of
    // their own, so what it prints can exceed 100.
    double l1_hit_percent = 0, l2_hit_percent = 0;
    double dram_read_bytes = 0;
    double l2_bytes = 0; // read and written between the multiprocessors and L2; 0 (absent in older files): not counted
    double time_ms = 0;  // of the one launch, caches cold, at whatever clock: no measure of what the kernel reaches
    std::string device, driver, cuda, tool, date, command; // cuda: of the compiler; tool: with its version
    std::string file;                                      // its name
};

// One line of scripts/counters/profiles.py. Errors name the field.
base::Result<Profile> profile_from_json(std::string_view);
// A file of such lines. Errors name the file and the line, too.
base::Result<std::vector<Profile>> read_profiles(const std::filesystem::path&);

} // namespace measure
