#include "base/caught.h"

#include <new>

namespace base {

Error error_of(const std::exception_ptr& caught, Failure failure) {
    try {
        std::rethrow_exception(caught);
    } catch (const std::bad_alloc&) {
        return {failure, "memory ran out", {}, "choose a smaller size"};
    } catch (const std::exception& exception) {
        return {failure, exception.what(), {}, {}};
    } catch (...) {
        return {failure, "an exception of an unknown kind was thrown", {}, {}};
    }
}

} // namespace base
