// wavefronts and occupancy: the hardware's rules for one access and one launch.
#include "base/number.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/table.h"

#include "analysis/banks.h"
#include "analysis/occupancy.h"
#include "cli/words.h"
#include "views/number_rows.h"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <sstream>

namespace cli {
namespace {

using base::Error;
using base::Failure;

struct AccessOptions {
    std::string op, bytes = "4", offsets, arch = "sm_90";
    bool json = false;
};

struct Access {
    int bytes = 4;
    uint32_t active = 0;
    trace::Addresses address{};
};

base::Result<Access> parse_access(const AccessOptions& options) {
    if (options.op != "load" && options.op != "store") {
        return Error{Failure::usage,
                     base::say("--op {} is neither load nor store", options.op),
                     {},
                     base::say("write --op load or --op store")};
    }
    Access access;
    auto bytes = base::parse_integer(options.bytes, "--bytes", 1, 16);
    if (!bytes) return bytes.error();
    if (!std::has_single_bit(static_cast<uint64_t>(*bytes))) {
        return Error{Failure::usage,
                     base::say("a lane cannot access {} bytes", *bytes),
                     {},
                     base::say("choose --bytes 4, 8 or 16")};
    }
    access.bytes = static_cast<int>(*bytes);
    std::istringstream words(options.offsets);
    int lane = 0;
    for (std::string word; words >> word; ++lane) {
        const std::string name = fmt::format("the offset of lane {}", lane);
        auto offset = base::parse_integer(word, name, -1, int64_t{1} << 40);
        if (!offset) return offset.error();
        if (lane >= trace::warp_size || *offset < 0) continue;
        if (*offset % *bytes != 0) {
            return Error{
                Failure::usage,
                base::say("{} = {} is not a multiple of {} bytes, which the hardware refuses", name, *offset, *bytes),
                {},
                base::say("give aligned offsets")};
        }
        access.active |= 1u << lane;
        access.address[static_cast<size_t>(lane)] = static_cast<uint64_t>(*offset);
    }
    if (lane == trace::warp_size) return access;
    return Error{Failure::usage,
                 base::say("--offsets has {} numbers and a warp has 32 lanes", lane),
                 {},
                 base::say("give 32 byte offsets, -1 for an inactive lane")};
}

std::string lanes_text(uint32_t mask) {
    std::string text;
    for (int lane = 0; lane < trace::warp_size; ++lane) {
        if (mask >> lane & 1) text += fmt::format(" {}", lane);
    }
    return text;
}

base::Status print_wavefronts(const AccessOptions& options) {
    auto access = parse_access(options);
    if (!access) return access.error();
    if (auto known = analysis::multiprocessor(options.arch); !known) return known.error();
    const bool load = options.op == "load";
    const auto result =
        analysis::wavefronts(analysis::bank_rule(options.arch), load, access->bytes, access->active, access->address);
    if (options.json) {
        Json phases = Json::array();
        for (const auto& phase : result.phases) phases.push_back(lanes_json(phase.lanes));
        print(line({{"wavefronts", result.wavefronts},
                    {"wavefronts_ideal", result.ideal},
                    {"wavefronts_excessive", result.excessive()},
                    {"phases", phases}}));
        return base::Done{};
    }
    print(fmt::format("{} of {} bytes - {} wavefronts, ideal {}, excessive {}\n", options.op, access->bytes,
                      result.wavefronts, result.ideal, result.excessive()));
    for (size_t i = 0; i < result.phases.size(); ++i) {
        const auto& phase = result.phases[i];
        print(fmt::format("phase {}: {} wavefront{}, lanes{}\n", i, phase.wavefronts, phase.wavefronts == 1 ? "" : "s",
                          lanes_text(phase.lanes)));
        for (size_t w = 0; phase.served.size() > 1 && w < phase.served.size(); ++w) {
            print(fmt::format("  wavefront {}:{}\n", w, lanes_text(phase.served[w])));
        }
    }
    return base::Done{};
}

struct OccupancyOptions {
    std::string arch = "sm_90", threads, registers, shared = "0";
    bool json = false;
};

base::Status print_occupancy(const OccupancyOptions& options) {
    auto sm = analysis::multiprocessor(options.arch);
    if (!sm) return sm.error();
    auto threads = base::parse_integer(options.threads, "--threads", 1, 1024);
    if (!threads) return threads.error();
    auto registers = base::parse_integer(options.registers, "--regs", 0, 255);
    if (!registers) return registers.error();
    auto shared = base::parse_integer(options.shared, "--smem", 0, std::numeric_limits<uint32_t>::max());
    if (!shared) return shared.error();
    auto result = analysis::occupancy(*sm, static_cast<int>(*threads), static_cast<int>(*registers),
                                      static_cast<uint32_t>(*shared));
    if (!result) return result.error();
    if (options.json) {
        print(line({{"active_blocks_per_sm", result->blocks},
                    {"active_warps_per_sm", result->warps},
                    {"max_warps_per_sm", result->max_warps},
                    {"occupancy", result->fraction()},
                    {"limiter", analysis::name(result->limiter)}}));
        return base::Done{};
    }
    const auto tr = english();
    if (!tr) return tr.error();
    print(fmt::format(
        "{}: {} blocks of {} threads per multiprocessor, {} of {} warps, occupancy {:.4g}%, limited by {}\n",
        options.arch, result->blocks, *threads, result->warps, result->max_warps, 100 * result->fraction(),
        (*tr)(views::limiter_key(result->limiter))));
    return base::Done{};
}

} // namespace

Action define_wavefronts(Options& app, const Common&) {
    auto options = std::make_shared<AccessOptions>();
    app.add_option("--op", options->op, "load or store").required().type_name("OP");
    app.add_option("--bytes", options->bytes, "per lane: 4, 8 or 16").required().type_name("BYTES");
    app.add_option("--offsets", options->offsets, "32 byte offsets, -1 for an inactive lane")
        .required()
        .type_name("\"0 4 8 ...\"");
    app.add_option("--arch", options->arch, "whose rule (sm_90)").type_name("ARCH");
    app.add_flag("--json", options->json, "print one JSON object");
    return [options] { return print_wavefronts(*options); };
}

Action define_occupancy(Options& app, const Common&) {
    auto options = std::make_shared<OccupancyOptions>();
    app.add_option("--arch", options->arch, "architecture (sm_90)").type_name("ARCH");
    app.add_option("--threads", options->threads, "of a block").required().type_name("N");
    app.add_option("--regs", options->registers, "of a thread").required().type_name("N");
    app.add_option("--smem", options->shared, "static plus dynamic shared bytes of a block (0)").type_name("BYTES");
    app.add_flag("--json", options->json, "print one JSON object");
    return [options] { return print_occupancy(*options); };
}

} // namespace cli
