#include "views/plot_data.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <tuple>

namespace views {
namespace {

bool same_size(const measure::Sample& sample, const catalog::Problem& size) {
    return sample.m == size.m && sample.n == size.n && sample.k == size.k;
}

} // namespace

std::vector<SeriesGroup> series_groups(const std::vector<measure::Series>& all) {
    std::vector<SeriesGroup> groups;
    for (const measure::Series& series : all) {
        if (series.samples.empty()) continue;
        auto group = std::find_if(groups.begin(), groups.end(), [&](const SeriesGroup& candidate) {
            return candidate.origin == series.origin && candidate.device == series.device;
        });
        if (group == groups.end()) group = groups.insert(groups.end(), {series.origin, series.device, {}});
        group->series.push_back(&series);
    }
    const auto rank = [](const SeriesGroup& group) {
        const bool references = std::none_of(group.series.begin(), group.series.end(),
                                             [](const auto* series) { return !series->kernel.empty(); });
        return std::pair(group.origin, references);
    };
    std::stable_sort(groups.begin(), groups.end(),
                     [&](const SeriesGroup& a, const SeriesGroup& b) { return rank(a) < rank(b); });
    return groups;
}

SeriesGroup completed(SeriesGroup group, const std::vector<SeriesGroup>& all) {
    if (group.origin != measure::Origin::live) return group;
    for (const SeriesGroup& other : all)
        if (other.origin == measure::Origin::recorded && other.device == group.device)
            group.series.insert(group.series.end(), other.series.begin(), other.series.end());
    return group;
}

std::vector<SeriesGroup> of_operands(std::vector<SeriesGroup> groups, catalog::Operation operation,
                                     catalog::OperandType type) {
    for (SeriesGroup& group : groups)
        std::erase_if(group.series, [&](const measure::Series* series) {
            return series->operation != operation || series->operands != type;
        });
    std::erase_if(groups, [](const SeriesGroup& group) { return group.series.empty(); });
    return groups;
}

const measure::Series* cublas_of(const SeriesGroup& group, catalog::OperandType type) {
    for (const measure::Series* series : group.series)
        if (series->operands == type && measure::is_cublas(*series)) return series;
    return nullptr;
}

bool shown_at_first(const std::vector<SeriesGroup>& groups, size_t group) {
    const bool measured = !groups.empty() && groups.front().origin != measure::Origin::published;
    return !measured || groups[group].origin != measure::Origin::published;
}

double edge(const measure::Sample& sample) { return std::sqrt(double(sample.m) * sample.n); }

std::vector<measure::Sample> curve(const measure::Series& series) {
    std::vector<measure::Sample> cubes;
    for (const measure::Sample& sample : series.samples)
        if (sample.m == sample.n && sample.n == sample.k) cubes.push_back(sample);
    return cubes.size() < 2 ? series.samples : cubes;
}

std::optional<Figure> figure(const SeriesGroup& group, const std::string& kernel, const catalog::Problem& size) {
    const measure::Series* its_series = nullptr;
    const measure::Sample* best = nullptr;
    const auto rank = [](const measure::Series& series, const measure::Sample& sample) {
        return std::tuple(-static_cast<int>(series.origin), sample.gflops);
    };
    for (const measure::Series* series : group.series) {
        if (series->kernel != kernel) continue;
        for (const measure::Sample& sample : series->samples) {
            if (!same_size(sample, size)) continue;
            if (!best || rank(*series, sample) > rank(*its_series, *best)) its_series = series, best = &sample;
        }
    }
    return best ? std::optional(Figure{its_series, *best}) : std::nullopt;
}

std::optional<Figure> reference_figure(const SeriesGroup& group, catalog::OperandType type,
                                       const catalog::Problem& size) {
    for (const measure::Series* series : group.series)
        if (series->operands == type && measure::is_cublas(*series))
            for (const measure::Sample& sample : series->samples)
                if (same_size(sample, size)) return Figure{series, sample};
    return std::nullopt;
}

double reference_of(const SeriesGroup& group, const measure::Series& of, const measure::Sample& at) {
    for (const measure::Series* series : group.series)
        if (series->operands == of.operands && series->origin == of.origin && measure::is_cublas(*series))
            for (const measure::Sample& sample : series->samples)
                if (same_size(sample, {at.m, at.n, at.k})) return sample.gflops;
    return 0;
}

std::vector<std::shared_ptr<const catalog::Kernel>> compared_kernels(const session::Session& session) {
    const auto current = session.kernel();
    if (!current) return session.catalog().kernels;
    auto kernels = session.catalog().of_family(current->family);
    const auto& pinned = session.view().baseline;
    const auto baseline = pinned ? session.catalog().find(pinned->kernel) : nullptr;
    if (baseline && baseline->family != current->family) kernels.push_back(baseline);
    return kernels;
}

std::vector<catalog::Problem> sizes(const SeriesGroup& group) {
    std::vector<catalog::Problem> found;
    const auto key = [](const catalog::Problem& p) { return std::tuple(double(p.m) * p.n, p.m, p.n, p.k); };
    for (const measure::Series* series : group.series)
        for (const measure::Sample& sample : series->samples) found.push_back({sample.m, sample.n, sample.k});
    std::sort(found.begin(), found.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    found.erase(std::unique(found.begin(), found.end(), [&](const auto& a, const auto& b) { return key(a) == key(b); }),
                found.end());
    return found;
}

std::pair<double, double> distance(const catalog::Problem& a, const catalog::Problem& b) {
    const auto edge_of = [](const catalog::Problem& p) { return std::sqrt(double(p.m) * p.n); };
    const auto factor = [](double x, double y) { return std::abs(std::log(x / y)); };
    return {factor(edge_of(a), edge_of(b)),
            factor(a.k / edge_of(a), b.k / edge_of(b)) + factor(double(a.m) / a.n, double(b.m) / b.n)};
}

std::optional<catalog::Problem> nearest_of(const std::vector<catalog::Problem>& all, const catalog::Problem& wanted) {
    const auto best = std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
        return distance(a, wanted) < distance(b, wanted);
    });
    if (best == all.end()) return std::nullopt;
    return *best;
}

