// How long work takes on the device, between two events.
#pragma once

#include "gpu/driver/device.h"

namespace gpu {

class Stopwatch {
public:
    static base::Result<Stopwatch> create(const Driver& driver) {
        auto start = DeviceEvent::create(driver), stop = DeviceEvent::create(driver);
        for (auto* event : {&start, &stop})
            if (!*event) return event->error();
        return Stopwatch(std::move(*start), std::move(*stop));
    }

    // Milliseconds that `work` takes, which launches without waiting and gives a Status. `meanwhile` is
    // called once all is launched.
    template <class Work, class Meanwhile>
    base::Result<double> time(Work work, Deadline deadline, Meanwhile meanwhile) {
        if (auto done = start_.record(); !done) return done.error();
        if (auto done = work(); !done) return done.error();
        if (auto done = stop_.record(); !done) return done.error();
        meanwhile();
        if (auto done = stop_.wait(deadline); !done) return done.error();
        return stop_.ms_since(start_);
    }
    template <class Work>
    base::Result<double> time(Work work, Deadline deadline) {
        return time(work, deadline, [] {});
    }

    base::Status finish(Deadline deadline) { // waits for all that was launched
        if (auto done = stop_.record(); !done) return done;
        return stop_.wait(deadline);
    }

private:
    Stopwatch(DeviceEvent start, DeviceEvent stop) : start_(std::move(start)), stop_(std::move(stop)) {}
    DeviceEvent start_, stop_;
};

} // namespace gpu
