#include "sass/module.h"

#include "sass/decoder.h"

#include <algorithm>
#include <charconv>

namespace sass {
namespace {

// Attributes of .nv.info, as cuobjdump -elf names them.
enum Attribute : uint64_t {
    max_threads = 0x05,
    param_cbank = 0x0A,
    externs = 0x0F,
    frame_size = 0x11,
    min_stack_size = 0x12,
    kparam_info = 0x17,
    regcount = 0x2F,
    indirect_branch_targets = 0x34,
    cta_per_cluster = 0x3D,
};

// Calls `visit` with each attribute that has bytes of its own; those of a half word are passed over.
template <class Visit>
void each_attribute(Bytes info, Visit visit) {
    constexpr uint64_t header = 4, with_bytes = 4;
    for (uint64_t at = 0; at + header <= info.size();) {
        const uint64_t format = *number_at(info, at, 1), attribute = *number_at(info, at + 1, 1),
                       size = *number_at(info, at + 2, 2);
        at += header;
        if (format != with_bytes) continue;
        visit(attribute, part(info, at, size));
        at += size;
    }
}

uint32_t word_at(Bytes bytes, uint64_t offset) {
    return static_cast<uint32_t>(number_at(bytes, offset, 4).value_or(0));
}

class ModuleReader {
public:
    ModuleReader(const Elf& elf, size_t text, Module& module) : elf_(elf), text_(text), module_(module) {}

    void run() {
        add_instructions();
        each_attribute(contents(".nv.info"), [this](uint64_t what, Bytes value) { add_shared_fact(what, value); });
        each_attribute(contents(".nv.info." + module_.entry),
                       [this](uint64_t what, Bytes value) { add_fact(what, value); });
        std::sort(module_.parameters.begin(), module_.parameters.end(),
                  [](const Parameter& a, const Parameter& b) { return a.ordinal < b.ordinal; });
        if (const auto shared = elf_.find(".nv.shared." + module_.entry))
            module_.shared_bytes = elf_.sections()[*shared].size;
        for (size_t section = 0; section < elf_.sections().size(); ++section) {
            add_bank(section);
            add_variables(section);
        }
        for (const Symbol& symbol : elf_.symbols())
            if (symbol.section == text_ && symbol.offset > 0 && symbol.size > 0)
                module_.functions.push_back(symbol.offset);
    }

private:
    Bytes contents(std::string_view section) const {
        const auto found = elf_.find(section);
        return found ? elf_.sections()[*found].contents : Bytes{};
    }

    std::string symbol(uint64_t index) const {
        return index < elf_.symbols().size() ? std::string(elf_.symbols()[index].name) : std::string();
    }

    void add_instructions() {
        const Bytes code = elf_.sections()[text_].contents;
        for (uint64_t at = 0; at + instruction_bytes <= code.size(); at += instruction_bytes)
            module_.instructions.push_back(
                decode(module_.sm, {*number_at(code, at, 8), *number_at(code, at + 8, 8)}, at));
    }

    // Of .nv.info, which tells of every function: first the function's symbol, then a number.
    void add_shared_fact(uint64_t what, Bytes value) {
        if (symbol(word_at(value, 0)) != module_.entry) return;
        const uint32_t number = word_at(value, 4);
        if (what == regcount) module_.registers = number;
        if (what == frame_size) module_.frame_bytes = number;
        if (what == min_stack_size && number < 1u << 31) module_.stack_bytes = number;
    }

    void add_fact(uint64_t what, Bytes value) {
        constexpr unsigned size_at = 18; // bits of a parameter's last word below its size
        switch (what) {
        case kparam_info: {
            const uint32_t place = word_at(value, 4);
            module_.parameters.push_back({place & 0xFFFF, place >> 16, word_at(value, 8) >> size_at});
            break;
        }
        case param_cbank:
            module_.parameters_at = word_at(value, 4) & 0xFFFF;
            module_.parameter_bytes = word_at(value, 4) >> 16;
            break;
        case max_threads: module_.max_threads = {word_at(value, 0), word_at(value, 4), word_at(value, 8)}; break;
        case cta_per_cluster: module_.cluster = {word_at(value, 0), word_at(value, 4), word_at(value, 8)}; break;
        case externs:
            for (uint64_t at = 0; at + 4 <= value.size(); at += 4)
                module_.externals.push_back(symbol(word_at(value, at)));
            break;
        case indirect_branch_targets: add_jump_tables(value); break;
        default: break;
        }
    }

    // Each: the branch's address, a word of zeros, how many targets, their addresses.
    void add_jump_tables(Bytes value) {
        for (uint64_t at = 0; at + 12 <= value.size();) {
            JumpTable& table = module_.jump_tables.emplace_back();
            table.address = word_at(value, at);
            uint64_t count = word_at(value, at + 8);
            for (at += 12; count > 0 && at + 4 <= value.size(); --count, at += 4)
                table.targets.push_back(word_at(value, at));
        }
    }

    // ".nv.constant3", of all functions, or ".nv.constant2.entry".
    void add_bank(size_t number) {
        const Section& section = elf_.sections()[number];
        constexpr std::string_view prefix = ".nv.constant";
        if (!section.name.starts_with(prefix)) return;
        std::string_view rest = section.name.substr(prefix.size());
        ConstantBank bank;
        const auto* end = std::from_chars(rest.data(), rest.data() + rest.size(), bank.number).ptr;
        rest.remove_prefix(static_cast<size_t>(end - rest.data()));
        if (!rest.empty() && rest.substr(1) != module_.entry) return;
        bank.contents.assign(section.contents.begin(), section.contents.end());
        for (const Relocation& relocation : elf_.relocations(section.name))
            if (relocation.offset + 8 <= bank.contents.size() && relocation.offset < bank.contents.size())
                bank.addresses.push_back({relocation.offset, symbol(relocation.symbol), relocation.addend});
        for (const Symbol& symbol : elf_.symbols())
            if (symbol.section == number && symbol.size > 0)
                bank.variables.push_back({std::string(symbol.name), symbol.offset});
        module_.banks.push_back(std::move(bank));
    }

    void add_variables(size_t section) {
        const Section& in = elf_.sections()[section];
        if (in.name != ".nv.global" && in.name != ".nv.global.init") return;
        for (const Symbol& symbol : elf_.symbols()) {
            if (symbol.section != section || symbol.name.empty() || symbol.size == 0) continue;
            const Bytes first = part(in.contents, symbol.offset, symbol.size);
            module_.variables.push_back({std::string(symbol.name), symbol.size, {first.begin(), first.end()}});
        }
    }

    const Elf& elf_;
    size_t text_;
    Module& module_;
};

} // namespace

base::Result<Module> read_module(std::span<const std::byte> cubin, const std::string& entry) {
    auto elf = Elf::open(cubin);
    if (!elf) return elf.error();
    auto text = find_kernel(*elf, entry);
    if (!text) return text.error();
    Module module;
    module.sm = elf->sm();
    module.entry = entry;
    ModuleReader(*elf, *text, module).run();
    return module;
}

} // namespace sass
