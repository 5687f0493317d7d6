#include "session/kernel_files.h"

#include "base/file.h"

#include <algorithm>
#include <utility>

namespace session {
namespace {

constexpr const char* read_job = "read";

// The kernels', and those that `gemmscope tune` writes.
std::vector<std::filesystem::path> watched(std::vector<std::filesystem::path> kernels) {
    kernels.push_back(base::data_folder() / "tuned");
    return kernels;
}

// How the files lay there just before: what changes meanwhile is seen to have changed.
struct Reading {
    Reading(const std::vector<std::filesystem::path>& places, const catalog::Catalog* before)
        : look(base::look_at(watched(places))), catalog(catalog::load(places, before)) {}
    base::Look look;
    catalog::Catalog catalog;
};

} // namespace

struct KernelFiles::OneFile {
    base::Result<Opened> opened;
    bool lies_in_a_place;
};

KernelFiles::OneFile KernelFiles::open_one(const std::filesystem::path& file,
                                           const std::vector<std::filesystem::path>& places) {
    std::error_code ignored;
    const auto holds_it = [&](const std::filesystem::path& place) {
        return std::filesystem::equivalent(place, file, ignored) ||
               std::filesystem::equivalent(place, file.parent_path(), ignored);
    };
    return {open_file(file), std::any_of(places.begin(), places.end(), holds_it)};
}

KernelFiles::KernelFiles(std::vector<std::filesystem::path> places, bool watches, std::function<void()> wake,
                         int niceness)
    : places_(std::move(places)), disk_(1, wake, niceness) {
    Reading first(places_, nullptr);
    catalog_ = std::move(first.catalog);
    if (!watches) return;
    watch_.emplace(wake);
    watch_->watch(watched(places_), std::move(first.look));
}

std::shared_ptr<const catalog::Kernel> KernelFiles::find(const catalog::Kernel& read) const {
    auto known = catalog_.find(read.id);
    return known && known->source == read.source ? known : nullptr;
}

void KernelFiles::read_again() {
    auto work = [places = places_, before = newest()](const std::stop_token&) { return Reading(places, &before); };
    auto done = [this](Reading&& reading) {
        if (watch_) watch_->watch(watched(places_), std::move(reading.look));
        next_ = std::move(reading.catalog);
        if (opened_) arrived_ = std::exchange(opened_, {});
    };
    disk_.start(read_job, std::move(work), std::move(done),
                [this](const base::Error& error) { news_.notices.push_back(error.said()); });
}

void KernelFiles::open(const std::filesystem::path& given) {
    std::error_code ignored;
    const std::filesystem::path file = std::filesystem::absolute(given, ignored);
    auto work = [file, places = places_](const std::stop_token&) { return open_one(file, places); };
    disk_.start(
        "open", std::move(work), [this, file](OneFile&& one) { take_opened(std::move(one), file); },
        [this](const base::Error& error) { news_.notices.push_back(error.said()); });
}

void KernelFiles::take_opened(OneFile one, const std::filesystem::path& file) {
    if (!one.opened) return news_.notices.push_back(one.opened.error().said());
    if (auto* view = std::get_if<View>(&*one.opened)) {
        news_.view = std::move(*view);
        return;
    }
    opened_ = std::get<catalog::Kernel>(std::move(*one.opened));
    if (!one.lies_in_a_place) places_.push_back(file); // in place of one with its name
    read_again();
}

std::optional<catalog::Kernel> KernelFiles::read_written(const std::filesystem::path& file) {
    auto one = open_one(file, places_);
    if (!one.opened) {
        news_.notices.push_back(one.opened.error().said());
        return {};
    }
    auto* kernel = std::get_if<catalog::Kernel>(&*one.opened);
    if (!kernel) return {};
    next_ = catalog::with_file(newest(), file);
    if (!one.lies_in_a_place) places_.push_back(file);
    if (!one.lies_in_a_place || disk_.busy(read_job)) read_again(); // what is being read may be older
    return std::move(*kernel);
}

void KernelFiles::collect() {
    disk_.collect();
    if (watch_ && watch_->take_change()) read_again();
}

FileNews KernelFiles::take_news() {
    FileNews news = std::exchange(news_, {});
    if (!next_) return news;
    const catalog::Catalog before = std::exchange(catalog_, std::move(*next_));
    next_.reset();
    ++reads_;
    const auto is_known = [&](const base::Error& problem) {
        const auto is_it = [&](const base::Error& old) { return old.sentence() == problem.sentence(); };
        return std::any_of(before.problems.begin(), before.problems.end(), is_it);
    };
    for (const base::Error& problem : catalog_.problems)
        if (!is_known(problem)) news.notices.push_back(problem.said());
    for (const auto* list : {&before.kernels, &catalog().kernels})
        for (const auto& kernel : *list)
            if (before.find(kernel->id) != catalog_.find(kernel->id)) news.changed.insert(kernel->id);
    if (const auto kernel = std::exchange(arrived_, {}))
        news.opened = find(*kernel); // the catalogue has said why it has it not
    return news;
}

} // namespace session
