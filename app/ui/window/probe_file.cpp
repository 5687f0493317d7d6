#include "ui/window/probe_file.h"

#include "base/file.h"
#include "exercise/verdict_words.h"
#include "ui/code/editor.h"
#include "ui/course/classroom.h"
#include "ui/course/workbench.h"
#include "ui/panel.h"
#include "ui/result/live_result.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <memory>

namespace ui {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
const char* face_name(const session::Slot<T>& slot) {
    constexpr std::array names{"empty", "computing", "ready", "failed"};
    return names[static_cast<size_t>(slot.face)];
}

Json faces(const session::Products& products) {
    return {{"prepared", face_name(products.prepared)},
            {"block", face_name(products.block)},
            {"grid", face_name(products.grid)},
            {"machine", face_name(products.machine)},
            {"state", face_name(products.state)}};
}

Json editor_state(const Editor* editor) {
    constexpr std::array shown_names{"text", "difference", "versions"};
    const Editor::Document* document = editor ? editor->document() : nullptr;
    if (!document) return nullptr;
    Json faults = Json::array();
    for (const compile::Diagnostic& fault : document->faults) faults.push_back(fault.line);
    return {{"file", document->file.string()},
            {"focused", editor->focused()},
            {"edited", editor->edited()},
            {"theirs", document->theirs},
            {"shown", shown_names[static_cast<size_t>(editor->shown())]},
            {"lines", document->text.lines()},
            {"line", document->text.place_of(document->text.cursor()).line + 1},
            {"faults", std::move(faults)}};
}

Json exercise(const Context& context) {
    if (!context.workbench || !context.workbench->verdict()) return nullptr;
    const exercise::Verdict& verdict = *context.workbench->verdict();
    Json out = {{"id", context.view.course.exercise},
                {"passed", verdict.passed()},
                {"points", verdict.points()},
                {"first", nullptr}};
    const exercise::Judged* first = verdict.first();
    if (!first) return out;
    out["first"] = first - verdict.rules.data();
    out["hint"] = exercise::hint_text(*first, context.tr);
    if (first->look) out["line"] = first->look->line;
    if (first->look && first->look->size)
        out["size"] = {first->look->size->m, first->look->size->n, first->look->size->k};
    return out;
}

// Of each what became of trying it; null: nothing yet.
Json machines(const session::Machines& all) {
    Json out = Json::object();
    for (const session::Machine& machine : all.all()) {
        const session::MachineTrial* const trial = all.trial(machine.command);
        Json& one = out[machine.name] = {{"chosen", all.chosen(machine)}, {"answer", nullptr}};
        if (!trial || !trial->outcome()) continue;
        const auto& outcome = *trial->outcome();
        one["answer"] = outcome ? outcome->devices.front().name : outcome.error().sentence();
        if (outcome) one["round_trip_ms"] = outcome->round_trip_ms;
    }
    return out;
}

Json long_turns(const Turns& turns) {
    Json out = Json::array();
    for (const LongTurn& turn : turns.longest()) {
        Json parts = Json::object();
        for (size_t i = 0; i < turn.part_ms.size(); ++i)
            if (turn.part_ms[i] >= 1) parts[turn_part_names[i]] = std::lround(turn.part_ms[i]);
        out.push_back({{"ms", turn.ms},
                       {"cpu_ms", turn.cpu_ms},
                       {"part_ms", std::move(parts)},
                       {"shown", Json::parse(turn.shown)}});
    }
    return out;
}

} // namespace

void ProbeFile::write(const Context& context, const Turns& turns, int frame, bool settled) {
    constexpr std::array gpu_names{"unknown", "absent", "idle", "running", "failed"};
    constexpr std::array page_names{"none", "start", "lessons", "exercises", "files", "machines", "log"};
    constexpr std::array prediction_names{"open", "wrong", "right", "told"};
    constexpr std::array result_names{"none", "waiting", "running", "shown", "wrong", "unverified", "failed"};
    constexpr std::array field_names{"none", "block", "warp", "lane"};
    const session::Session& session = context.session;
    const ImGuiIO& io = ImGui::GetIO();
    Json marks = Json::object();
    for (const Mark& mark : context.probe.marks())
        marks[mark.name] = {std::lround(mark.x), std::lround(mark.y), std::lround(mark.width),
                            std::lround(mark.height)};
    Json notices = Json::array();
    for (const Notice& notice : context.chrome.notices) notices.push_back(notice.text);
    Json out = {{"settled", settled},
                {"busy", session.busy()},
                {"faces", faces(session.products())},
                {"gpu", gpu_names[static_cast<size_t>(session.gpu().face)]},
                {"gpu_doing", session.gpu().doing.english()},
                {"gpu_reason", session.gpu().reason.english()},
                {"machines", machines(session.machines())},
                {"result", result_names[context.result ? static_cast<size_t>(context.result->gpu().face) : 0]},
                {"help", context.chrome.help},
                {"page", page_names[static_cast<size_t>(context.chrome.page)]},
                {"log_step", context.chrome.log_step},
                {"prediction", context.classroom
                                   ? prediction_names[static_cast<size_t>(context.classroom->prediction().state)]
                                   : nullptr},
                {"away", context.classroom && context.classroom->away(session)},
                {"exercise", exercise(context)},
                {"field", field_names[static_cast<size_t>(context.chrome.entry.field)]},
                {"slider", context.chrome.focused_parameter},
                {"mouse", {std::lround(io.MousePos.x), std::lround(io.MousePos.y), io.MouseDown[0]}},
                {"editor", editor_state(context.editor)},
                {"notices", std::move(notices)},
                {"view", Json::parse(session::to_json(session.view()))},
                {"marks", std::move(marks)}};
    const auto text_of = [&](int indent) { // file names may be no UTF-8
        return out.dump(indent, ' ', false, Json::error_handler_t::replace);
    };
    std::string text = text_of(-1);
    if (text == last_) return;
    last_ = text;
    out["frame"] = frame;
    out["turns"] = turns.histogram();
    out["longest"] = long_turns(turns);
    out["remembered_bytes"] =
        session.remembered_bytes() + (context.classroom ? context.classroom->remembered_bytes() : 0);
    // A test that waits for the file notices that it does not come; the user's window is not to suffer. Nor are frames to wait for the disk.
    (void)base::write_file(path_, text_of(1), base::Survives::crash);
}

std::function<void(const session::View&)> log_of_views(const std::filesystem::path& probe_file) {
    std::filesystem::path path = probe_file;
    path += ".views";
    return [log = std::make_shared<std::ofstream>(path, std::ios::app)](const session::View& view) {
        *log << Json::parse(session::to_json(view)).dump() << std::endl;
    };
}

} // namespace ui
