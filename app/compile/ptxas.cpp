#include "compile/ptxas.h"

#include "base/program.h"
#include "compile/toolkit.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>
#include <unistd.h>
#include <vector>

namespace compile {
namespace {
namespace fs = std::filesystem;

constexpr base::Phrase how_to_get_ptxas =
    base::phrase("install the CUDA Toolkit 12 or 13, or run gemmscope setup, which gets ptxas from PyPI");

std::vector<fs::path> candidates(const std::string& nvrtc) {
    if (const char* given = std::getenv("GEMMSCOPE_PTXAS"); given && *given) return {given};
    std::vector<fs::path> found;
    for (const fs::path& folder : toolkit_folders(nvrtc)) found.push_back(folder / "bin/ptxas");
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) found.push_back(fs::path(folder) / "ptxas");
    return found;
}

} // namespace

base::Result<Ptxas> Ptxas::find(const std::string& nvrtc) {
    Ptxas ptxas;
    const std::vector<fs::path> all = candidates(nvrtc);
    for (const fs::path& file : all) {
        if (::access(file.c_str(), X_OK) != 0 || fs::is_directory(file)) continue;
        std::error_code ignored;
        ptxas.facts_.path = fs::weakly_canonical(file, ignored).string();
        break;
    }
    if (ptxas.facts_.path.empty())
        return base::Error{
            base::Failure::missing,
            all.size() == 1
                ? base::say("ptxas, which generates machine code, is missing: there is no program {}", all[0].string())
                : base::say("ptxas, which generates machine code, is missing"),
            {},
            how_to_get_ptxas};
    auto said = base::run_program({ptxas.facts_.path, "--version"}, {});
    if (!said) return base::Error{base::Failure::missing, said.error().what, {}, how_to_get_ptxas};
    const std::string before = ", V"; // "Cuda compilation tools, release 13.0, V13.0.88"
    const size_t at = said->output.find(before);
    if (at == std::string::npos)
        return base::Error{base::Failure::missing, base::say("this is not ptxas"), ptxas.facts_.path, how_to_get_ptxas};
    const size_t start = at + before.size();
    ptxas.facts_.version = said->output.substr(start, said->output.find_first_not_of("0123456789.", start) - start);
    return ptxas;
}

base::Result<PtxasOutput> Ptxas::assemble(const std::string& ptx, const std::string& arch) const {
    auto ended =
        base::run_program({facts_.path, "-arch=" + arch, "-lineinfo", "-v", "/dev/stdin", "-o", "/dev/stdout"}, ptx);
    if (!ended) return base::Error{base::Failure::missing, ended.error().what, {}, how_to_get_ptxas};
    if (ended->status != 0 || ended->signal != 0) ended->output.clear();
    if (ended->signal != 0) ended->error += fmt::format("ptxas fatal   : it was killed by signal {}\n", ended->signal);
    return PtxasOutput{std::move(ended->output), std::move(ended->error)};
}

} // namespace compile
