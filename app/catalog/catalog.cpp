#include "catalog/catalog.h"

#include "base/file.h"
#include "catalog/tuned.h"

#include <algorithm>
#include <tuple>

namespace catalog {
namespace {
namespace fs = std::filesystem;

// The kernel files of a folder by name, so that problems are listed in the same order everywhere.
base::Result<std::vector<fs::path>> kernel_files(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code failed;
    fs::directory_iterator entries(folder, failed);
    if (failed) {
        return base::Error{base::Failure::usage, "cannot read the folder of kernels: " + failed.message(), folder.string(),
                           "give a folder that holds .cu files"};
    }
    for (; !failed && entries != fs::directory_iterator(); entries.increment(failed))
        if (entries->path().extension() == ".cu") files.push_back(entries->path());
    std::sort(files.begin(), files.end());
    return files;
}

base::Result<Kernel> read(const fs::path& file) {
    auto text = base::read_file(file);
    if (!text) return text.error();
    return parse(*text, file);
}

void put(std::vector<std::shared_ptr<const Kernel>>& kernels, Kernel kernel) {
    auto is_same = [&](const auto& other) { return other->id == kernel.id; };
    std::erase_if(kernels, is_same);
    kernels.push_back(std::make_shared<const Kernel>(std::move(kernel)));
}

} // namespace

std::shared_ptr<const Kernel> Catalog::find(std::string_view id) const {
    auto is_it = [&](const auto& kernel) { return kernel->id == id; };
    auto found = std::find_if(kernels.begin(), kernels.end(), is_it);
    return found == kernels.end() ? nullptr : *found;
}

Catalog load(const std::vector<fs::path>& folders) {
    Catalog catalog;
    for (const fs::path& folder : folders) {
        auto files = kernel_files(folder);
        if (!files) {
            catalog.problems.push_back(files.error());
            continue;
        }
        for (const fs::path& file : *files) {
            auto kernel = read(file);
            if (!kernel) {
                catalog.problems.push_back(kernel.error());
                continue;
            }
            if (auto tuned = read_tuned(tuned_path(file), *kernel))
                kernel->tuned = std::move(*tuned);
            else
                catalog.problems.push_back(tuned.error());
            put(catalog.kernels, std::move(*kernel));
        }
    }
    std::sort(catalog.kernels.begin(), catalog.kernels.end(), [](const auto& a, const auto& b) {
        return std::tie(a->family, a->rung, a->id) < std::tie(b->family, b->rung, b->id);
    });
    return catalog;
}

} // namespace catalog
