// How far predicted times are from those that a GPU measured, kernel by kernel: what `gemmscope judge --output` writes.
#pragma once

#include "base/fields.h"
#include "catalog/kernel.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace measure {

// What some points come to. An error is predicted over measured time, less 1: with 0.1 the kernel is predicted a tenth too slow.
struct Accuracy {
    size_t points = 0;
    double median = 0, p90 = 0, worst = 0; // of the magnitude of the errors
    double bias = 0;                       // the median with its sign
    double low = 0, high = 0;              // the errors' 10th and 90th percentile
    // Kendall's tau (Kendall 1938, tau-a) along each slider, settings that differ in it alone, three or more: the median over such
    // lines; nothing: there is no line.
    std::optional<double> tau;
    size_t lines = 0;
    bool operator==(const Accuracy&) const = default;
};

struct AccuracyRow { // of one kernel
    std::string kernel;
    std::string code;                     // catalog::code_hash(): of another code nothing is said
    std::optional<catalog::Problem> size; // nothing: of all sizes together
    Accuracy accuracy;
    bool operator==(const AccuracyRow&) const = default;
};

struct AccuracyRecord {
    std::string device, arch;           // that measured, and that was predicted for
    std::string measured;               // by which driver and compiler, and when
    std::string half, rule;             // of the settings: "judged", and how it was chosen
    std::string command, date, version; // version: of the program
    std::vector<AccuracyRow> rows;
};

base::FieldsWriter fields_of(const AccuracyRow&);

// {"provenance":{...}} on the first line, then a line a row.
std::string text_of(const AccuracyRecord&);
// Of such a text; `path` is for messages. Errors name file and line, and say which figure cannot be.
base::Result<AccuracyRecord> accuracy_record_from(std::string_view text, const std::filesystem::path& path);
base::Result<AccuracyRecord> read_accuracy_record(const std::filesystem::path&);

} // namespace measure
