#include "compile/confined.h"

#include "base/caught.h"
#include "base/process.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace compile {
namespace {
namespace fs = std::filesystem;

void allow(const base::Descriptor& rules, const fs::path& place) {
    const base::Descriptor file(::open(place.c_str(), O_PATH | O_CLOEXEC));
    landlock_path_beneath_attr beneath{};
    beneath.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE;
    beneath.parent_fd = file.number();
    (void)::syscall(SYS_landlock_add_rule, rules.number(), LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
}

// The calling thread, for ever.
void confine(const std::vector<fs::path>& readable) {
    landlock_ruleset_attr handled{};
    handled.handled_access_fs = LANDLOCK_ACCESS_FS_READ_FILE;
    const base::Descriptor rules(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0)));
    if (!rules || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
    for (const char* system : {"/usr", "/lib", "/lib64"}) allow(rules, system);
    for (const fs::path& place : readable) allow(rules, place);
    (void)::syscall(SYS_landlock_restrict_self, rules.number(), 0);
}

struct Task {
    const std::vector<fs::path>& readable;
    const std::function<void()>& work;
    std::exception_ptr thrown{};

    static void* run(void* self) {
        auto& task = *static_cast<Task*>(self);
        task.thrown = base::caught([&] {
            confine(task.readable);
            task.work();
        });
        return nullptr;
    }
};

} // namespace

void confined(const std::vector<fs::path>& readable, const std::function<void()>& work) {
    constexpr size_t stack = size_t{64} << 20; // templates nest deeply, as on the first thread
    Task task{readable, work};
    pthread_attr_t attributes;
    pthread_t thread{};
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstacksize(&attributes, stack);
    const int failed = ::pthread_create(&thread, &attributes, Task::run, &task);
    ::pthread_attr_destroy(&attributes);
    if (failed != 0) throw std::bad_alloc();
    ::pthread_join(thread, nullptr);
    if (task.thrown) std::rethrow_exception(task.thrown);
}

} // namespace compile
