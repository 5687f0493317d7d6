// A kernel file as it describes itself: the TOML in its first comment, and the CUDA source below.
#pragma once

#include "base/dim3.h"
#include "base/result.h"
#include "catalog/operands.h"
#include "catalog/operation.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace catalog {

struct Text { // in both languages; zh falls back to en
    std::string en, zh;
};

struct Parameter {
    std::string name;        // "BM"
    Text meaning;            // "rows of C per block"
    std::vector<int> values; // what the slider offers, ascending
    int initial = 0;
    bool variant = false;    // of what the kernel does, not of how fast: its initial value is what `tune` tunes
                             // and a record tells of the kernel. The host's are such, too
    bool host = false;       // chosen by the host code that launches the kernel: no argument of the template
    Text label;              // a few words for the name: "rows per block"; empty: none
    std::vector<Text> words; // one for each value, where they are kinds and not quantities: "off", "on"; else empty
};

struct Rule {
    std::string expression; // muParser, over the parameters: "BM % TM == 0"
    Text reason;            // one sentence, shown when the rule is broken
};

// What a kernel should be looked at for.
struct Look {
    std::string view; // that shows it, as `gemmscope render` calls it: "banks"; empty: no look
    Text say;         // one sentence
};

// A planted mistake: an edit of the source that a reader may switch on, to see how it is found. The code of the file stays right.
struct Break {
    std::string name;          // "no_second_barrier"
    Text label;                // what the switch says
    Text look;                 // one sentence: what to look for once it is on
    std::string find, replace; // texts of as many lines; `find` occurs once behind the first comment
    std::vector<std::string>
        findings; // the kinds that `check` reports then, one or more of them: "shared_race"; "wrong_result": C is wrong
    std::string when; // where it can show: an expression over the parameters and M, N, K; empty: always
    size_t at = 0;    // where `find` begins in Kernel::source; npos: nowhere, or in several places
};

// A further parameter of the kernel, after C and in the order of the file: 128 bytes, aligned to 64, that
// tell cp.async.bulk.tensor which boxes of a matrix it copies. Elements outside the matrix arrive as zeros.
struct TensorMap {
    char of = 'A';             // the matrix, row-major: A is M x K, B is K x N, C is M x N
    bool to_tf32 = false;      // floats arrive in shared memory rounded to TF32
    std::string rows, columns; // of a box: expressions over the parameters and M, N, K
    std::string swizzle;       // the same; bytes, 0 (none), 32, 64 or 128
    int line = 0;              // of the file, for messages
};

// How host code takes a product whose matrices lie in its own memory through the GPU: expressions over the
// parameters and M, N, K. See measure/stream_plan.h.
struct Stream {
    std::string rows, columns, depth; // elements: of a tile of C, and along K of a piece of A and B
    std::string buffers;              // pieces of A and B that the GPU holds at a time
    std::string cap_mb;               // of the GPU's memory, 1e6 bytes
    int copy_gb_s = 0, gflops = 0;    // what a plan assumes where nothing was recorded; 1e9 a second
};

// Where A and B, and C where it is read, lie before a launch, and how they come to the GPU.
enum class Placement {
    device,      // in the GPU's memory
    first_touch, // managed, in host memory: page by page, when the kernel touches them
    prefetch,    // the same, but the driver moves them before the kernel starts
    resident,    // managed, on the GPU already
};
std::string_view name_of(Placement);                        // "first touch"
std::optional<Placement> placement_named(std::string_view); // nothing: there is none

using Values = std::map<std::string, int>; // parameter name -> value; complete: one for each parameter

class Rules; // rules.h

struct Problem { // C is m x n, the sum runs over k
    int m = 256, n = 256, k = 256;
    bool operator==(const Problem&) const = default;
};

struct Tuned { // the fastest setting that `gemmscope tune` found for one size on one device
    Problem problem;
    Values values;
    double gflops = 0;        // 1e9 operations a second, median of single launches
    double ratio = 0;         // cuBLAS's median time over the kernel's; 0: not known
    std::string device, arch; // "NVIDIA H200", "sm_90"
    int sm_clock_mhz = 0;
    std::string driver, cuda, date, command; // cuda: of the compiler
    bool operator==(const Tuned&) const = default;
};

constexpr int most_row_alignment = 256; // bytes: where arrays themselves begin, on a GPU and in the engine

struct Kernel {
    std::string id;     // the file's stem: "double_buffer"
    std::string family; // "ladder"
    int rung = 0;       // order within the family
    std::string provenance;
    Text title, idea, story;           // a few words; one sentence; a paragraph
    std::vector<Parameter> parameters; // in the order of the template's arguments, the host's among them
    std::vector<Rule> rules;
    Look look;
    std::vector<Break> breaks; // see breaks.h
    // Expressions over the parameters and M, N, K:
    std::string block_x, block_y, grid_x, grid_y, dynamic_shared;
    std::vector<TensorMap> tensor_maps;
    std::optional<Stream> stream; // nothing: its matrices lie in the GPU's memory
    Operation operation = Operation::product;
    OperandType operands = OperandType::f32; // A's and B's elements, of a product
    bool tensor_cores = false;               // they multiply: said of operands that are multiplied_either_way()
    std::string rounding = "1"; // over the parameters: how many times the rounding errors of a plain sum are right
    // Bytes, a power of two: each row of A, B and C begins at a multiple of them, as after cudaMallocPitch,
    // and the kernel is called with leading dimensions. 0: a row begins where the one before it ends.
    uint32_t row_alignment = 0;
    // Over the parameters: 0 first_touch, 1 prefetch, 2 resident; empty: no managed memory.
    std::string managed;
    std::string arch;          // that it needs: "sm_90" and later, or "sm_90a" and no other; empty: any
    std::string path;          // of the file
    std::string source;        // the whole file
    std::string function;      // the template's (or plain kernel's) name in the source; the id
    bool starts_tuned = false; // `tuned = true`: with the nearest of `tuned`, not with the initial values
    std::vector<Tuned> tuned;  // read by load() from the file beside it
    std::shared_ptr<const Rules> compiled_rules; // made by parse(); without them everything below works, slower
};

