// What was measured elsewhere and comes with the program.
#pragma once

#include "catalog/catalog.h"
#include "measure/accuracy.h"
#include "measure/profile.h"
#include "measure/series.h"
#include "session/peaks.h"

#include <filesystem>
#include <vector>

namespace session {

// Those of a folder that end so, by name; none where there is no folder.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder, const char* extension);

// Of assets/recorded/devices/*.json, by file name.
struct DeviceFiles {
    std::vector<DeviceRecord> devices;
    std::vector<base::Error> problems; // files that could not be read; the others are there
};
DeviceFiles read_devices(const std::filesystem::path& assets);

// Of assets/recorded/profiles/*.json, by file name and line.
struct ProfileFiles {
    std::vector<measure::Profile> profiles;
    std::vector<base::Error> problems; // files that could not be read; the others are there
};
ProfileFiles read_profiles(const std::filesystem::path& assets);

// Of assets/recorded/accuracy/*.json, by file name.
struct AccuracyFiles {
    std::vector<measure::AccuracyRecord> records;
    std::vector<base::Error> problems; // files that could not be read; the others are there
};
AccuracyFiles read_accuracies(const std::filesystem::path& assets);

struct SeriesFiles {
    std::vector<measure::Series> series; // assets/recorded/*.json, then assets/published/*.csv, by file name
    std::vector<base::Error> problems;   // files that could not be read; the others are there
};
// A recorded point of another variant than the catalogue's kernel begins with is among its settings only.
SeriesFiles read_series(const std::filesystem::path& assets, const catalog::Catalog&);

} // namespace session
