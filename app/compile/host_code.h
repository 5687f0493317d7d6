// Takes a program's host code out of a CUDA file, so that what is left compiles for the device.
#pragma once

#include "compile/local_includes.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace compile {

struct Kernel {                      // as declared
    std::string name;                // "ns::sgemm"
    std::string template_parameters; // "<int BM, int BN>"; empty: none
    std::string file;                // as in files()
    int line = 0;
    bool is_defined = false; // or only declared
};

// A file and the files of the user that it includes. Whatever is taken out is replaced by spaces, so lines stay where they
// are; preprocessor lines stay, too.
class HostCode {
public:
    // `name` is the file's, as diagnostics have it. `entry`: what the user chose, which may name things.
    HostCode(std::string_view text, const std::string& name, std::string_view entry);

    // Takes out every declaration that is neither marked for the device nor needed by one that is, by the names it mentions.
    // False: there is none.
    bool remove_unused();

    // Takes out the host declaration at that line, because of an error that a compiler found there: of a class's function
    // the body first. Of kernels those that the entry does not name. False: there is none, so the error is device code's own, or is in a file that is not the user's.
    // One declaration may have several errors: only the first of them since begin_errors() takes something out.
    void begin_errors() { touched_.clear(); }
    bool remove_at(const std::string& file, int line, const std::string& error);

    // Takes out the #include lines that lead to `file`, one of those that are not the user's and that cannot be compiled.
    bool remove_includes_of(std::string_view file);

    // Takes out every `using namespace std;`.
    bool remove_using_std();

    struct Removed {
        std::set<std::string, std::less<>> names;
        std::string file;
        int line = 0;
        std::string error;
    };
    // The declaration that was taken out because of an error and that introduces one of the names.
    std::optional<Removed> removed(const std::vector<std::string>& names) const;

    // As they are now: the file itself, then those it includes. An included one's name is its path, which all
    // #include lines have been made to say.
    const std::vector<IncludedFile>& files() const { return files_; }

    const std::vector<Kernel>& kernels() const { return kernels_; }

private:
    struct Entity { // a declaration at namespace scope, or a class's function
        size_t file = 0;
        size_t begin = 0, end = 0, body_begin = 0, body_end = 0;
        int first_line = 0, last_line = 0, body_line = 0;
        std::set<std::string, std::less<>> names, words;
        bool is_device = false, is_function = false, is_kernel = false, is_removed = false;
        int owner = -1; // the class of a function
    };
    std::vector<IncludedFile> files_;
    std::vector<Entity> entities_;
    std::vector<std::pair<std::string, std::set<std::string, std::less<>>>> macros_;
    std::set<std::string, std::less<>> entry_words_;
    std::vector<Kernel> kernels_;
    std::vector<Removed> removed_;
    std::set<size_t> touched_; // entities

    void find_entities();
    void point_includes();
    std::set<std::string, std::less<>> needed_words() const;
    void remove(Entity&);
    bool is_other_kernel(const Entity&) const;
    void blank(size_t file, size_t begin, size_t end);
};

} // namespace compile
