#include "sim/decoder.h"

#include "base/memory.h"
#include "sim/names.h"
#include "sim/warp.h"

#include <algorithm>
#include <optional>
#include <set>

namespace sim {
namespace {

using ptx::Opcode;

uint64_t aligned(uint64_t at, uint64_t to) { return (at + to - 1) / to * to; }

void store(std::vector<std::byte>& bytes, uint64_t at, uint64_t value) {
    for (unsigned i = 0; i < 8 && at + i < bytes.size(); ++i) bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
}

// Variables and functions of the file by the names that initialisers have for them.
struct FileNames {
    std::map<std::string, int32_t> variables, functions;

    explicit FileNames(const ptx::Module& m) {
        for (size_t n = 0; n < m.variables.size(); ++n)
            if (m.variables[n].space == ptx::Space::global || m.variables[n].space == ptx::Space::constant)
                variables[m.variables[n].name] = static_cast<int32_t>(n);
        for (size_t n = 0; n < m.functions.size(); ++n)
            if (auto [it, fresh] = functions.try_emplace(m.functions[n].name, static_cast<int32_t>(n));
                m.functions[n].defined)
                it->second = static_cast<int32_t>(n);
    }
    static int32_t find(const std::map<std::string, int32_t>& in, const std::string& name) {
        const auto it = in.find(name);
        return it == in.end() ? -1 : it->second;
    }
};

// Functions that `entry` may run, and the variables that they name.
class Reached {
public:
    std::set<int32_t> functions, variables;
    std::set<int32_t> callable; // whose addresses are taken

    Reached(const ptx::Module& m, const FileNames& names, int32_t entry) : module_(m), names_(names) {
        run(entry);
        while (!todo_.empty()) {
            const int32_t f = todo_.back();
            todo_.pop_back();
            for (const ptx::Instruction& i : m.functions[static_cast<size_t>(f)].instructions)
                for (const ptx::Operand& o : i.operands) visit(o, i.opcode == Opcode::call);
        }
    }

private:
    const ptx::Module& module_;
    const FileNames& names_;
    std::vector<int32_t> todo_;

