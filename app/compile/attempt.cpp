#include "compile/attempt.h"

#include "compile/host_code.h"
#include "compile/host_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace compile {
namespace {

// Each try takes out what the one before complained about; a missing header ends a try.
constexpr int most_tries = 40;

// "x.h" of `cannot open source file "x.h"`
std::optional<std::string> missing_header(const Message& message) {
    if (!message.text.starts_with("cannot open source file")) return {};
    auto names = quoted_names(message.text);
    if (names.size() != 1) return {};
    return names.front();
}

class Tries {
public:
    Tries(const Nvrtc& compiler, const Source& source, const std::vector<std::string>& options)
        : compiler_(compiler), source_(source), options_(options), code_(source.text, source.name, source.entry) {}

    // `as_it_is`: what came of the file as it is, which is not compiled again if there is nothing to take
    // out; nothing: it was not compiled.
    Attempt run(std::optional<NvrtcOutput> as_it_is) {
        bool is_new = !as_it_is;
        if (is_new) take_thrust(), take_unused();
        Attempt attempt{as_it_is.value_or(NvrtcOutput{}), {}, {}};
        if (!is_new) is_new = learn(attempt.output);
        for (int i = 0; is_new && i < most_tries && !attempt.output.succeeded; ++i) {
            attempt.output = compile();
            is_new = learn(attempt.output);
        }
        if (as_it_is && is_entry_gone(attempt.output) && says_why(*as_it_is)) attempt.output = *std::move(as_it_is);
        attempt.notes = notes();
        if (!attempt.output.succeeded) attempt.reason = reason(attempt.output);
        return attempt;
    }

private:
    // The kernel that was asked for was taken out with an error of its own, as one is that a macro declares.
    static bool is_entry_gone(const NvrtcOutput& output) {
        const auto error = first_error(output.log);
        return !output.succeeded && error && is_about_entry(*error);
    }
    static bool says_why(const NvrtcOutput& whole) {
        const auto error = first_error(whole.log);
        return error && !is_about_entry(*error) && !missing_header(*error);
    }

    NvrtcOutput compile() const {
        std::vector<IncludedFile> headers(code_.files().begin() + 1, code_.files().end());
        for (const Message& m : missing_) headers.push_back({*missing_header(m), ""});
        std::vector<std::string> options = options_;
        for (const std::string& header : providers_) options.push_back(fmt::format("--pre-include={}", header));
        if (is_linux_) options.push_back("-D__linux__");
        if (has_register_) options.push_back("-Dregister=");
        return compiler_.compile(code_.files().front().text, source_.name, source_.entry, options, headers);
    }

    // Thrust is the host's.
    void take_thrust() { code_.remove_includes_of("/thrust/"); }

    bool learn(const NvrtcOutput& output) {
        return take_headers(output) || take_unused() || take_providers(output) || take_using_std(output) ||
               take_errors(output);
    }

    bool take_headers(const NvrtcOutput& output) {
        bool found = false;
        for (Message& message : messages(output.log)) {
            const auto name = missing_header(message);
            const auto is_known = [&](const Message& m) { return missing_header(m) == name; };
            if (!name || std::any_of(missing_.begin(), missing_.end(), is_known)) continue;
            found = true;
            if (is_elsewhere(*name, message.file)) continue;
            missing_.push_back(std::move(message));
        }
        return found;
    }

    // Whether the file lies where the compiler does not look by itself. From the next try on it is among code_'s.
    bool is_elsewhere(const std::string& name, const std::string& including) {
        return !find_included(name, std::filesystem::path(including).parent_path()).empty() &&
               elsewhere_.insert(name).second;
    }

    bool take_unused() { return !std::exchange(unused_taken_, true) && code_.remove_unused(); }

