// What the plot draws from the series: which belong together, which are shown, and one figure for a kernel at
// a size.
#pragma once

#include "analysis/intensity.h"
#include "session/session.h"
#include "views/strings.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace views {

// The series of one origin on one device: they were measured under the same conditions and may be compared. In one that is
// completed(), each beside the cuBLAS of its own origin.
struct SeriesGroup {
    measure::Origin origin = measure::Origin::recorded;
    std::string device;
    std::vector<const measure::Series*> series;
};

// Live first, then recorded, then published; of each those with kernels before those of references alone,
// such as a CPU's. Pointers into `all`.
std::vector<SeriesGroup> series_groups(const std::vector<measure::Series>& all);

// What was measured here, completed by what was recorded on the same device; any other group as it is.
SeriesGroup completed(SeriesGroup, const std::vector<SeriesGroup>& all);

// The same groups with their series of one type of operands; those that have none are left out. FP32, TF32,
// bf16 and FP64 are four races, each with its own cuBLAS: a picture shows one.
std::vector<SeriesGroup> of_operands(std::vector<SeriesGroup>, catalog::Operation, catalog::OperandType);

// cuBLAS as it multiplies operands of the type, of the group; nullptr: it was not measured.
const measure::Series* cublas_of(const SeriesGroup&, catalog::OperandType);

// What is shown until the user chooses: measured groups, or the published ones where nothing was measured.
bool shown_at_first(const std::vector<SeriesGroup>&, size_t group);

// Edge of the matrix that a sample counts as on the axis of sizes: the square root of M times N.
double edge(const measure::Sample&);

// The samples that make a curve over size: where there are two cubes (M = N = K) or more, those, ascending; else all.
std::vector<measure::Sample> curve(const measure::Series&);

// The fastest sample of `kernel` in the group at exactly this size: tile parameters may differ between
// series. What was measured here goes before what was recorded.
struct Figure {
    const measure::Series* series = nullptr;
    measure::Sample sample;
};
std::optional<Figure> figure(const SeriesGroup&, const std::string& kernel, const catalog::Problem&);
// The group's cuBLAS at this size; nothing where it was not measured.
std::optional<Figure> reference_figure(const SeriesGroup&, catalog::OperandType, const catalog::Problem&);
// GFLOPS of the cuBLAS that the sample of this series stands beside, of the same operands, origin and size; 0: not measured.
double reference_of(const SeriesGroup&, const measure::Series&, const measure::Sample&);

// The kernels that a picture sets side by side: those of the subject's family, and the baseline. All where
// there is no such kernel.
std::vector<std::shared_ptr<const catalog::Kernel>> compared_kernels(const session::Session&);

// The sizes at which any series of the group has a sample, ascending, each once.
std::vector<catalog::Problem> sizes(const SeriesGroup&);
// How far apart two sizes are: as factors of their edges, then of their shapes. Equal sizes are 0 apart.
std::pair<double, double> distance(const catalog::Problem&, const catalog::Problem&);
// The one nearest to `wanted`; nothing: there are none.
std::optional<catalog::Problem> nearest_of(const std::vector<catalog::Problem>&, const catalog::Problem& wanted);
// Of sizes() likewise.
std::optional<catalog::Problem> nearest_size(const SeriesGroup&, const catalog::Problem& wanted);

// The entry of analysis::devices() that a driver's device name ("Tesla V100-SXM2-16GB") means; nullptr if
// none does.
const analysis::Device* device_named(const std::string& name);

// A device of this machine, else a recorded one, and whose peaks were measured: its own, else those recorded on another of
// its name. nullptr: nothing is known.
struct KnownDevice {
    const session::DeviceRecord* record = nullptr;
    const session::DeviceRecord* measured = nullptr;
    const measure::Peaks* peaks() const { return measured ? &*measured->measured : nullptr; }
};
// `name`: the driver's; empty: any. Pointers into the arguments.
KnownDevice known_device(const std::optional<session::DeviceRecord>& here,
                         const std::vector<session::DeviceRecord>& recorded, const std::string& name);

// "NVIDIA H200 · 1980 MHz · driver 580.1 · CUDA 13.0 · 2026-11-20", of what is known.
std::string provenance(const Strings&, const measure::Series&);
std::string size_text(int m, int n, int k);      // "4096³" or "128 × 128 × 1024"
const char* operands_text(catalog::OperandType); // "FP32", "TF32", "BF16", "FP64", "B1": alike in every language

} // namespace views