struct Matrix {                                       // row-major
    int rows = 0, columns = 0;                        // elements
    base::NumberType element = base::NumberType::f32; // or the word that holds 32 of them
    base::Packing packing = base::Packing::none;
    uint64_t padding = 0; // elements behind each row
    base::MatrixLayout layout() const {
        return {static_cast<uint64_t>(rows), static_cast<uint64_t>(columns), packing, padding};
    }
    // From one row to the next: the leading dimension, and the pitch in bytes.
    int leading_dimension() const { return static_cast<int>(layout().leading_dimension()); }
    uint64_t pitch() const { return layout().leading_dimension() * base::bytes_of(element); }
    uint64_t bytes() const { return layout().stored() * base::bytes_of(element); }
};
// 'A', 'B' or 'C'; without rows and columns where the operation has none of that name.
// With `row_alignment` (see Kernel) as it lies in memory, otherwise without padding.
Matrix matrix_of(Problem, Operation, OperandType, char name, uint32_t row_alignment = 0);

struct TensorBox { // what a tensor map copies at a time
    char of = 'A';
    uint32_t rows = 0, columns = 0, swizzle_bytes = 0; // rows and columns: elements
    bool to_tf32 = false;                              // as in TensorMap
    bool operator==(const TensorBox&) const = default;
};

// Whether hardware can copy boxes of the matrix: its rows must be a multiple of 16 bytes (CUDA Driver API,
// cuTensorMapEncodeTiled). Where they are not, the map is 128 zeros and the kernel must do without.
inline bool can_be_mapped(const Matrix& matrix) { return matrix.pitch() % 16 == 0; }

struct LaunchShape {
    base::Dim3 grid, block;
    uint32_t dynamic_shared_bytes = 0;
    std::vector<TensorBox> tensor_maps;
};

struct StreamShape { // as Stream, evaluated
    int rows = 0, columns = 0, depth = 0, buffers = 0;
    uint64_t cap_bytes = 0;
    bool operator==(const StreamShape&) const = default;
};

// One value of a slider: legal, or the first rule that forbids it.
struct Choice {
    int value = 0;
    const Rule* broken = nullptr;
};

const Parameter* find_parameter(const Kernel&, std::string_view name); // nullptr: it has none of that name
std::vector<std::string> parameter_names(const Kernel&);

Values initial_values(const Kernel&);

// The initial values changed by `given`; unknown names, values that are not offered and broken rules are errors
// that say which values would do. A value between those offered is allowed where the rules allow it.
base::Result<Values> with(const Kernel&, const Values& given);

// Has it the initial value of every variant?
bool is_plain(const Kernel&, const Values&);

// Every legal setting of the offered values, variants at their initial ones, in their order; an error if
// there are more than `most`.
base::Result<std::vector<Values>> legal_settings(const Kernel&, size_t most);

// The rules that `values` break; empty if all is well.
std::vector<const Rule*> broken_rules(const Kernel&, const Values& values);

// Every value of parameter `name`, the others as in `values`.
std::vector<Choice> choices(const Kernel&, const Values& values, std::string_view name);

// The legal setting nearest to `values` that has `name` = `value`, others moved as little as possible; an error
// (with the reason) if there is none. Sliders use it so that a drag never gets stuck between two rules.
base::Result<Values> nearest_legal(const Kernel&, const Values& values, std::string_view name, int value);

base::Result<LaunchShape> launch_shape(const Kernel&, const Values&, Problem);

// Kernel::rounding of a setting, for catalog::tolerance(). Errors: it is not 1 to 1000.
base::Result<uint32_t> rounding(const Kernel&, const Values&);

// Of a setting's matrices. Errors: Kernel::managed is not 0 to 2.
base::Result<Placement> placement(const Kernel&, const Values&);

// Errors: the kernel says nothing of streaming; values that are no sizes.
base::Result<StreamShape> stream_shape(const Kernel&, const Values&, Problem);

// What to compile the kernel for where `arch` ("sm_90") is asked for: the same, or its form with all features
// of that one architecture ("sm_90a"), where the kernel needs it. Errors: it cannot run there.
base::Result<std::string> target(const Kernel&, const std::string& arch);

// The C++ name to instantiate: "double_buffer<128, 128, 8, 8, 8>", or the plain name.
std::string instantiation(const Kernel&, const Values&);

} // namespace catalog
