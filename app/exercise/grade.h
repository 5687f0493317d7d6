// Whether a kernel is a solution: each rule of the exercise, step by step, executed on the CPU. No GPU, no simulated time.
#pragma once

#include "exercise/exercise.h"
#include "trace/trace.h"

#include <stop_token>

namespace exercise {

struct GradeOptions {
    std::string
        seed; // what sizes and inputs are drawn by: a student's number, a teacher's secret; empty: the usual inputs
    double limit_s = 60; // after which the grader stops and says so
    int threads = 1;
};

// The first thing to look at: a sentence, where it is, and how to see it.
struct Look {
    base::Sentence text;
    std::string file; // that it is in; empty: no place
    int line = 0;     // 0: none
    std::string view; // as `gemmscope render` calls it; empty: none
    std::optional<catalog::Problem> size;
    trace::Schedule schedule;
    double alpha = 1, beta = 0;
    uint64_t seed = 1;            // of the inputs
    catalog::Values parameters;   // that the rule names
    std::optional<uint32_t> step; // of the traced block: what happens there; none: the view's own
};

struct Judged { // a rule
    enum class Standing {
        passed,
        failed,
        unknown, // this machine or the time limit does not let it be judged
        waiting, // a step before it has not passed
    };
    size_t step = 0; // index into Exercise::steps
    const Rule* rule =
        nullptr; // of the exercise, which must live; nullptr: that the kernel compiles, which holds in each exercise
    Standing standing = Standing::waiting;
    base::Sentence wanted, got;
    std::optional<double> bound, value;      // of a figure
    std::optional<trace::FindingKind> found; // what a check found
    std::optional<Look> look;                // where it has not passed
};

struct Verdict {
    std::string file;
    std::vector<Judged> rules;                     // all, in the order of the steps
    std::vector<trace::Finding> findings;          // of the first run that has some, the nearest to the cause first
    std::shared_ptr<const trace::Listing> listing; // that they count in
    bool of_machine_code = true; // all figures that count instructions; else one at least is of the PTX
    double wall_s = 0;

    bool passed() const;
    const Judged* first() const; // that has not passed; nullptr: all have
    int points() const, most_points() const;
};

// `source`: the text of `file`, whose folder its #include lines are looked for in. A kernel that is wrong in any way is a verdict.
Verdict grade(const Exercise&, const std::string& source, const std::filesystem::path& file, const GradeOptions&,
              std::stop_token = {});

std::string number_text(double); // "8,192", "0.25"

} // namespace exercise