std::optional<catalog::Problem> nearest_size(const SeriesGroup& group, const catalog::Problem& wanted) {
    return nearest_of(sizes(group), wanted);
}

const analysis::Device* device_named(const std::string& name) {
    const std::string wanted = base::lower(name);
    const analysis::Device* best = nullptr;
    int most = 0;
    for (const analysis::Device& device : analysis::devices()) {
        int found = 0;
        bool model = false; // the word with a digit: "H200", "4090"
        std::istringstream words(base::lower(device.name));
        for (std::string word; words >> word;) {
            const bool there = wanted.find(word) != std::string::npos;
            const bool other_board = (word == "sxm" || word == "sxm2") && wanted.find("pcie") != std::string::npos;
            if (other_board) found = -1000;
            found += there;
            if (there && word.find_first_of("0123456789") != std::string::npos && word != "sxm2") model = true;
        }
        if (model && found > most) most = found, best = &device;
    }
    return best;
}

KnownDevice known_device(const std::optional<session::DeviceRecord>& here,
                         const std::vector<session::DeviceRecord>& recorded, const std::string& name) {
    std::vector<const session::DeviceRecord*> all; // of this machine before recorded ones
    if (here) all.push_back(&*here);
    for (const session::DeviceRecord& each : recorded) all.push_back(&each);
    KnownDevice known;
    for (const session::DeviceRecord* each : all) {
        if (known.record ? each->device.name != known.record->device.name : !name.empty() && each->device.name != name)
            continue;
        if (!known.record) known.record = each;
        if (!known.measured && each->measured) known.measured = each;
    }
    return known;
}

std::string provenance(const Strings& tr, const measure::Series& series) {
    std::string text;
    const auto append = [&](const std::string& part) {
        if (!part.empty()) text += (text.empty() ? "" : " · ") + part;
    };
    append(series.device);
    append(series.clock);
    if (!series.driver.empty()) append(std::string(tr("plot.driver")) + " " + series.driver);
    append(series.compiler);
    append(series.date);
    return text;
}

const char* operands_text(catalog::OperandType type) {
    switch (type) {
    case catalog::OperandType::f32: return "FP32";
    case catalog::OperandType::tf32: return "TF32";
    case catalog::OperandType::bf16: return "BF16";
    case catalog::OperandType::f64: return "FP64";
    case catalog::OperandType::b1: return "B1";
    }
    return "";
}

std::string size_text(int m, int n, int k) {
    return m == n && n == k ? fmt::format("{}³", m) : fmt::format("{} × {} × {}", m, n, k);
}

} // namespace views
