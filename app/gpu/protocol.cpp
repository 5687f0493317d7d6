#include "gpu/protocol.h"

#include "base/number.h"
#include "gpu/base64.h"
#include "gpu/stream_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <span>

namespace gpu {
namespace {

using nlohmann::ordered_json;

constexpr int largest_problem = 1 << 20; // of one dimension

std::string line_of(const ordered_json& json) { return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace); }

const char* const phase_names[] = {"inputs", "verify", "warm_up", "samples", "back_to_back"};

ordered_json json_of(base::Dim3 d) { return {{"x", d.x}, {"y", d.y}, {"z", d.z}}; }

base::Dim3 dim3_from(Fields fields, Fields& outer) {
    auto axis = [&](const char* name) { return static_cast<uint32_t>(fields.integer(name, 1)); };
    base::Dim3 value{axis("x"), axis("y"), axis("z")};
    outer.adopt(fields);
    return value;
}

ordered_json json_of(const std::vector<catalog::TensorBox>& maps) {
    ordered_json json = ordered_json::array();
    for (const catalog::TensorBox& box : maps)
        json.push_back({{"of", std::string(1, box.of)},
                        {"rows", box.rows},
                        {"columns", box.columns},
                        {"swizzle_bytes", box.swizzle_bytes}});
    return json;
}

catalog::TensorBox tensor_box_from(Fields fields, Fields& outer) {
    catalog::TensorBox box;
    const std::string of = fields.text("of");
    if (of != "A" && of != "B" && of != "C")
        fields.fail("launch.tensor_maps.of is no matrix");
    else
        box.of = of[0];
    box.rows = static_cast<uint32_t>(fields.integer("rows", 1));
    box.columns = static_cast<uint32_t>(fields.integer("columns", 1));
    box.swizzle_bytes = static_cast<uint32_t>(fields.integer("swizzle_bytes", 0));
    outer.adopt(fields);
    return box;
}

catalog::Problem problem_from(Fields& fields) {
    catalog::Problem problem;
    problem.m = fields.integer("m", 1, largest_problem);
    problem.n = fields.integer("n", 1, largest_problem);
    problem.k = fields.integer("k", 1, largest_problem);
    return problem;
}

ordered_json json_of(const Launch& l) {
    return {{"kernel", l.kernel},
            {"parameters", l.parameters},
            {"image", to_base64(l.image)},
            {"entry", l.entry},
            {"cuda", l.cuda},
            {"grid", json_of(l.grid)},
            {"block", json_of(l.block)},
            {"dynamic_shared_bytes", l.dynamic_shared_bytes},
            {"tensor_maps", json_of(l.tensor_maps)},
            {"m", l.problem.m},
            {"n", l.problem.n},
            {"k", l.problem.k},
            {"operation", catalog::name_of(l.operation)},
            {"operands", catalog::name_of(l.operands)},
            {"row_alignment", l.row_alignment},
            {"placement", catalog::name_of(l.placement)},
            {"alpha", l.alpha},
            {"beta", l.beta},
            {"seed", l.seed},
            {"rounding", l.rounding}};
}

Launch launch_from(Fields fields, Fields& outer) {
    Launch l;
    l.kernel = fields.text("kernel");
    l.parameters = fields.integers("parameters");
    auto image = from_base64(fields.text("image"));
    if (!image) fields.fail("launch.image is not base64");
    else l.image = std::move(*image);
    l.entry = fields.text("entry");
    l.cuda = fields.text("cuda");
    l.grid = dim3_from(fields.object("grid"), fields);
    l.block = dim3_from(fields.object("block"), fields);
    l.dynamic_shared_bytes = static_cast<uint32_t>(fields.integer("dynamic_shared_bytes", 0));
    for (const Fields& map : fields.objects("tensor_maps"))
        l.tensor_maps.push_back(tensor_box_from(map, fields));
    l.problem = problem_from(fields);
    if (auto operation = catalog::operation_named(fields.text("operation")))
        l.operation = *operation;
    else
        fields.fail("launch.operation is none that is known");
    if (auto type = catalog::operand_type_named(fields.text("operands")))
        l.operands = *type;
    else
        fields.fail("launch.operands is no type of operands");
    l.row_alignment = static_cast<uint32_t>(fields.integer("row_alignment", 0, catalog::most_row_alignment));
    if (auto placement = catalog::placement_named(fields.text("placement")))
        l.placement = *placement;
    else
        fields.fail("launch.placement is none that is known");
    l.alpha = fields.number("alpha");
    l.beta = fields.number("beta");
    l.seed = fields.natural("seed");
    l.rounding = static_cast<uint32_t>(fields.integer("rounding", 1));
    outer.adopt(fields);
    return l;
}

ordered_json json_of(const Device& d) {
    return {{"name", d.name},
            {"arch", d.arch},
            {"multiprocessors", d.multiprocessors},
            {"sm_clock_mhz", d.sm_clock_mhz},
            {"memory_clock_mhz", d.memory_clock_mhz},
            {"memory_bus_bits", d.memory_bus_bits},
            {"memory_bytes", d.memory_bytes},
            {"l2_bytes", d.l2_bytes},
            {"shared_bytes", d.shared_bytes}};
}

Device device_from(Fields fields, Fields& outer) {
    Device d;
    d.name = fields.text("name");
    d.arch = fields.text("arch");
    d.multiprocessors = fields.integer("multiprocessors", 0);
    d.sm_clock_mhz = fields.integer("sm_clock_mhz", 0);
    d.memory_clock_mhz = fields.integer("memory_clock_mhz", 0);
    d.memory_bus_bits = fields.integer("memory_bus_bits", 0);
    d.memory_bytes = fields.natural("memory_bytes");
    d.l2_bytes = fields.natural("l2_bytes");
    d.shared_bytes = fields.natural("shared_bytes");
    outer.adopt(fields);
    return d;
}

ordered_json json_of(const Peaks& p) {
    return {{"fma_gflops", base::significant(p.fma_gflops)},
            {"fp64_gflops", base::significant(p.fp64_gflops)},
            {"copy_gb_s", base::significant(p.copy_gb_s)},
            {"fma_clock_mhz", p.fma_clock_mhz},
            {"fp64_clock_mhz", p.fp64_clock_mhz},
            {"copy_clock_mhz", p.copy_clock_mhz},
            {"driver", p.driver},
            {"cuda", p.cuda},
            {"date", p.date}};
}

Peaks peaks_from(Fields& fields) {
    Peaks p;
    p.fma_gflops = fields.positive("fma_gflops");
    p.copy_gb_s = fields.positive("copy_gb_s");
    if (fields.has("fp64_gflops")) {
        p.fp64_gflops = fields.number("fp64_gflops");
        p.fp64_clock_mhz = fields.integer("fp64_clock_mhz", 0);
    }
    p.fma_clock_mhz = fields.integer("fma_clock_mhz", 0);
    p.copy_clock_mhz = fields.integer("copy_clock_mhz", 0);
    p.driver = fields.text("driver");
    p.cuda = fields.text("cuda");
    p.date = fields.text("date");
    return p;
}

// One function a message, chosen by its type.
struct RequestWriter {
    ordered_json operator()(const BenchRequest& r) const {
        return {{"type", "bench"},
                {"launch", json_of(r.launch)},
                {"device", r.device},
                {"max_samples", r.max_samples},
                {"time_limit_s", r.time_limit_s},
                {"quick", r.quick}};
    }
    ordered_json operator()(const RunRequest& r) const {
        return {{"type", "run"},
                {"launch", json_of(r.launch)},
                {"device", r.device},
                {"values", r.values},
                {"time_limit_s", r.time_limit_s}};
    }
    ordered_json operator()(const PeaksRequest& r) const {
        return {{"type", "peaks"},
                {"fma", json_of(r.fma)},
                {"fp64", json_of(r.fp64)},
                {"copy", json_of(r.copy)},
                {"flop_per_turn", r.flop_per_turn},
                {"device", r.device},
                {"time_limit_s", r.time_limit_s}};
    }
    ordered_json operator()(const TimelineRequest& r) const {
        return {{"type", "timeline"},
                {"launch", json_of(r.launch)},
                {"recording", to_base64(r.recording)},
                {"device", r.device},
                {"time_limit_s", r.time_limit_s}};
    }
    ordered_json operator()(const HostProductRequest& r) const {
        return {{"type", "host_product"},
                {"launch", json_of(r.launch)},
                {"device", r.device},
                {"max_samples", r.max_samples},
                {"time_limit_s", r.time_limit_s}};
    }
    ordered_json operator()(const StreamRequest& r) const {
        ordered_json grids = ordered_json::array();
        for (const StreamRequest::Grid& g : r.grids)
            grids.push_back(
                {{"m", g.piece.m}, {"n", g.piece.n}, {"k", g.piece.k}, {"grid", json_of(g.grid)}});
        return {{"type", "stream"}, {"launch", json_of(r.launch)}, {"shape", stream_shape_json(r.shape)},
                {"grids", grids},   {"device", r.device},          {"time_limit_s", r.time_limit_s}};
    }
    ordered_json operator()(const Quit&) const { return {{"type", "quit"}}; }
};

struct ReplyWriter {
    ordered_json operator()(const Hello& h) const {
        ordered_json devices = ordered_json::array();
        for (const Device& device : h.devices) devices.push_back(json_of(device));
        return {{"type", "hello"},   {"version", h.version}, {"driver", h.driver},
                {"cuda", h.cuda},    {"cublas", h.cublas},   {"cublas_missing", h.cublas_missing},
                {"devices", devices}};
    }
    ordered_json operator()(const Progress& p) const {
        return {{"type", "progress"}, {"phase", phase_names[static_cast<int>(p.phase)]}, {"done", p.done}, {"of", p.of}};
    }
    ordered_json operator()(const Point& p) const {
        return {{"type", "point"}, {"point", ordered_json::parse(to_json(p.point))}, {"notes", p.notes}};
    }
    ordered_json operator()(const RunResult& r) const {
        ordered_json json = {{"type", "ran"}, {"hash", r.hash}, {"ms", r.ms}, {"device", r.device}};
        json["max_rel_error"] = std::isnan(r.max_rel_error) ? ordered_json(nullptr) : ordered_json(r.max_rel_error);
        json["element"] = base::name_of(r.c.element());
        json["c"] = to_base64(r.c.bytes());
        return json;
    }
    ordered_json operator()(const Peaks& p) const { return {{"type", "peaks"}, {"peaks", json_of(p)}}; }
    ordered_json operator()(const BlockTimeline& t) const { return {{"type", "timeline"}, {"timeline", ordered_json::parse(to_json(t))}}; }
    ordered_json operator()(const StreamRecord& r) const {
        return {{"type", "streamed"}, {"record", ordered_json::parse(to_json(r))}};
    }
    ordered_json operator()(const Refusal& r) const {
        return {{"type", "refusal"},      {"failure", static_cast<int>(r.error.failure)},
                {"what", r.error.what},   {"where", r.error.where},
                {"todo", r.error.todo},   {"fatal", r.fatal}};
    }
};

Hello hello_from(Fields& fields) {
    Hello h;
    h.version = fields.integer("version");
    if (h.version != protocol_version) return h; // nothing else is known of it
    h.driver = fields.text("driver");
    h.cuda = fields.text("cuda");
    h.cublas = fields.text("cublas");
    h.cublas_missing = fields.text("cublas_missing");
    for (Fields& device : fields.objects("devices")) h.devices.push_back(device_from(device, fields));
    if (h.devices.empty()) fields.fail("devices is empty");
    return h;
}

Progress progress_from(Fields& fields) {
    Progress p;
    std::string name = fields.text("phase");
    auto at = std::find(std::begin(phase_names), std::end(phase_names), name);
    if (at == std::end(phase_names)) fields.fail("phase is unknown: " + name);
    else p.phase = static_cast<Phase>(at - std::begin(phase_names));
    p.done = fields.integer("done", 0);
    p.of = fields.integer("of", 0);
    return p;
}

Point point_from(Fields& fields) {
    Point p;
    auto point = point_from_json(fields.object("point").dump());
    if (!point) fields.fail("point: " + point.error().what);
    else p.point = *point;
    p.notes = fields.texts("notes");
    return p;
}

RunResult run_result_from(Fields& fields) {
    RunResult r;
    r.hash = fields.text("hash");
    r.ms = fields.number("ms");
    r.device = fields.text("device");
    r.max_rel_error = fields.number_or_null("max_rel_error", std::nan(""));
    const auto element = base::number_type_named(fields.text("element"));
    const auto bytes = from_base64(fields.text("c"));
    const bool is_known = element == base::NumberType::f32 || element == base::NumberType::f64 || element == base::NumberType::u32;
    if (!is_known) {
        fields.fail("element is none of f32, f64 and u32");
    } else if (!bytes || bytes->size() % base::bytes_of(*element) != 0) {
        fields.fail(fmt::format("c is not base64 of {}", base::name_of(*element)));
    } else {
        r.c = base::Numbers(*element, bytes->size() / base::bytes_of(*element));
        std::copy(bytes->begin(), bytes->end(), r.c.bytes().begin());
    }
    return r;
}

// Requests about one launch say three things alike.
template <class OfALaunch>
OfALaunch launched(Fields& fields) {
    OfALaunch r;
    r.launch = launch_from(fields.object("launch"), fields);
    r.device = fields.integer("device", 0);
    r.time_limit_s = fields.positive("time_limit_s");
    return r;
}

Refusal refusal_from(Fields& fields) {
    Refusal r;
    r.error.failure = static_cast<base::Failure>(fields.integer("failure", 1, 3));
    r.error.what = fields.text("what");
    r.error.where = fields.text("where");
    r.error.todo = fields.text("todo");
    r.fatal = fields.truth("fatal");
    return r;
}

template <class Message>
base::Result<Message> checked(Message message, const Fields& fields) {
    if (!fields.ok()) return fields.error();
    return message;
}

} // namespace

