// One product streamed through a GPU: its plan, and when each operation ran, as measured there or as planned.
#pragma once

#include "base/fields.h"
#include "measure/stream_plan.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace measure {

struct StreamRecord {
    std::string kernel; // catalogue id
    catalog::Values parameters;
    catalog::Problem problem;
    catalog::OperandType operands = catalog::OperandType::f32;
    catalog::StreamShape shape;    // as the kernel says, not cut to the problem
    bool with_c = false;           // beta was not 0
    std::vector<StreamTime> times; // of the plan's operations
    bool measured = false;
    StreamSpeed assumed;      // what it was planned with; nothing where it was measured
    double in_core_ms = 0;    // of one launch of the same kernel on whole matrices in the GPU's memory; 0: they
                              // do not fit, or it was not measured
    double max_rel_error = 0; // of sampled elements, as in BenchPoint
    // cuda: of the compiler. Of a plan the device that the assumed speed was recorded on, or nothing.
    std::string device, driver, cuda, date, command;
    std::string file; // its name; empty: made here
    base::Result<StreamPlan> plan() const { return stream_plan(problem, shape, operands, with_c); }
    bool operator==(const StreamRecord&) const = default;
};

// The record of these problem and parameters?
bool is_of(const StreamRecord&, std::string_view kernel, const catalog::Values&, const catalog::Problem&);

// One line, without `file`; times are whole microseconds. With figures that follow from the times, for
// readers of the file.
std::string to_json(const StreamRecord&);
// Errors name the field.
base::Result<StreamRecord> stream_record_from_json(std::string_view);
// As a part of other JSON.
base::FieldsWriter fields_of(const StreamRecord&);
base::Result<StreamRecord> stream_record_from(base::Fields);
// A file of such lines. Errors name the file and the line, too.
base::Result<std::vector<StreamRecord>> read_stream_records(const std::filesystem::path&);

} // namespace measure
