// A planted mistake as an exercise: which lines are in conflict? The answer is what the engine finds, computed each time.
#pragma once

#include "base/result.h"
#include "exercise/exercise.h"
#include "trace/trace.h"

#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace exercise {

using Lines = std::vector<int>; // of a kernel's file, from 1, ascending, each once

struct Race {
    std::string kernel, mistake; // a catalogue id, and the name of its catalog::Break
    std::string code;            // as handed out: with the mistake and without the first comment, which tells it
    int first_line = 1;          // of the file, that `code` begins with
    catalog::Problem size;       // that it was executed at
    // What the findings of the first kind that the file declares name, over several orders of the warps: of two accesses in
    // conflict their lines, one where it is the same line; where no finding names another access, all lines. One or more.
    std::set<Lines> answers;
    bool same_in_every_order = false; // and the same in each: what an exercise of the program's library must be
    std::set<std::string> kinds;      // that were found, wrong_result left out: "shared_race"
    trace::Finding finding;           // one of those that are asked for
    size_t lines() const;             // how many to ask for: 1 or 2, of findings without another access also more
};

// Executes the kernel with the mistake in each of these orders of the warps. Errors: it has no such mistake; the mistake cannot show
// at sizes that are quickly executed, or does not; the kernel cannot be compiled here.
base::Result<Race> race(const catalog::Kernel&, const std::string& mistake, int threads, std::stop_token = {});
std::span<const trace::Schedule> race_schedules();

// "12,15": lines in any order, each once or again. Errors say what can be written.
base::Result<Lines> parse_lines(std::string_view);
bool judge(const Race&, const Lines&); // whether they are one of the answers
std::string to_text(const Lines&);     // "12, 15"

// "  35  __shared__ float s[128];": as an editor numbers the kernel's file.
std::string numbered_code(const Race&);

// The broken kernel as a file of its own: its first comment no longer tells the mistakes, and every line stands where it stood.
base::Result<std::string> race_starter(const catalog::Kernel&, const std::string& mistake);
// The exercise of mending that: nothing is found in any of these orders of the warps, and C is right. Errors as of race_starter().
base::Result<Exercise> mending(const catalog::Kernel&, const std::string& mistake);

// "mirror:stale" taken apart and looked up; without a mistake the kernel's first. Errors: there is no such kernel or mistake.
struct NamedRace {
    std::shared_ptr<const catalog::Kernel> kernel;
    const catalog::Break* mistake = nullptr; // of the kernel
};
base::Result<NamedRace> find_race(std::span<const std::shared_ptr<const catalog::Kernel>>, std::string_view name);

} // namespace exercise