static_assert(std::endian::native == std::endian::little, "C travels as the machine's own bytes");

std::string to_json(const Device& device) {
    return line_of(json_of(device));
}
std::string to_json(const Peaks& peaks) {
    return line_of(json_of(peaks));
}

base::Result<Device> device_from_json(std::string_view text) {
    Fields fields(text), outer("{}");
    Device device = device_from(fields, outer);
    return checked(std::move(device), outer);
}

base::Result<Peaks> peaks_from_json(std::string_view text) {
    Fields fields(text);
    Peaks peaks = peaks_from(fields);
    return checked(std::move(peaks), fields);
}

std::string to_json(const Request& request) { return line_of(std::visit(RequestWriter{}, request)); }
std::string to_json(const Reply& reply) { return line_of(std::visit(ReplyWriter{}, reply)); }

base::Result<Request> request_from_json(std::string_view line) {
    Fields fields(line);
    std::string type = fields.text("type");
    if (type == "quit") return checked<Request>(Quit{}, fields);
    if (type == "bench") {
        auto r = launched<BenchRequest>(fields);
        r.max_samples = fields.integer("max_samples", 1);
        r.quick = fields.truth("quick");
        return checked<Request>(std::move(r), fields);
    }
    if (type == "peaks") {
        PeaksRequest r;
        r.fma = launch_from(fields.object("fma"), fields);
        r.fp64 = launch_from(fields.object("fp64"), fields);
        r.copy = launch_from(fields.object("copy"), fields);
        r.flop_per_turn = fields.positive("flop_per_turn");
        r.device = fields.integer("device", 0);
        r.time_limit_s = fields.positive("time_limit_s");
        return checked<Request>(std::move(r), fields);
    }
    if (type == "timeline") {
        auto r = launched<TimelineRequest>(fields);
        auto recording = from_base64(fields.text("recording"));
        if (!recording) fields.fail("recording is not base64");
        else
            r.recording = std::move(*recording);
        return checked<Request>(std::move(r), fields);
    }
    if (type == "host_product") {
        auto r = launched<HostProductRequest>(fields);
        r.max_samples = fields.integer("max_samples", 1);
        return checked<Request>(std::move(r), fields);
    }
    if (type == "stream") {
        auto r = launched<StreamRequest>(fields);
        r.shape = stream_shape_from(fields.object("shape"), fields);
        for (Fields& grid : fields.objects("grids")) {
            r.grids.push_back({problem_from(grid), dim3_from(grid.object("grid"), grid)});
            fields.adopt(grid);
        }
        return checked<Request>(std::move(r), fields);
    }
    if (type == "run") {
        auto r = launched<RunRequest>(fields);
        r.values = fields.truth("values");
        return checked<Request>(std::move(r), fields);
    }
    fields.fail(fmt::format("type is unknown: \"{}\"", type));
    return fields.error();
}

