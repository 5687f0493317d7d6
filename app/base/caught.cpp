#include "base/caught.h"

#include <new>

namespace base {

Error error_of(const std::exception_ptr& caught, Failure failure) {
    try {
        std::rethrow_exception(caught);
    } catch (const std::bad_alloc&) {
        return {failure, say("memory ran out"), {}, say("choose a smaller size")};
    } catch (const std::exception& exception) {
        return {failure, verbatim(exception.what()), {}, {}};
    } catch (...) {
        return {failure, say("an exception of an unknown kind was thrown"), {}, {}};
    }
}

} // namespace base
