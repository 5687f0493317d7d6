#include "catalog/catalog.h"

#include "base/file.h"
#include "catalog/tuned.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
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

base::Result<Kernel> read(const fs::path& file, std::span<const Family> families) {
    auto text = base::read_file(file);
    if (!text) return text.error();
    return parse(*text, file, families);
}

void read_family_lists(const std::vector<fs::path>& folders, Catalog& catalog) {
    for (const fs::path& folder : folders) {
        const fs::path list = folder / "families.toml";
        std::error_code ignored;
        if (!fs::exists(list, ignored)) continue;
        if (auto read = read_families(list, catalog.families); !read)
            catalog.problems.push_back(read.error());
    }
}

// By family, in the order of the lists; families that no list describes, where there is none, come last.
void sort(Catalog& catalog) {
    std::map<std::string, size_t> place;
    for (const Family& family : catalog.families) place.emplace(family.id, place.size());
    std::set<std::string> others;
    for (const auto& kernel : catalog.kernels)
        if (!place.contains(kernel->family)) others.insert(kernel->family);
    for (const std::string& id : others) {
        place.emplace(id, place.size());
        catalog.families.push_back({id, {id, id}});
    }
    std::sort(catalog.kernels.begin(), catalog.kernels.end(), [&](const auto& a, const auto& b) {
        return std::tuple(place.at(a->family), a->rung, a->id) <
               std::tuple(place.at(b->family), b->rung, b->id);
    });
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

std::shared_ptr<const Kernel> Catalog::beside(std::string_view id, int direction) const {
    const auto is_it = [&](const auto& kernel) { return kernel->id == id; };
    const auto own = std::find_if(kernels.begin(), kernels.end(), is_it);
    if (own == kernels.end()) return nullptr;
    const auto place = own - kernels.begin() + direction;
    if (place < 0 || place >= std::ssize(kernels)) return nullptr;
    const auto& other = kernels[static_cast<size_t>(place)];
    return other->family == (*own)->family ? other : nullptr;
}

std::vector<std::shared_ptr<const Kernel>> Catalog::of_family(std::string_view family) const {
    std::vector<std::shared_ptr<const Kernel>> found;
    const auto is_of = [&](const auto& kernel) { return kernel->family == family; };
    std::copy_if(kernels.begin(), kernels.end(), std::back_inserter(found), is_of);
    return found;
}

Catalog load(const std::vector<fs::path>& folders) {
    Catalog catalog;
    read_family_lists(folders, catalog);
    for (const fs::path& folder : folders) {
        auto files = kernel_files(folder);
        if (!files) {
            catalog.problems.push_back(files.error());
            continue;
        }
        for (const fs::path& file : *files) {
            auto kernel = read(file, catalog.families);
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
    sort(catalog);
    return catalog;
}

} // namespace catalog