    // What is left uses a name that the file leaves to another header to bring, as a host's compiler lets it:
    // `namespace "std" has no member "array"`, `identifier "half" is undefined`.
    bool take_providers(const NvrtcOutput& output) {
        const size_t before = providers_.size() + is_linux_ + has_register_;
        for (const Message& message : messages(output.log)) {
            const auto names = quoted_names(message.text);
            if (!message.error || !is_own(message.file)) continue;
            is_linux_ |=
                message.text.starts_with("#error"); // most often "unsupported system", which NVRTC's preprocessor is
            has_register_ |= message.text.find("\"register\" storage class") != message.text.npos; // which C++17 ended
            if (names.empty()) continue;
            const bool is_standard = names.size() == 2 && names[0] == "std";
            if (const char* header = host_provider(names.back(), is_standard)) providers_.insert(header);
        }
        return providers_.size() + is_linux_ + has_register_ > before;
    }

    // `exp` is CUDA's, and where all of CUDA's standard library was included it has another: with `using namespace std` neither
    // is better.
    bool take_using_std(const NvrtcOutput& output) {
        const auto all = messages(output.log);
        const auto is_ambiguous = [](const Message& m) {
            return m.error && m.text.starts_with("more than one instance of overloaded function");
        };
        return !providers_.empty() && std::any_of(all.begin(), all.end(), is_ambiguous) && code_.remove_using_std();
    }

    bool take_errors(const NvrtcOutput& output) {
        bool found = false;
        code_.begin_errors();
        for (const Message& m : messages(output.log)) {
            if (!m.error || m.file.empty()) continue;
            found |= code_.remove_at(m.file, m.line, m.text);
            if (!is_own(m.file)) found |= code_.remove_includes_of(m.file);
        }
        return found;
    }

    bool is_own(const std::string& file) const {
        return std::any_of(code_.files().begin(), code_.files().end(),
                           [&](const IncludedFile& own) { return own.path == file; });
    }

    std::vector<Diagnostic> notes() const {
        std::vector<Diagnostic> found;
        for (const Message& m : missing_) {
            found.push_back({false, m.file == source_.name ? m.line : 0,
                             base::say("{} was not found and is read as empty", *missing_header(m))});
        }
        return found;
    }

    // Where device code uses what was taken out as the host's, the error is why that could not be compiled.
    std::optional<Reason> reason(const NvrtcOutput& output) const {
        for (const Message& m : messages(output.log)) {
            if (!m.error) continue;
            const auto names = quoted_names(m.text);
            const auto gone = code_.removed(names);
            if (!gone) continue;
            const auto name =
                std::find_if(names.begin(), names.end(), [&](const std::string& n) { return gone->names.contains(n); });
            return Reason{gone->file, gone->line,
                          base::say("{} is used in line {} by device code and cannot be compiled for the device: {}",
                                    *name, m.line, gone->error)};
        }
        return {};
    }

    const Nvrtc& compiler_;
    const Source& source_;
    const std::vector<std::string>& options_;
    HostCode code_;
    std::vector<Message> missing_; // each about another header
    std::set<std::string> elsewhere_;
    std::set<std::string> providers_; // headers to include before the first line
    bool unused_taken_ = false, is_linux_ = false, has_register_ = false;
};

} // namespace

Attempt attempt(const Nvrtc& compiler, const Source& given, const std::vector<std::string>& options) {
    Source source = given;
    if (source.text.starts_with("\xEF\xBB\xBF"))
        source.text.replace(0, 3, "   "); // the mark that some editors begin a file with
    // Without the declarations of textures and of the runtime's API, which most kernels do not use, NVRTC starts 5 ms
    // earlier, and its PTX is the same. Where they are used, or NVRTC is too old to know the option, it reads all of them.
    std::vector<std::string> fewer = options;
    fewer.push_back("-minimal");
    // Where kernels are launched, or Thrust is used, there is host code, and NVRTC may take seconds to say
    // so.
    for (const char* sign : {"<<<", "#include <thrust/"})
        if (source.text.find(sign) != source.text.npos) return Tries(compiler, source, options).run({});
    NvrtcOutput output = compiler.compile(source.text, source.name, source.entry, fewer);
    if (!output.succeeded) output = compiler.compile(source.text, source.name, source.entry, options);
    if (output.succeeded) return {std::move(output), {}, {}};
    return Tries(compiler, source, options).run(std::move(output));
}

} // namespace compile
