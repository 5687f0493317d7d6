// For LD_PRELOAD: each look at the wall clock is years away from the one before, in either direction. The clock that only goes on
// goes on.
#include <ctime>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

time_t jump() {
    static unsigned looks = 0;
    constexpr time_t year = 365 * 86400;
    return (static_cast<time_t>(looks++ * 7919 % 41) - 20) * year;
}

} // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
    const long failed = ::syscall(SYS_clock_gettime, clock, now);
    if (failed == 0 && clock == CLOCK_REALTIME) now->tv_sec += jump();
    return static_cast<int>(failed);
}

int gettimeofday(timeval* now, void*) noexcept {
    timespec real{};
    clock_gettime(CLOCK_REALTIME, &real);
    now->tv_sec = real.tv_sec, now->tv_usec = real.tv_nsec / 1000;
    return 0;
}

time_t time(time_t* into) noexcept {
    timespec real{};
    clock_gettime(CLOCK_REALTIME, &real);
    if (into) *into = real.tv_sec;
    return real.tv_sec;
}
}
