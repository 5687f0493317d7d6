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

// The kernel files of a folder by name, so that problems are listed in the same order everywhere; a file
// itself.
base::Result<std::vector<fs::path>> kernel_files(const fs::path& place) {
    std::vector<fs::path> files;
    std::error_code failed;
    if (fs::is_regular_file(place, failed)) return std::vector{place};
    fs::directory_iterator entries(place, failed);
    if (failed) {
        return base::Error{base::Failure::usage, base::say("cannot read the folder of kernels: {}", failed.message()),
                           place.string(), base::say("give a folder that holds .cu files")};
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

void read_family_lists(const std::vector<fs::path>& places, Catalog& catalog) {
    for (const fs::path& place : places) {
        const fs::path list = place / "families.toml";
        std::error_code ignored;
        if (!fs::exists(list, ignored)) continue;
        if (auto read = read_families(list, catalog.families); !read) catalog.problems.push_back(read.error());
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
        return std::tuple(place.at(a->family), a->rung, a->id) < std::tuple(place.at(b->family), b->rung, b->id);
    });
}

bool same(const Kernel& a, const Kernel& b) { return a.source == b.source && a.tuned == b.tuned; }

std::shared_ptr<const Kernel> kernel_of(const Catalog* before, const fs::path& file) {
    if (!before) return nullptr;
    const auto is_its = [&](const auto& kernel) { return kernel->path == file; };
    const auto found = std::find_if(before->kernels.begin(), before->kernels.end(), is_its);
    return found == before->kernels.end() ? nullptr : *found;
}

// A copy that is edited takes the place of its original, and says so; the same file again is no mistake.
void put(Catalog& catalog, std::shared_ptr<const Kernel> kernel) {
    const auto has_its_id = [&](const auto& other) { return other->id == kernel->id; };
    const auto first = std::find_if(catalog.kernels.begin(), catalog.kernels.end(), has_its_id);
    if (first == catalog.kernels.end()) return catalog.kernels.push_back(std::move(kernel));
    std::error_code ignored;
    if (fs::equivalent((*first)->path, kernel->path, ignored)) return;
    catalog.problems.push_back({base::Failure::usage,
                                base::say("{} takes the place of this kernel {}", kernel->path, kernel->id),
                                (*first)->path + ":1", base::say("give one of the files another name to have both")});
    *first = std::move(kernel);
}

void read_file(Catalog& catalog, const fs::path& file, const Catalog* before) {
    auto known = kernel_of(before, file);
    auto kernel = read(file, catalog.families);
    if (!kernel) {
        catalog.problems.push_back(kernel.error());
        if (known) put(catalog, std::move(known));
        return;
    }
    for (const fs::path& place : tuned_files(file)) {
        const auto tuned = read_tuned(place, *kernel);
        if (!tuned) catalog.problems.push_back(tuned.error());
        else
            for (const Tuned& one : *tuned) put_tuned(kernel->tuned, one);
    }
    put(catalog, known && same(*known, *kernel) ? known : std::make_shared<const Kernel>(std::move(*kernel)));
}

// What was given twice, by whatever name, is read once.
std::vector<fs::path> distinct(const std::vector<fs::path>& places) {
    std::vector<fs::path> found;
    for (const fs::path& place : places) {
        std::error_code error;
        const auto is_it = [&](const fs::path& other) { return fs::equivalent(place, other, error); };
        if (std::none_of(found.begin(), found.end(), is_it)) found.push_back(place);
    }
    return found;
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

Catalog with_file(const Catalog& before, const fs::path& file) {
    const auto is_its = [&](const auto& kernel) {
        const fs::path path = kernel->path;
        std::error_code ignored;
        return path.filename() == file.filename() && fs::equivalent(path, file, ignored);
    };
    Catalog catalog = before;
    const auto known = std::find_if(before.kernels.begin(), before.kernels.end(), is_its);
    if (known != before.kernels.end()) std::erase(catalog.kernels, *known); // its name may be another now
    read_file(catalog, known == before.kernels.end() ? file : fs::path((*known)->path), &before);
    sort(catalog);
    return catalog;
}

Catalog load(const std::vector<fs::path>& given, const Catalog* before) {
    const std::vector<fs::path> places = distinct(given);
    Catalog catalog;
    read_family_lists(places, catalog);
    for (const fs::path& place : places) {
        auto files = kernel_files(place);
        if (!files) catalog.problems.push_back(files.error());
        else
            for (const fs::path& file : *files) read_file(catalog, file, before);
    }
    sort(catalog);
    return catalog;
}

} // namespace catalog
