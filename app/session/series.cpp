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

// Appends what the folder's files hold, and what is wrong with those that could not be read.
template <class T, class Read>
void read_folder(std::vector<T>& all, std::vector<base::Error>& problems, const std::filesystem::path& folder,
                 const char* extension, Read read) {
    for (const auto& file : files_of(folder, extension)) {
        auto held = read(file);
        if (held) all.insert(all.end(), held->begin(), held->end());
        else problems.push_back(held.error());
    }
}

} // namespace

DeviceFiles read_devices(const std::filesystem::path& assets) {
    DeviceFiles all;
    for (const auto& file : files_of(assets / "recorded/devices", ".json")) {
        auto device = read_device(file);
        if (device) all.devices.push_back(std::move(*device));
        else all.problems.push_back(device.error());
    }
    return all;
}

ProfileFiles read_profiles(const std::filesystem::path& assets) {
    ProfileFiles all;
    read_folder(all.profiles, all.problems, assets / "recorded/profiles", ".json", measure::read_profiles);
    return all;
}

AccuracyFiles read_accuracies(const std::filesystem::path& assets) {
    AccuracyFiles all;
    for (const auto& file : files_of(assets / "recorded/accuracy", ".json")) {
        auto record = measure::read_accuracy_record(file);
        if (record) all.records.push_back(std::move(*record));
        else all.problems.push_back(record.error());
    }
    return all;
}

SeriesFiles read_series(const std::filesystem::path& assets, const catalog::Catalog& catalog) {
    const auto is_plain = [&](const measure::BenchPoint& point) {
        const auto kernel = catalog.find(point.kernel);
        return !kernel || catalog::is_plain(*kernel, point.parameters);
    };
    const auto recorded = [&](const std::filesystem::path& file) { return measure::read_recorded(file, is_plain); };
    SeriesFiles all;
    read_folder(all.series, all.problems, assets / "recorded", ".json", recorded);
    read_folder(all.series, all.problems, assets / "published", ".csv", measure::read_published);
    return all;
}

} // namespace session