    void run(int32_t f) {
        if (f >= 0 && functions.insert(f).second) todo_.push_back(f);
    }
    void visit(const ptx::Operand& o, bool called) {
        if (o.kind == ptx::OperandKind::variable) name(o.index);
        if (o.kind == ptx::OperandKind::function) run(o.index);
        if (o.kind == ptx::OperandKind::function && !called) callable.insert(o.index);
        for (const ptx::Operand& e : o.elements) visit(e, false);
    }
    void name(int32_t first) { // and what its initial value points to
        std::vector<int32_t> todo{first};
        while (!todo.empty()) {
            const int32_t v = todo.back();
            todo.pop_back();
            if (!variables.insert(v).second) continue;
            for (const auto& pointer : module_.variables[static_cast<size_t>(v)].pointers) {
                if (const int32_t to = FileNames::find(names_.variables, pointer.name); to >= 0) todo.push_back(to);
                const int32_t f = FileNames::find(names_.functions, pointer.name);
                run(f);
                if (f >= 0) callable.insert(f);
            }
        }
    }
};

} // namespace

base::Sentence Decoder::lay_out(int32_t entry) {
    Program& p = *program;
    uint64_t at = 0;
    for (int32_t n : function(entry).parameters) {
        at = aligned(at, variable(n).align);
        p.parameters.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(variable(n).bytes)});
        address[n] = parameter_window + at;
        at += variable(n).bytes;
        if (at > 32768) return base::say("the kernel's parameters take more than 32 KB");
    }
    p.parameter_bytes = static_cast<uint32_t>(at);
    uint64_t shared = 0, file = 0, dynamic_align = 16;
    const FileNames names(*module);
    const Reached reached(*module, names, entry);
    callable.assign(reached.callable.begin(), reached.callable.end());
    for (int32_t n : reached.variables) {
        const ptx::Variable& v = variable(n);
        if (v.space != ptx::Space::shared || v.external) continue;
        shared = aligned(shared, v.align);
        address[n] = shared;
        shared_numbers[n + 1] = static_cast<int32_t>(p.shared_variables.size());
        p.shared_variables.push_back(
            {source_name(v.name), static_cast<uint32_t>(shared), static_cast<uint32_t>(v.bytes), ptx::bytes(v.type)});
        shared += v.bytes;
        if (shared > (uint64_t{1} << 24))
            return base::say("the kernel's static shared memory is larger than any GPU's");
    }
    p.static_shared = static_cast<uint32_t>(shared);
    for (int32_t n : reached.variables)
        if (variable(n).space == ptx::Space::shared && variable(n).external)
            dynamic_align = std::max<uint64_t>(dynamic_align, variable(n).align);
    p.dynamic_shared_at = static_cast<uint32_t>(aligned(shared, dynamic_align));
    for (int32_t n : reached.variables)
        if (variable(n).space == ptx::Space::shared && variable(n).external) {
            address[n] = p.dynamic_shared_at;
            shared_numbers[n + 1] = static_cast<int32_t>(p.shared_variables.size());
            p.shared_variables.push_back(
                {source_name(variable(n).name), p.dynamic_shared_at, 0, ptx::bytes(variable(n).type)});
        }
    // Every variable of the file gets a place: initial values may point to those that no instruction names.
    for (int32_t n = 0; n < static_cast<int32_t>(module->variables.size()); ++n) {
        const ptx::Variable& v = variable(n);
        if (v.space != ptx::Space::global && v.space != ptx::Space::constant) continue;
        file = aligned(file, std::max(v.align, 16u));
        address[n] = module_window + file;
        p.file_variables.push_back(
            {source_name(v.name), file, v.bytes, ptx::bytes(v.type), v.space == ptx::Space::global});
        constexpr uint64_t apart = 256; // so that running off one is seen
        file += v.bytes + apart;
        if (file > (uint64_t{1} << 30))
            return base::say(
                "the file's variables take more than 1 GB, the most that the engine keeps: {} in line {} is one too many",
                source_name(v.name), v.line);
    }
    constexpr uint64_t always_there = 16u << 20;
    if (file > always_there) // twice: as they start, and as a run changes them
        if (const auto fits =
                base::fits_memory(2 * static_cast<double>(file), base::say("keeping the file's variables"));
            !fits)
            return fits.error().what;
    p.variables.resize(file);
    for (const auto& [name, n] : names.variables) {
        const ptx::Variable& v = variable(n);
        const uint64_t to = address[n] - module_window;
        std::copy(v.initial.begin(), v.initial.end(), p.variables.begin() + static_cast<std::ptrdiff_t>(to));
        for (const auto& pointer : v.pointers)
            if (pointer.at >= v.bytes) continue; // more values than the variable has elements
            else if (const int32_t v_to = FileNames::find(names.variables, pointer.name); v_to >= 0)
                store(p.variables, to + pointer.at, address[v_to] + static_cast<uint64_t>(pointer.addend));
            else if (const int32_t f = FileNames::find(names.functions, pointer.name); f >= 0)
                store(p.variables, to + pointer.at, function_address(f) + static_cast<uint64_t>(pointer.addend));
    }
    return {};
}

// Per operation whether lanes that come to it wait for other threads.
std::vector<bool> Decoder::waiting_operations() const {
    using enum Opcode;
    const std::vector<Operation>& operations = program->operations;
    std::vector<bool> waits(operations.size());
    for (size_t n = 0; n < waits.size(); ++n) {
        const Opcode opcode = virtuals.opcode[n];
        const bool of_a_warp = opcode == shfl_sync || opcode == bar_warp_sync || opcode == vote_sync ||
                               opcode == match_any_sync || opcode == match_all_sync || opcode == redux_sync ||
                               opcode == elect_sync;
        const Flow flow = operations[n].flow;
        waits[n] = of_a_warp || flow == Flow::barrier || flow == Flow::cluster || flow == Flow::poll;
    }
    return waits;
}

