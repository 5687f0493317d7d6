#include "session/series.h"

#include <algorithm>

namespace session {

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder, const char* extension) {
    std::vector<std::filesystem::path> files;
    std::error_code missing; // no folder: nothing recorded
    for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
        if (entry.path().extension() == extension) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

namespace {

using Read = base::Result<std::vector<gpu::Series>> (*)(const std::filesystem::path&);

void read_folder(SeriesFiles& all, const std::filesystem::path& folder, const char* extension, Read read) {
    for (const auto& file : files_of(folder, extension)) {
        auto series = read(file);
        if (series) all.series.insert(all.series.end(), series->begin(), series->end());
        else all.problems.push_back(series.error());
    }
}

} // namespace

DeviceFiles read_devices(const std::filesystem::path& assets) {
    DeviceFiles all;
    for (const auto& file : files_of(assets / "recorded/devices", ".json")) {
        auto device = read_device(file);
        if (device)
            all.devices.push_back(std::move(*device));
        else
            all.problems.push_back(device.error());
    }
    return all;
}

SeriesFiles read_series(const std::filesystem::path& assets) {
    SeriesFiles all;
    read_folder(all, assets / "recorded", ".json", gpu::read_recorded);
    read_folder(all, assets / "published", ".csv", gpu::read_published);
    return all;
}

} // namespace session
