#include "compile/nvrtc_library.h"

#include "compile/host_headers.h"
#include "compile/toolkit.h"

#include <fmt/format.h>
#include <nvrtc.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace compile {
namespace {
namespace fs = std::filesystem;

constexpr base::Phrase how_to_get_nvrtc =
    base::phrase("install the CUDA Toolkit 12 or 13, or run gemmscope setup, which gets NVRTC from PyPI");

// Newest first. A toolkit has its libraries in lib64, or in targets/<machine>/lib with lib64 a link to it.
std::vector<std::string> candidates() {
    if (const char* given = std::getenv("GEMMSCOPE_NVRTC"); given && *given) return {given};
    std::vector<std::string> found;
    auto add_folder = [&](const fs::path& folder) {
        for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12"}) {
            std::error_code ignored;
            if (fs::exists(folder / name, ignored)) found.push_back((folder / name).string());
        }
    };
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* root = std::getenv(variable); root && *root)
            for (const char* below : {"lib64", "lib"}) add_folder(fs::path(root) / below);
    found.insert(found.end(), {"libnvrtc.so.13", "libnvrtc.so.12"});
    add_folder("/usr/local/cuda/lib64");
    for (const fs::path& folder : fetched_toolkits()) add_folder(folder / "lib");
    return found;
}

std::vector<std::string> find_include_folders(const fs::path& library) {
    std::error_code ignored;
    for (const fs::path& root : toolkit_folders(library)) {
        if (!fs::exists(root / "include/cuda_fp16.h", ignored)) continue;
        const fs::path folder = fs::weakly_canonical(root / "include", ignored);
        // <cuda/barrier> and the like moved into a folder of their own with CUDA 13.
        if (fs::exists(folder / "cccl", ignored)) return {folder.string(), (folder / "cccl").string()};
        return {folder.string()};
    }
    return {};
}

} // namespace

struct Nvrtc::Functions {
    decltype(&nvrtcVersion) version;
    decltype(&nvrtcGetNumSupportedArchs) count_architectures;
    decltype(&nvrtcGetSupportedArchs) architectures;
    decltype(&nvrtcCreateProgram) create;
    decltype(&nvrtcDestroyProgram) destroy;
    decltype(&nvrtcAddNameExpression) add_name;
    decltype(&nvrtcCompileProgram) compile;
    decltype(&nvrtcGetLoweredName) lowered_name;
    decltype(&nvrtcGetProgramLogSize) log_size;
    decltype(&nvrtcGetProgramLog) log;
    decltype(&nvrtcGetPTXSize) ptx_size;
    decltype(&nvrtcGetPTX) ptx;
    decltype(&nvrtcGetErrorString) error_string;
};

base::Result<Nvrtc> Nvrtc::load() {
    auto library = base::SharedLibrary::open(candidates());
    if (!library)
        return base::Error{
            base::Failure::missing, base::say("NVRTC is missing: {}", library.error().what), {}, how_to_get_nvrtc};
    Nvrtc nvrtc(std::move(*library));
    if (auto bound = nvrtc.bind(); !bound) return bound.error();
    return nvrtc;
}

