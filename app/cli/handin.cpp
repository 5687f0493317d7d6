// handin: a student's answers, kernels, state and predictions as one file, and what is in such a file.
#include "base/file.h"
#include "cli/command.h"
#include "cli/json.h"
#include "exercise/hand_in.h"
#include "lesson/answers.h"

#include <fmt/format.h>

namespace cli {
namespace {

using base::Error;
using base::Failure;

struct HandInCommand { // as typed
    std::string work, student, state, predictions, output, extract;
    bool json = false;
};

Json hand_in_json(const exercise::HandIn& one) {
    Json sources = Json::array();
    for (const auto& [name, text] : one.sources) sources.push_back(name);
    return {{"student", one.student},    {"time", one.time},
            {"program", one.program},    {"compiler", one.compiler},
            {"answers", one.answers},    {"sources", std::move(sources)},
            {"view", !one.view.empty()}, {"predictions", one.predictions.size()}};
}

std::string contents_text(const exercise::HandIn& one) {
    std::string text =
        fmt::format("{}, {}, gemmscope {}, {}\n", one.student, one.time.empty() ? "not dated" : one.time,
                    one.program.empty() ? "unknown" : one.program, one.compiler.empty() ? "no compiler" : one.compiler);
    for (const auto& [id, answer] : one.answers) text += fmt::format("  {} = {}\n", id, answer);
    for (const auto& [name, source] : one.sources) text += fmt::format("  {}, {} bytes\n", name, source.size());
    text += fmt::format("  {} predictions, {}\n", one.predictions.size(), one.view.empty() ? "no state" : "a state");
    return text;
}

// Into a folder that it may make: the files as they were handed in.
base::Status extract(const exercise::HandIn& one, const std::filesystem::path& folder) {
    for (const auto& [name, text] : one.sources)
        if (auto written = base::write_file(folder / name, text); !written) return written;
    if (!one.view.empty())
        if (auto written = base::write_file(folder / "view.json", one.view); !written) return written;
    return base::Done{};
}

base::Status make(const HandInCommand& command, exercise::HandIn one) {
    if (!command.student.empty()) one.student = command.student;
    if (!command.state.empty()) {
        auto view = base::read_named(command.state);
        if (!view) return view.error();
        if (auto known = session::view_from_json(*view); !known) return known.error();
        one.view = std::move(*view);
    }
    const auto answers =
        command.predictions.empty() ? lesson::own_answers() : std::filesystem::path(command.predictions);
    if (auto stamped = exercise::stamp(one, answers); !stamped) return stamped;
    if (auto written = exercise::write_hand_in(command.output, one); !written) return written;
    auto again = exercise::read_hand_in(command.output); // what is too large is told now, not by the teacher
    if (!again) return again.error();
    print(contents_text(*again));
    return base::Done{};
}

base::Status hand_in(const HandInCommand& command) {
    auto work = exercise::read_hand_in(command.work);
    if (!work) return work.error();
    if (!command.output.empty()) return make(command, std::move(*work));
    if (!command.extract.empty())
        if (auto done = extract(*work, command.extract); !done) return done;
    print(command.json ? line(hand_in_json(*work)) : contents_text(*work));
    return base::Done{};
}

} // namespace

Action define_handin(Options& app, const Common&) {
    auto command = std::make_shared<HandInCommand>();
    app.add_option("WORK", command->work, "a folder with answers.toml and .cu files, or FILE.gemm").required();
    app.add_option("-o,--output", command->output, "the hand-in file to write").type_name("FILE.gemm");
    app.add_option("--student", command->student, "the student's number (the folder's name)").type_name("ID");
    app.add_option("--state", command->state, "a saved view to include").type_name("FILE.json");
    app.add_option("--predictions", command->predictions, "answers given in lessons, to include (your own)")
        .type_name("FILE");
    app.add_option("--extract", command->extract, "write the hand-in's kernels and state into this folder")
        .type_name("DIR");
    app.add_flag("--json", command->json, "print one JSON object");
    return [command] { return hand_in(*command); };
}

} // namespace cli
