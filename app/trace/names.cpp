#include "trace/trace.h"

namespace trace {

const char* name(FindingKind kind) {
    switch (kind) {
    case FindingKind::out_of_bounds: return "out_of_bounds";
    case FindingKind::misaligned: return "misaligned";
    case FindingKind::uninitialised_shared: return "uninitialised_shared";
    case FindingKind::uninitialised_register: return "uninitialised_register";
    case FindingKind::shared_race: return "shared_race";
    case FindingKind::global_race: return "global_race";
    case FindingKind::divergent_barrier: return "divergent_barrier";
    case FindingKind::unwaited_async_copy: return "unwaited_async_copy";
    case FindingKind::endless_loop: return "endless_loop";
    case FindingKind::mbarrier_misuse: return "mbarrier_misuse";
    case FindingKind::wrong_result: return "wrong_result";
    case FindingKind::unfinished_read: return "unfinished_read";
    case FindingKind::unwaited_register: return "unwaited_register";
    case FindingKind::unsupported: return "unsupported";
    }
    return "unsupported";
}

} // namespace trace
