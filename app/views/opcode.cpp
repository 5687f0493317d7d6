#include "views/opcode.h"

#include "base/text.h"
#include "sim/names.h"

#include <algorithm>

namespace views {
namespace {

constexpr OpcodeHelp helps[] = {
    {"abs", "opcode.abs"},
    {"activemask", "opcode.activemask"},
    {"add", "opcode.add"},
    {"and", "opcode.and"},
    {"atom", "opcode.atom"},
    {"bar.sync", "opcode.bar_sync"},
    {"bar.warp.sync", "opcode.bar_warp_sync"},
    {"barrier", "opcode.bar_sync"},
    {"barrier.cluster", "opcode.barrier_cluster"},
    {"bfe", "opcode.bfe"},
    {"bfi", "opcode.bfi"},
    {"bra", "opcode.bra"},
    {"call", "opcode.call"},
    {"cp.async", "opcode.cp_async"},
    {"cp.async.bulk", "opcode.cp_async_bulk"},
    {"cp.async.commit_group", "opcode.cp_async_commit"},
    {"cp.async.wait_all", "opcode.cp_async_wait"},
    {"cp.async.wait_group", "opcode.cp_async_wait"},
    {"cvt", "opcode.cvt"},
    {"cvta", "opcode.cvta"},
    {"div", "opcode.div"},
    {"elect", "opcode.elect"},
    {"ex2", "opcode.ex2"},
    {"exit", "opcode.ret"},
    {"fence", "opcode.fence"},
    {"fma", "opcode.fma"},
    {"ld", "opcode.ld"},
    {"ld.const", "opcode.ld_const"},
    {"ld.global", "opcode.ld_global"},
    {"ld.local", "opcode.ld_local"},
    {"ld.param", "opcode.ld_param"},
    {"ld.shared", "opcode.ld_shared"},
    {"ldmatrix", "opcode.ldmatrix"},
    {"lop3", "opcode.lop3"},
    {"mad", "opcode.mad"},
    {"mapa", "opcode.mapa"},
    {"match", "opcode.match"},
    {"max", "opcode.max"},
    {"mbarrier", "opcode.mbarrier"},
    {"membar", "opcode.fence"},
    {"min", "opcode.min"},
    {"mma", "opcode.mma"},
    {"mov", "opcode.mov"},
    {"mul", "opcode.mul"},
    {"nanosleep", "opcode.nanosleep"},
    {"neg", "opcode.neg"},
    {"not", "opcode.not"},
    {"or", "opcode.or"},
    {"pmevent", "opcode.pmevent"},
    {"popc", "opcode.popc"},
    {"prmt", "opcode.prmt"},
    {"rcp", "opcode.rcp"},
    {"red", "opcode.red"},
    {"redux", "opcode.redux"},
    {"rem", "opcode.rem"},
    {"ret", "opcode.ret"},
    {"selp", "opcode.selp"},
    {"setmaxnreg", "opcode.setmaxnreg"},
    {"setp", "opcode.setp"},
    {"shf", "opcode.shf"},
    {"shfl", "opcode.shfl"},
    {"shl", "opcode.shl"},
    {"shr", "opcode.shr"},
    {"sqrt", "opcode.sqrt"},
    {"st", "opcode.st"},
    {"st.global", "opcode.st_global"},
    {"st.local", "opcode.st_local"},
    {"st.shared", "opcode.st_shared"},
    {"sub", "opcode.sub"},
    {"trap", "opcode.trap"},
    {"vote", "opcode.vote"},
    {"wgmma", "opcode.wgmma"},
    {"xor", "opcode.xor"},
};

// Of machine code, as nvdisasm names it.
constexpr OpcodeHelp machine_helps[] = {
    {"ATOM", "sass.atom"},
    {"ATOMG", "sass.atom"},
    {"ATOMS", "sass.atom"},
    {"BAR", "sass.bar"},
    {"BMMA", "sass.bmma"},
    {"BRA", "sass.bra"},
    {"BREAK", "sass.break"},
    {"BSSY", "sass.bssy"},
    {"BSYNC", "sass.bsync"},
    {"CALL", "sass.call"},
    {"CCTL", "sass.cctl"},
    {"CGAERRBAR", "sass.errbar"},
    {"CS2R", "sass.cs2r"},
    {"DADD", "sass.dadd"},
    {"DEPBAR", "sass.depbar"},
    {"DFMA", "sass.dfma"},
    {"DMMA", "sass.dmma"},
    {"DMUL", "sass.dmul"},
    {"DSETP", "sass.dsetp"},
    {"ELECT", "sass.elect"},
    {"ENDCOLLECTIVE", "sass.endcollective"},
    {"ERRBAR", "sass.errbar"},
    {"EXIT", "sass.exit"},
    {"F2F", "sass.f2f"},
    {"F2FP", "sass.f2f"},
    {"F2I", "sass.f2i"},
    {"FADD", "sass.fadd"},
    {"FCHK", "sass.fchk"},
    {"FENCE", "sass.fence"},
    {"FFMA", "sass.ffma"},
    {"FLO", "sass.flo"},
    {"FMNMX", "sass.fmnmx"},
    {"FMUL", "sass.fmul"},
    {"FSEL", "sass.fsel"},
    {"FSETP", "sass.fsetp"},
    {"HADD2", "sass.hfma2"},
    {"HFMA2", "sass.hfma2"},
    {"HGMMA", "sass.hgmma"},
    {"HMMA", "sass.hmma"},
    {"HMUL2", "sass.hfma2"},
    {"I2F", "sass.i2f"},
    {"I2FP", "sass.i2f"},
    {"IABS", "sass.iabs"},
    {"IADD3", "sass.iadd3"},
    {"IMAD", "sass.imad"},
    {"IMMA", "sass.imma"},
    {"ISETP", "sass.isetp"},
    {"LD", "sass.ld"},
    {"LDC", "sass.ldc"},
    {"LDG", "sass.ldg"},
    {"LDGDEPBAR", "sass.ldgdepbar"},
    {"LDGSTS", "sass.ldgsts"},
    {"LDL", "sass.ldl"},
    {"LDS", "sass.lds"},
    {"LDSM", "sass.ldsm"},
    {"LEA", "sass.lea"},
    {"LOP3", "sass.lop3"},
    {"MATCH", "sass.match"},
    {"MEMBAR", "sass.membar"},
    {"MOV", "sass.mov"},
    {"MUFU", "sass.mufu"},
    {"NANOSLEEP", "sass.nanosleep"},
    {"NOP", "sass.nop"},
    {"P2R", "sass.p2r"},
    {"PLOP3", "sass.plop3"},
    {"PMTRIG", "sass.pmtrig"},
    {"POPC", "sass.popc"},
    {"PRMT", "sass.prmt"},
    {"R2P", "sass.p2r"},
    {"R2UR", "sass.r2ur"},
    {"RED", "sass.red"},
    {"REDG", "sass.red"},
    {"RET", "sass.ret"},
    {"S2R", "sass.s2r"},
    {"S2UR", "sass.s2ur"},
    {"SEL", "sass.sel"},
    {"SHF", "sass.shf"},
    {"SHFL", "sass.shfl"},
    {"ST", "sass.st"},
    {"STG", "sass.stg"},
    {"STL", "sass.stl"},
    {"STS", "sass.sts"},
    {"STSM", "sass.stsm"},
    {"SYNCS", "sass.syncs"},
    {"UBLKCP", "sass.ublkcp"},
    {"UCGABAR_ARV", "sass.ucgabar"},
    {"UCGABAR_WAIT", "sass.ucgabar"},
    {"UIADD3", "sass.uniform"},
    {"UIMAD", "sass.uniform"},
    {"UISETP", "sass.uniform"},
    {"ULDC", "sass.uldc"},
    {"ULEA", "sass.uniform"},
    {"ULOP3", "sass.uniform"},
    {"UMOV", "sass.uniform"},
    {"UPLOP3", "sass.uniform"},
    {"UPRMT", "sass.uniform"},
    {"USEL", "sass.uniform"},
    {"USETMAXREG", "sass.usetmaxreg"},
    {"USHF", "sass.uniform"},
    {"UTMACMDFLUSH", "sass.utmacmdflush"},
    {"UTMALDG", "sass.utmaldg"},
    {"UTMASTG", "sass.utmastg"},
    {"VIADD", "sass.viadd"},
    {"VIADDMNMX", "sass.vimnmx"},
    {"VIMNMX", "sass.vimnmx"},
    {"VOTE", "sass.vote"},
    {"VOTEU", "sass.vote"},
    {"WARPGROUP", "sass.warpgroup"},
    {"WARPSYNC", "sass.warpsync"},
    {"YIELD", "sass.yield"},
};

constexpr OpcodeHelp modifiers[] = {
    {"v2", "opcode.part_v2"}, {"v4", "opcode.part_v4"}, {"wide", "opcode.part_wide"},         {"lo", "opcode.part_lo"},
    {"hi", "opcode.part_hi"}, {"nc", "opcode.part_nc"}, {"volatile", "opcode.part_volatile"},
};

bool has_prefix(std::string_view opcode, std::string_view prefix) {
    return opcode.substr(0, prefix.size()) == prefix &&
           (opcode.size() == prefix.size() || opcode[prefix.size()] == '.');
}

bool has_word(std::string_view opcode, std::string_view word) {
    for (size_t at = opcode.find('.'); at != std::string_view::npos; at = opcode.find('.', at + 1))
        if (has_prefix(opcode.substr(at + 1), word)) return true;
    return false;
}

} // namespace

std::string with_short_names(std::string_view instruction) {
    constexpr std::string_view in_names = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$";
    constexpr std::string_view parameter = "_param_";
    std::string words;
    while (!instruction.empty()) {
        const size_t other = std::min(instruction.find_first_of(in_names), instruction.size());
        words += instruction.substr(0, other);
        instruction.remove_prefix(other);
        const std::string_view name = instruction.substr(0, instruction.find_first_not_of(in_names));
        instruction.remove_prefix(name.size());
        const size_t number = name.rfind(parameter);
        if (!name.starts_with("_Z")) words += name;
        else if (number != std::string_view::npos) words += name.substr(number + 1);
        else words += sim::source_name(name);
    }
    return words;
}

std::span<const OpcodeHelp> opcode_helps() { return helps; }
std::span<const OpcodeHelp> machine_opcode_helps() { return machine_helps; }

std::vector<OpcodeEntry> find_opcodes(const Strings& tr, std::string_view words) {
    const std::string wanted = base::lower(words);
    std::vector<OpcodeEntry> found;
    for (const auto& [language, all] : {std::pair{"PTX", opcode_helps()}, {"SASS", machine_opcode_helps()}})
        for (const OpcodeHelp& help : all) {
            const std::string_view text = tr(help.key);
            const bool named = base::lower(help.prefix).find(wanted) != std::string::npos;
            if (named || base::lower(text).find(wanted) != std::string::npos)
                found.push_back({help.prefix, language, text, named});
        }
    std::stable_partition(found.begin(), found.end(), [](const OpcodeEntry& one) { return one.named; });
    return found;
}

std::string opcode_help(const Strings& tr, std::string_view opcode) {
    const OpcodeHelp* best = nullptr;
    const bool machine = !opcode.empty() && opcode.front() >= 'A' && opcode.front() <= 'Z';
    for (const OpcodeHelp& help : machine ? machine_opcode_helps() : opcode_helps())
        if (has_prefix(opcode, help.prefix) && (!best || help.prefix.size() > best->prefix.size())) best = &help;
    if (!best) return {};
    std::string sentence = tr(best->key);
    for (const OpcodeHelp& modifier : modifiers)
        if (has_word(opcode, modifier.prefix))
            (sentence += tr.language() == session::Language::zh ? "" : " ") += tr(modifier.key);
    return sentence;
}

} // namespace views
