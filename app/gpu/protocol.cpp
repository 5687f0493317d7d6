#include "gpu/protocol.h"

#include "base/base64.h"
#include "base/number.h"
#include "catalog/factor.h"
#include "measure/stream_fields.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <span>
#include <tuple>

namespace gpu {
namespace {

using base::Fields;
using base::FieldsWriter;

constexpr int largest_problem = 1 << 20; // of one dimension

const char* const phase_names[] = {"inputs", "verify", "warm_up", "samples", "energy", "back_to_back"};

FieldsWriter fields_of(base::Dim3 d) {
    FieldsWriter json;
    json.integer("x", d.x).integer("y", d.y).integer("z", d.z);
    return json;
}

base::Dim3 dim3_from(Fields fields, Fields& outer) {
    auto axis = [&](const char* name) { return static_cast<uint32_t>(fields.integer(name, 1)); };
    base::Dim3 value{axis("x"), axis("y"), axis("z")};
    outer.adopt(fields);
    return value;
}

FieldsWriter fields_of(const catalog::TensorBox& box) {
    FieldsWriter json;
    json.text("of", std::string_view(&box.of, 1))
        .integer("rows", box.rows)
        .integer("columns", box.columns)
        .integer("swizzle_bytes", box.swizzle_bytes)
        .truth("to_tf32", box.to_tf32);
    return json;
}

FieldsWriter fields_of(const StreamRequest::Grid& g) {
    FieldsWriter json;
    json.integer("m", g.piece.m).integer("n", g.piece.n).integer("k", g.piece.k).object("grid", fields_of(g.grid));
    return json;
}

FieldsWriter fields_of(const SweepRequest::Size&);
FieldsWriter fields_of(const Swept::At& a) {
    FieldsWriter json;
    return json.number("ms", base::significant(a.ms))
        .integer("samples", a.samples)
        .number("spread", base::significant(a.spread))
        .number("cublas_ms", base::significant(a.cublas_ms))
        .text("cublas", a.cublas)
        .text("failed", a.failed);
}

template <class Item>
std::vector<FieldsWriter> fields_of_each(const std::vector<Item>& items) {
    std::vector<FieldsWriter> all;
    for (const Item& item : items) all.push_back(fields_of(item));
    return all;
}

FieldsWriter fields_of(const SweepRequest::Size& s) {
    FieldsWriter json;
    return json.integer("m", s.problem.m)
        .integer("n", s.problem.n)
        .integer("k", s.problem.k)
        .object("grid", fields_of(s.grid))
        .object("block", fields_of(s.block))
        .integer("dynamic_shared_bytes", s.dynamic_shared_bytes)
        .objects("tensor_maps", fields_of_each(s.tensor_maps));
}

catalog::TensorBox tensor_box_from(Fields fields, Fields& outer) {
    catalog::TensorBox box;
    const std::string of = fields.text("of");
    if (of != "A" && of != "B" && of != "C") fields.fail(base::say("launch.tensor_maps.of is no matrix"));
    else box.of = of[0];
    box.rows = static_cast<uint32_t>(fields.integer("rows", 1));
    box.columns = static_cast<uint32_t>(fields.integer("columns", 1));
    box.swizzle_bytes = static_cast<uint32_t>(fields.integer("swizzle_bytes", 0));
    box.to_tf32 = fields.truth("to_tf32");
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

FieldsWriter fields_of(const Launch& l) {
    FieldsWriter json;
    json.text("kernel", l.kernel)
        .integers("parameters", l.parameters)
        .text("image", base::to_base64(l.image))
        .text("entry", l.entry)
        .text("cuda", l.cuda)
        .object("grid", fields_of(l.grid))
        .object("block", fields_of(l.block))
        .integer("dynamic_shared_bytes", l.dynamic_shared_bytes)
        .objects("tensor_maps", fields_of_each(l.tensor_maps))
        .integer("m", l.problem.m)
        .integer("n", l.problem.n)
        .integer("k", l.problem.k)
        .text("operation", catalog::name_of(l.operation))
        .text("operands", catalog::name_of(l.operands))
        .integer("row_alignment", l.row_alignment)
        .text("placement", catalog::name_of(l.placement))
        .number("alpha", l.alpha)
        .number("beta", l.beta)
        .natural("seed", l.seed)
        .integer("rounding", l.rounding);
    return json;
}

FieldsWriter fields_of(const PeaksRequest::Read& r) {
    FieldsWriter json;
    json.object("read", fields_of(r.read)).natural("bytes", r.bytes).number("bytes_per_turn", r.bytes_per_turn);
    return json;
}

Launch launch_from(Fields fields, Fields& outer) {
    Launch l;
    l.kernel = fields.text("kernel");
    l.parameters = fields.integers("parameters");
    auto image = base::from_base64(fields.text("image"));
    if (!image) fields.fail(base::say("launch.image is not base64"));
    else l.image = std::move(*image);
    l.entry = fields.text("entry");
    l.cuda = fields.text("cuda");
    l.grid = dim3_from(fields.object("grid"), fields);
    l.block = dim3_from(fields.object("block"), fields);
    l.dynamic_shared_bytes = static_cast<uint32_t>(fields.integer("dynamic_shared_bytes", 0));
    for (const Fields& map : fields.objects("tensor_maps")) l.tensor_maps.push_back(tensor_box_from(map, fields));
    l.problem = problem_from(fields);
    if (auto operation = catalog::operation_named(fields.text("operation"))) l.operation = *operation;
    else fields.fail(base::say("launch.operation is unknown"));
    if (auto type = catalog::operand_type_named(fields.text("operands"))) l.operands = *type;
    else fields.fail(base::say("launch.operands is no type of operands"));
    l.row_alignment = static_cast<uint32_t>(fields.integer("row_alignment", 0, catalog::most_row_alignment));
    if (auto placement = catalog::placement_named(fields.text("placement"))) l.placement = *placement;
    else fields.fail(base::say("launch.placement is unknown"));
    l.alpha = fields.number("alpha");
    l.beta = fields.number("beta");
    l.seed = fields.natural("seed");
    l.rounding = static_cast<uint32_t>(fields.integer("rounding", 1));
    outer.adopt(fields);
    return l;
}

template <class Message>
base::Result<Message> checked(Message message, const Fields& fields) {
    if (!fields.ok()) return fields.error();
    return message;
}

FieldsWriter message(const char* type, uint64_t number) {
    FieldsWriter json;
    json.text("type", type);
    if (number) json.natural("id", number);
    return json;
}

// One function a message, chosen by its type.
struct RequestWriter {
    uint64_t number;
    FieldsWriter operator()(const BenchRequest& r) const {
        return message("bench", number)
            .object("launch", fields_of(r.launch))
            .integer("device", r.device)
            .integer("max_samples", r.max_samples)
            .number("time_limit_s", r.time_limit_s)
            .truth("quick", r.quick);
    }
    FieldsWriter operator()(const RunRequest& r) const {
        return message("run", number)
            .object("launch", fields_of(r.launch))
            .integer("device", r.device)
            .truth("values", r.values)
            .number("time_limit_s", r.time_limit_s);
    }
    FieldsWriter operator()(const PeaksRequest& r) const {
        return message("peaks", number)
            .object("fma", fields_of(r.fma))
            .object("fp64", fields_of(r.fp64))
            .object("copy", fields_of(r.copy))
            .number("flop_per_turn", r.flop_per_turn)
            .object("l1", fields_of(r.l1))
            .object("l2", fields_of(r.l2))
            .integer("device", r.device)
            .number("time_limit_s", r.time_limit_s);
    }
    FieldsWriter operator()(const TimelineRequest& r) const {
        return message("timeline", number)
            .object("launch", fields_of(r.launch))
            .text("recording", base::to_base64(r.recording))
            .integer("device", r.device)
            .number("time_limit_s", r.time_limit_s);
    }
    FieldsWriter operator()(const HostProductRequest& r) const {
        return message("host_product", number)
            .object("launch", fields_of(r.launch))
            .integer("device", r.device)
            .integer("max_samples", r.max_samples)
            .number("time_limit_s", r.time_limit_s);
    }
    FieldsWriter operator()(const StreamRequest& r) const {
        return message("stream", number)
            .object("launch", fields_of(r.launch))
            .object("shape", measure::stream_shape_fields(r.shape))
            .objects("grids", fields_of_each(r.grids))
            .integer("device", r.device)
            .number("time_limit_s", r.time_limit_s);
    }
    FieldsWriter operator()(const SweepRequest& r) const {
        return message("sweep", number)
            .object("launch", fields_of(r.launch))
            .objects("sizes", fields_of_each(r.sizes))
            .object("compare", fields_of(r.compare))
            .integer("device", r.device)
            .number("time_limit_s", r.time_limit_s);
    }
    FieldsWriter operator()(const Ping&) const { return message("ping", number); }
    FieldsWriter operator()(const Quit&) const { return message("quit", number); }
};

struct ReplyWriter {
    uint64_t number;
    FieldsWriter operator()(const Hello& h) const {
        return message("hello", number)
            .integer("version", h.version)
            .text("host", h.host)
            .text("driver", h.driver)
            .text("cuda", h.cuda)
            .text("cublas", h.cublas)
            .text("cublas_missing", h.cublas_missing)
            .objects("devices", fields_of_each(h.devices));
    }
    FieldsWriter operator()(const measure::Progress& p) const {
        return message("progress", number)
            .text("phase", phase_names[static_cast<int>(p.phase)])
            .integer("done", p.done)
            .integer("of", p.of);
    }
    FieldsWriter operator()(const measure::NotedPoint& p) const {
        return message("point", number).object("point", fields_of(p.point)).texts("notes", p.notes);
    }
    FieldsWriter operator()(const RunResult& r) const {
        FieldsWriter json = message("ran", number);
        json.text("hash", r.hash).number("ms", r.ms).text("device", r.device);
        std::isnan(r.max_rel_error) ? json.null("max_rel_error") : json.number("max_rel_error", r.max_rel_error);
        return json.text("element", base::name_of(r.c.element())).text("c", base::to_base64(r.c.bytes()));
    }
    FieldsWriter operator()(const measure::Peaks& p) const {
        return message("peaks", number).object("peaks", fields_of(p));
    }
    FieldsWriter operator()(const measure::BlockTimeline& t) const {
        return message("timeline", number).object("timeline", fields_of(t));
    }
    FieldsWriter operator()(const measure::StreamRecord& r) const {
        return message("streamed", number).object("record", fields_of(r));
    }
    FieldsWriter operator()(const Swept& s) const {
        return message("swept", number)
            .objects("sizes", fields_of_each(s.sizes))
            .integer("sm_clock_mhz", s.sm_clock_mhz)
            .truth("lost", s.lost);
    }
    FieldsWriter operator()(const Pong&) const { return message("pong", number); }
    FieldsWriter operator()(const Refusal& r) const {
        return message("refusal", number)
            .integer("failure", static_cast<int>(r.error.failure))
            .sentence("what", r.error.what)
            .text("where", r.error.where)
            .sentence("todo", r.error.todo)
            .truth("fatal", r.fatal);
    }
};

// A part that has a reader of its own.
template <class Part>
Part part(base::Result<Part> read, Fields& outer) {
    if (read) return std::move(*read);
    outer.fail(read.error().what);
    return {};
}

Hello hello_from(Fields& fields) {
    Hello h;
    h.version = fields.integer("version");
    if (h.version != protocol_version) return h; // nothing else is known of it
    h.host = fields.text("host");
    h.driver = fields.text("driver");
    h.cuda = fields.text("cuda");
    h.cublas = fields.text("cublas");
    h.cublas_missing = fields.text("cublas_missing");
    for (Fields& device : fields.objects("devices")) h.devices.push_back(part(measure::device_from(device), fields));
    if (h.devices.empty()) fields.fail(base::say("devices is empty"));
    return h;
}

measure::Progress progress_from(Fields& fields) {
    measure::Progress p;
    std::string name = fields.text("phase");
    auto at = std::find(std::begin(phase_names), std::end(phase_names), name);
    if (at == std::end(phase_names)) fields.fail(base::say("phase is unknown: {}", name));
    else p.phase = static_cast<measure::Phase>(at - std::begin(phase_names));
    p.done = fields.integer("done", 0);
    p.of = fields.integer("of", 0);
    return p;
}

measure::NotedPoint point_reply_from(Fields& fields) {
    measure::NotedPoint p;
    p.point = part(measure::point_from(fields.object("point")), fields);
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
    const auto bytes = base::from_base64(fields.text("c"));
    const bool is_known =
        element == base::NumberType::f32 || element == base::NumberType::f64 || element == base::NumberType::u32;
    if (!is_known) {
        fields.fail(base::say("element is not f32, f64 or u32"));
    } else if (!bytes || bytes->size() % base::bytes_of(*element) != 0) {
        fields.fail(base::say("c is not base64 of {}", base::name_of(*element)));
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

PeaksRequest::Read read_from(Fields fields, Fields& outer) {
    PeaksRequest::Read r;
    r.read = launch_from(fields.object("read"), fields);
    r.bytes = fields.natural("bytes");
    if (!std::has_single_bit(r.bytes)) fields.fail(base::say("bytes is not a power of two"));
    r.bytes_per_turn = fields.positive("bytes_per_turn");
    outer.adopt(fields);
    return r;
}

constexpr size_t most_sweep_sizes = 64;

SweepRequest::Size sweep_size_from(Fields fields, Fields& outer) {
    SweepRequest::Size s;
    s.problem = problem_from(fields);
    s.grid = dim3_from(fields.object("grid"), fields);
    s.block = dim3_from(fields.object("block"), fields);
    s.dynamic_shared_bytes = static_cast<uint32_t>(fields.integer("dynamic_shared_bytes", 0));
    for (const Fields& map : fields.objects("tensor_maps")) s.tensor_maps.push_back(tensor_box_from(map, fields));
    outer.adopt(fields);
    return s;
}

// What is said is a time or a failure, never both.
Swept::At swept_at_from(Fields fields, Fields& outer) {
    Swept::At a;
    a.failed = fields.text("failed");
    a.ms = fields.number("ms");
    a.samples = fields.integer("samples", 0, 1'000'000);
    a.spread = fields.number("spread");
    a.cublas_ms = fields.number("cublas_ms");
    a.cublas = fields.text("cublas");
    constexpr double longest_ms = 1e9;
    if (!(a.ms >= 0 && a.ms <= longest_ms) || !(a.cublas_ms >= 0 && a.cublas_ms <= longest_ms) ||
        !(a.spread >= 0 && a.spread <= 1e6))
        fields.fail(base::say("sizes hold something that is not a time"));
    if ((a.ms > 0) != a.failed.empty() || (a.ms > 0) != (a.samples > 0))
        fields.fail(base::say("sizes hold neither a time nor a failure"));
    outer.adopt(fields);
    return a;
}

Swept swept_from(Fields& fields) {
    Swept s;
    const auto sizes = fields.objects("sizes");
    if (sizes.size() > most_sweep_sizes) fields.fail(base::say("sizes are too many"));
    else
        for (const Fields& size : sizes) s.sizes.push_back(swept_at_from(size, fields));
    s.sm_clock_mhz = fields.integer("sm_clock_mhz", 0);
    s.lost = fields.truth("lost");
    return s;
}

Refusal refusal_from(Fields& fields) {
    Refusal r;
    r.error.failure = static_cast<base::Failure>(fields.integer("failure", 1, 3));
    r.error.what = fields.sentence("what");
    r.error.where = fields.text("where");
    r.error.todo = fields.sentence("todo");
    r.fatal = fields.truth("fatal");
    return r;
}

} // namespace

static_assert(std::endian::native == std::endian::little, "C travels as the machine's own bytes");

std::string to_json(const Request& request, uint64_t number) {
    return std::visit(RequestWriter{number}, request).line();
}
std::string to_json(const Reply& reply, uint64_t number) { return std::visit(ReplyWriter{number}, reply).line(); }

namespace {

uint64_t number_from(Fields& fields) { return fields.has("id") ? fields.natural("id") : 0; }

base::Result<Request> request_from(Fields& fields) {
    std::string type = fields.text("type");
    if (type == "ping") return checked<Request>(Ping{}, fields);
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
        r.l1 = read_from(fields.object("l1"), fields);
        r.l2 = read_from(fields.object("l2"), fields);
        r.device = fields.integer("device", 0);
        r.time_limit_s = fields.positive("time_limit_s");
        return checked<Request>(std::move(r), fields);
    }
    if (type == "timeline") {
        auto r = launched<TimelineRequest>(fields);
        auto recording = base::from_base64(fields.text("recording"));
        if (!recording) fields.fail(base::say("recording is not base64"));
        else r.recording = std::move(*recording);
        return checked<Request>(std::move(r), fields);
    }
    if (type == "host_product") {
        auto r = launched<HostProductRequest>(fields);
        r.max_samples = fields.integer("max_samples", 1);
        return checked<Request>(std::move(r), fields);
    }
    if (type == "stream") {
        auto r = launched<StreamRequest>(fields);
        r.shape = measure::stream_shape_from(fields.object("shape"), fields);
        for (Fields& grid : fields.objects("grids")) {
            r.grids.push_back({problem_from(grid), dim3_from(grid.object("grid"), grid)});
            fields.adopt(grid);
        }
        return checked<Request>(std::move(r), fields);
    }
    if (type == "sweep") {
        auto r = launched<SweepRequest>(fields);
        const auto sizes = fields.objects("sizes");
        if (sizes.empty() || sizes.size() > most_sweep_sizes) fields.fail(base::say("sizes are none, or too many"));
        else
            for (const Fields& size : sizes) r.sizes.push_back(sweep_size_from(size, fields));
        r.compare = launch_from(fields.object("compare"), fields);
        return checked<Request>(std::move(r), fields);
    }
    if (type == "run") {
        auto r = launched<RunRequest>(fields);
        r.values = fields.truth("values");
        return checked<Request>(std::move(r), fields);
    }
    fields.fail(base::say("type is unknown: \"{}\"", type));
    return fields.error();
}

base::Result<Reply> reply_from(Fields& fields) {
    std::string type = fields.text("type");
    if (type == "hello") return checked<Reply>(hello_from(fields), fields);
    if (type == "progress") return checked<Reply>(progress_from(fields), fields);
    if (type == "point") return checked<Reply>(point_reply_from(fields), fields);
    if (type == "ran") return checked<Reply>(run_result_from(fields), fields);
    if (type == "peaks") {
        measure::Peaks peaks = part(measure::peaks_from(fields.object("peaks")), fields);
        return checked<Reply>(std::move(peaks), fields);
    }
    if (type == "timeline") {
        auto timeline = part(measure::block_timeline_from(fields.object("timeline")), fields);
        return checked<Reply>(std::move(timeline), fields);
    }
    if (type == "streamed") {
        auto record = part(measure::stream_record_from(fields.object("record")), fields);
        return checked<Reply>(std::move(record), fields);
    }
    if (type == "swept") return checked<Reply>(swept_from(fields), fields);
    if (type == "pong") return checked<Reply>(Pong{}, fields);
    if (type == "refusal") return checked<Reply>(refusal_from(fields), fields);
    fields.fail(base::say("type is unknown: \"{}\"", type));
    return fields.error();
}

} // namespace

Asked request_from_json(std::string_view line) {
    Fields fields(line);
    const uint64_t number = number_from(fields);
    return {number, request_from(fields)};
}

base::Result<Said> reply_from_json(std::string_view line) {
    Fields fields(line);
    const uint64_t number = number_from(fields);
    auto reply = reply_from(fields);
    if (!reply) return reply.error();
    return Said{number, std::move(*reply)};
}

Launch SweepRequest::at(const Size& size) const {
    Launch of = launch;
    of.problem = size.problem;
    of.grid = size.grid;
    of.block = size.block;
    of.dynamic_shared_bytes = size.dynamic_shared_bytes;
    of.tensor_maps = size.tensor_maps;
    return of;
}

base::Result<Launch> launch_of(const catalog::Kernel& kernel, const catalog::Values& values, catalog::Problem problem,
                               double alpha, double beta, uint64_t seed) {
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
    for (auto [name, given, taken] : {std::tuple{"alpha", alpha, &launch.alpha}, {"beta", beta, &launch.beta}}) {
        const auto factor = catalog::finite_factor(kernel.operands, given, name);
        if (!factor) return factor.error();
        *taken = *factor;
    }
    launch.seed = seed;
    launch.rounding = *rounding;
    return launch;
}

} // namespace gpu
