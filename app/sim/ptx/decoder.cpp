#include "sim/ptx/decoder.h"

#include "sim/lanes/warp.h"
#include "sim/names.h"

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
        draft->shared_arrays[n + 1] = static_cast<int32_t>(p.shared_variables.size());
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
            draft->shared_arrays[n + 1] = static_cast<int32_t>(p.shared_variables.size());
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
        if (file > most_variable_bytes)
            return base::say(
                "the file's variables take more than 1 GB, the most that the engine keeps: {} in line {} is one too many",
                source_name(v.name), v.line);
    }
    if (auto why = no_room_for_variables(file); !why.empty()) return why;
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

// The function that was expanded most often is the one that makes the program large.
std::map<int32_t, Recursion> less_deep(std::map<int32_t, Recursion> recursions) {
    const auto most = std::max_element(recursions.begin(), recursions.end(), [](const auto& a, const auto& b) {
        return a.second.expanded < b.second.expanded;
    });
    most->second.deepest = most->second.deepest * 3 / 4;
    for (auto& [function, recursion] : recursions) recursion.expanded = 0;
    return recursions;
}

base::Result<std::shared_ptr<const Draft>> draft_to_depth(std::shared_ptr<const ptx::Module> module,
                                                          const std::string& entry, Lanes lanes,
                                                          std::map<int32_t, Recursion> recursions) {
    base::Sentence error;
    const int32_t number = find_entry(*module, entry, error);
    auto failed = [&](base::Sentence what) { return base::Error{.what = std::move(what), .where = {}, .todo = {}}; };
    if (!error.empty()) return failed(std::move(error));
    Decoder d{.module = module, .lanes = lanes, .recursions = std::move(recursions)};
    const ptx::Function& kernel = d.function(number);
    d.program->vectors = lanes.vectors;
    d.listing->engine = trace::Engine::ptx;
    d.explicit_cluster = kernel.cluster.has_value();
    d.program->cluster = kernel.cluster.value_or(base::Dim3{});
    d.listing->text = module->text;
    d.listing->source_files = module->files;
    if (error = d.lay_out(number); !error.empty()) return failed(std::move(error));
    Frame frame{.function = number};
    error = d.expand(frame);
    if (d.recurses_too_far()) return draft_to_depth(module, entry, lanes, less_deep(std::move(d.recursions)));
    if (!error.empty()) return failed(std::move(error));
    if (d.listing->instructions.size() > most_pcs)
        return failed(base::say("the kernel with its functions is longer than eight million instructions"));
    if (d.local_too_large) return failed(too_much_local_memory());
    for (const auto& [reg, at] : frame.registers) {
        const auto row = static_cast<RowAt>(at);
        d.program->names.push_back({ptx::register_name(kernel, reg), row, d.draft->registers[row >> 1].width});
    }
    d.draft->listing = std::move(d.listing);
    return std::shared_ptr<const Draft>(std::move(d.draft));
}

} // namespace

base::Result<std::shared_ptr<const Program>> decode(std::shared_ptr<const ptx::Module> module, const std::string& entry,
                                                    Rows rows, Lanes lanes) {
    auto draft = draft_to_depth(std::move(module), entry, lanes, {});
    if (!draft) return draft.error();
    return finish(std::move(*draft), rows);
}

base::Result<std::shared_ptr<const Program>> prepare(std::shared_ptr<const ptx::Module> module,
                                                     const std::string& entry) {
    return decode(std::move(module), entry, Rows::reused);
}

} // namespace sim