namespace {

int32_t find_entry(const ptx::Module& m, const std::string& name, base::Sentence& error) {
    int32_t found = -1;
    std::vector<std::string> names;
    for (size_t n = 0; n < m.functions.size(); ++n) {
        const ptx::Function& f = m.functions[n];
        if (!f.entry || !f.defined) continue;
        if (f.name == name) return static_cast<int32_t>(n);
        names.push_back(f.name);
        found = static_cast<int32_t>(n);
    }
    if (found < 0) error = base::say("the file has no kernel");
    else if (!name.empty()) error = base::say("the file has no kernel {}; it has {}", name, base::names(names));
    else if (names.size() > 1) error = base::say("the file has several kernels: {}", base::names(names));
    return found;
}

uint32_t smallest_shared_element(const Program& p, const trace::Listing& listing) {
    uint32_t smallest = 8;
    bool any = false;
    for (const Operation& op : p.operations) {
        const trace::Kind kind = listing.instructions[op.pc].kind;
        if (op.space != Space::shared || op.bytes == 0 || (kind != trace::Kind::load && kind != trace::Kind::store))
            continue;
        const bool matrix = op.full == load_matrix || op.full == store_matrix; // of halfwords, 16 bytes a row
        smallest = std::min<uint32_t>(smallest, matrix ? 2 : op.bytes);
        any = true;
    }
    return any ? smallest : 4;
}

// What the instructions that multiply matrices do, now that their shapes are known.
void count_operations(const Program& p, trace::Listing& listing) {
    const auto flop = [](const MatrixProduct& m) { // of single bits k counts words
        return 2 * m.batch * m.m * m.n * m.k * (m.a.type == ptx::Type::b1 ? 32 : 1);
    };
    for (const Operation& op : p.operations) {
        if (op.full == multiply_matrices) listing.instructions[op.pc].flop = flop(p.products[op.extra]);
        if (op.full == multiply_in_warpgroup)
            listing.instructions[op.pc].flop = flop(p.warpgroup_products[op.extra].product); // a warp's quarter
    }
}

void move_to_place(RowAt& at, const Virtuals& v) {
    if (at != no_row && !(at & 1)) at = v.place[at >> 1];
}
void move_to_place(Operation& op, const Virtuals& v) {
    auto fix = [&](RowAt& at) { move_to_place(at, v); };
    for (RowAt& at : op.row) fix(at);
    fix(op.address);
    fix(op.source);
    fix(op.guard);
}

// The function that was expanded most often is the one that makes the program large.
std::map<int32_t, Recursion> less_deep(std::map<int32_t, Recursion> recursions) {
    const auto most = std::max_element(recursions.begin(), recursions.end(), [](const auto& a, const auto& b) {
        return a.second.expanded < b.second.expanded;
    });
    most->second.deepest = most->second.deepest * 3 / 4;
    for (auto& [function, recursion] : recursions) recursion.expanded = 0;
    return recursions;
}

base::Result<std::shared_ptr<const Program>> decode_to_depth(std::shared_ptr<const ptx::Module> module,
                                                             const std::string& entry, bool reuse, Lanes lanes,
                                                             std::map<int32_t, Recursion> recursions) {
    base::Sentence error;
    const int32_t number = find_entry(*module, entry, error);
    auto failed = [&](base::Sentence what) { return base::Error{.what = std::move(what), .where = {}, .todo = {}}; };
    if (!error.empty()) return failed(std::move(error));
    Decoder d{.module = module, .lanes = lanes, .recursions = std::move(recursions)};
    d.program->vectors = lanes.vectors;
    d.program->module = module;
    d.program->entry = module->functions[static_cast<size_t>(number)].name;
    d.listing->engine = "ptx";
    const std::optional<base::Dim3>& cluster = module->functions[static_cast<size_t>(number)].cluster;
    d.explicit_cluster = cluster.has_value();
    d.program->cluster = cluster.value_or(base::Dim3{});
    d.listing->text = module->text;
    d.listing->source_files = module->files;
    if (error = d.lay_out(number); !error.empty()) return failed(std::move(error));
    Frame frame{.function = number};
    error = d.expand(frame);
    if (d.recurses_too_far()) return decode_to_depth(module, entry, reuse, lanes, less_deep(std::move(d.recursions)));
    if (!error.empty()) return failed(std::move(error));
    if (d.listing->instructions.size() > most_pcs)
        return failed(base::say("the kernel with its functions is longer than eight million instructions"));
    if (d.local_too_large) return failed(base::say("the kernel needs more than 512 KB of local memory a thread"));
    Program& p = *d.program;
    count_operations(p, *d.listing); // before any handler is wrapped
    find_reconvergence(p.operations, p.tables);
    order_branches(p.operations, p.tables, d.waiting_operations());
    d.find_spaces();
    d.find_origins();
    d.track_unassigned(frame);
    d.guard_accumulators(frame);
    d.find_unfinished_reads();
    find_patterns(p.operations, p.tables, d.virtuals, p.patterns);
    std::vector<bool> blind = find_blind(p.operations, d.virtuals, d.listing->instructions.size());
    place_rows(p.operations, p.tables, reuse, d.virtuals);
    for (Operation& op : p.operations) {
        move_to_place(op, d.virtuals);
        if (op.address != no_row) op.memory_number = p.accesses++;
    }
    p.wide = std::move(d.virtuals.wide);
    for (WideRows& rows : p.wide)
        for (auto* list : {&rows.written, &rows.read})
            for (RowAt& at : *list) move_to_place(at, d.virtuals);
    for (auto& [operation, use] : p.accumulator_uses)
        for (AccumulatorUse::Register& r : use.registers) move_to_place(r.at, d.virtuals);
    for (SpecialRow& s : p.specials) s.at = d.virtuals.place[s.at >> 1];
    for (auto [reg, at] : frame.registers) {
        const auto virtual_number = static_cast<size_t>(at) >> 1;
        p.names.push_back({ptx::register_name(module->functions[static_cast<size_t>(number)], reg),
                           d.virtuals.place[virtual_number], d.virtuals.width[virtual_number]});
    }
    p.strengths.assign(d.listing->instructions.size(), Strength::weak);
    for (const Operation& op : p.operations) p.strengths[op.pc] = op.strength;
    p.blind = std::move(blind);
    p.writes_to_cluster = std::any_of(p.operations.begin(), p.operations.end(), [&](const Operation& op) {
        const trace::Instruction& i = d.listing->instructions[op.pc];
        const bool copies = op.full == start_bulk_copy,
                   writes = i.kind == trace::Kind::store || i.kind == trace::Kind::atomic;
        if (!copies) return writes && op.reaches_cluster && op.space != Space::global;
        const BulkUse& use = p.bulk_copies[op.extra];
        return use.multicast || use.from_registers || (use.to_shared && use.from_shared);
    });
    p.shared_element_bytes = smallest_shared_element(p, *d.listing);
    p.register_bytes = d.virtuals.file_bytes;
    d.wrap_watched();
    p.listing = d.listing;
    return std::shared_ptr<const Program>(d.program);
}

} // namespace

base::Result<std::shared_ptr<const Program>> decode(std::shared_ptr<const ptx::Module> module, const std::string& entry,
                                                    bool reuse, Lanes lanes) {
    return decode_to_depth(std::move(module), entry, reuse, lanes, {});
}

base::Result<std::shared_ptr<const Program>> prepare(std::shared_ptr<const ptx::Module> module,
                                                     const std::string& entry) {
    return decode(std::move(module), entry, true);
}

base::Result<std::shared_ptr<const Program>> Program::with_own_rows() const {
    std::call_once(own_rows_.once, [&] { own_rows_.made = decode(module, entry, false); });
    return *own_rows_.made;
}

std::shared_ptr<const trace::Listing> listing(const Program& p) { return p.listing; }
std::span<const Parameter> parameters(const Program& p) { return p.parameters; }
uint32_t static_shared_bytes(const Program& p) { return p.static_shared; }

} // namespace sim