base::Result<Reply> reply_from_json(std::string_view line) {
    Fields fields(line);
    std::string type = fields.text("type");
    if (type == "hello") return checked<Reply>(hello_from(fields), fields);
    if (type == "progress") return checked<Reply>(progress_from(fields), fields);
    if (type == "point") return checked<Reply>(point_from(fields), fields);
    if (type == "ran") return checked<Reply>(run_result_from(fields), fields);
    if (type == "peaks") {
        Fields inner = fields.object("peaks");
        Peaks peaks = peaks_from(inner);
        fields.adopt(inner);
        return checked<Reply>(std::move(peaks), fields);
    }
    if (type == "timeline") {
        auto timeline = block_timeline_from_json(fields.object("timeline").dump());
        if (!timeline) fields.fail("timeline: " + timeline.error().what);
        return checked<Reply>(timeline ? std::move(*timeline) : BlockTimeline{}, fields);
    }
    if (type == "streamed") {
        auto record = stream_record_from_json(fields.object("record").dump());
        if (!record) fields.fail("record: " + record.error().what);
        return checked<Reply>(record ? std::move(*record) : StreamRecord{}, fields);
    }
    if (type == "refusal") return checked<Reply>(refusal_from(fields), fields);
    fields.fail(fmt::format("type is unknown: \"{}\"", type));
    return fields.error();
}

base::Result<Launch> launch_of(const catalog::Kernel& kernel, const catalog::Values& values,
                               catalog::Problem problem, double alpha, double beta, uint64_t seed) {
    auto shape = catalog::launch_shape(kernel, values, problem);
    if (!shape) return shape.error();
    auto rounding = catalog::rounding(kernel, values);
    if (!rounding) return rounding.error();
    auto placement = catalog::placement(kernel, values);
    if (!placement) return placement.error();
    Launch launch;
    launch.kernel = kernel.id;
    launch.parameters = values;
    launch.grid = shape->grid;
    launch.block = shape->block;
    launch.dynamic_shared_bytes = shape->dynamic_shared_bytes;
    launch.tensor_maps = shape->tensor_maps;
    launch.problem = problem;
    launch.operation = kernel.operation;
    launch.operands = kernel.operands;
    launch.row_alignment = kernel.row_alignment;
    launch.placement = *placement;
    launch.alpha = catalog::as_factor(kernel.operands, alpha);
    launch.beta = catalog::as_factor(kernel.operands, beta);
    launch.seed = seed;
    launch.rounding = *rounding;
    return launch;
}

} // namespace gpu
