// An item of a sheet as one student is asked it, and its answer as the engine computes it: the teacher's key.
#pragma once

#include "exercise/race.h"
#include "exercise/sheet.h"
#include "lesson/executions.h"

namespace exercise {

struct Asked {
    const Item* item = nullptr;       // of the sheet, which must live
    catalog::Values drawn;            // variables
    catalog::Text ask;                // with their values
    std::string seed;                 // of an exercise: what its sizes are drawn by
    session::Subject subject;         // of a number about a kernel
    std::optional<double> answer;     // of a number
    std::shared_ptr<const Race> race; // whose lines are asked for
    catalog::Text story;              // of its kernel
    base::Sentence basis;             // of a number: what it counts, where a reader could take it for something else
};

// Each student's number draws its own, the same on every machine. What is drawn is legal: a setting that breaks a rule of the kernel is drawn
// anew. Errors: the answer cannot be computed, or nothing that was drawn is legal.
base::Result<Asked> ask(const Sheet&, const Item&, const std::string& student, lesson::Executions&);

bool is_right(const Asked&, double given);

} // namespace exercise