base::Status Nvrtc::bind() {
    auto functions = std::make_shared<Functions>();
    const char* absent = nullptr;
    auto find = [&](auto& function, const char* name) {
        function = library_.function<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>(name);
        if (!function) absent = name;
    };
    find(functions->version, "nvrtcVersion");
    find(functions->count_architectures, "nvrtcGetNumSupportedArchs");
    find(functions->architectures, "nvrtcGetSupportedArchs");
    find(functions->create, "nvrtcCreateProgram");
    find(functions->destroy, "nvrtcDestroyProgram");
    find(functions->add_name, "nvrtcAddNameExpression");
    find(functions->compile, "nvrtcCompileProgram");
    find(functions->lowered_name, "nvrtcGetLoweredName");
    find(functions->log_size, "nvrtcGetProgramLogSize");
    find(functions->log, "nvrtcGetProgramLog");
    find(functions->ptx_size, "nvrtcGetPTXSize");
    find(functions->ptx, "nvrtcGetPTX");
    find(functions->error_string, "nvrtcGetErrorString");
    if (absent)
        return base::Error{base::Failure::missing, base::say("NVRTC has no function {}", absent), library_.path(),
                           how_to_get_nvrtc};

    int major = 0, minor = 0, count = 0;
    functions->version(&major, &minor);
    facts_.path = library_.path();
    facts_.version = fmt::format("{}.{}", major, minor);
    std::error_code ignored;
    facts_.build = fmt::format("{}", fs::file_size(facts_.path, ignored)); // NVRTC tells no update number
    functions->count_architectures(&count);
    facts_.architectures.resize(static_cast<size_t>(std::max(count, 0)));
    functions->architectures(facts_.architectures.data());
    std::sort(facts_.architectures.begin(), facts_.architectures.end());
    facts_.include_folders = find_include_folders(facts_.path);
    // NVRTC asks the loader for its built-in functions by name alone, and the loader has what is loaded already: so a toolkit
    // outside of the loader's path compiles, too, and a thread that may not read where they lie.
    const std::string built_in = "libnvrtc-builtins.so." + facts_.version;
    (void)base::SharedLibrary::open({(fs::path(facts_.path).parent_path() / built_in).string(), built_in});
    functions_ = std::move(functions);
    return base::Done{};
}

NvrtcOutput Nvrtc::compile(const std::string& text, const std::string& name, const std::string& name_expression,
                           const std::vector<std::string>& options, const std::vector<IncludedFile>& given) const {
    NvrtcOutput output;
    const Functions& call = *functions_;
    nvrtcProgram program = nullptr;
    auto is_fine = [&](nvrtcResult result) {
        if (result != NVRTC_SUCCESS && output.log.empty()) output.log = call.error_string(result);
        return result == NVRTC_SUCCESS;
    };
    std::vector<const char*> header_texts, header_names;
    for (const HostHeader& header : host_headers())
        header_texts.push_back(header.text), header_names.push_back(header.name);
    for (const IncludedFile& header : given)
        header_texts.push_back(header.text.c_str()), header_names.push_back(header.path.c_str());
    const auto included = static_cast<int>(header_names.size());
    const std::string file = name.starts_with('-') ? "./" + name : name; // NVRTC takes such a name for an option
    if (!is_fine(call.create(&program, text.c_str(), file.c_str(), included, header_texts.data(), header_names.data())))
        return output;
    auto destroy = [&](nvrtcProgram* p) { call.destroy(p); };
    std::unique_ptr<nvrtcProgram, decltype(destroy)> owner(&program, destroy);
    if (!name_expression.empty() && !is_fine(call.add_name(program, name_expression.c_str()))) return output;

    // Sizes count the terminating zero.
    auto fetch = [&](auto get_size, auto get) {
        size_t size = 0;
        std::string all;
        if (get_size(program, &size) != NVRTC_SUCCESS || size == 0) return all;
        all.resize(size);
        get(program, all.data());
        all.resize(all.find_last_not_of('\0') + 1);
        return all;
    };
    std::vector<const char*> arguments;
    for (const std::string& option : options) arguments.push_back(option.c_str());
    nvrtcResult compiled = call.compile(program, static_cast<int>(arguments.size()), arguments.data());
    output.log = fetch(call.log_size, call.log);
    if (!is_fine(compiled)) return output;

    const char* mangled = nullptr;
    if (!name_expression.empty() && !is_fine(call.lowered_name(program, name_expression.c_str(), &mangled)))
        return output;
    if (mangled) output.entry = mangled;
    output.ptx = fetch(call.ptx_size, call.ptx);
    output.succeeded = !output.ptx.empty();
    return output;
}

} // namespace compile
