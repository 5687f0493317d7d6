// A streamed product on the device: host arrays, buffers, streams and events, and how operations are handed
// to them.
#pragma once

#include "gpu/worker/stopwatch.h"
#include "measure/stream_plan.h"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace gpu {

class StreamRig {
public:
    // Errors: too little memory of host (says how much is needed and left) or GPU, an image that does not
    // load, a piece without a grid.
    static base::Result<std::unique_ptr<StreamRig>> build(const Driver&, const StreamRequest&, measure::StreamPlan);

    const measure::StreamPlan& plan() const { return plan_; }
    // All operations, each as soon as what it waits for has ended. C finds NaN where nothing is stored.
    base::Result<std::vector<measure::StreamTime>> run(Deadline);
    // One launch on whole matrices in the GPU's memory, ms, after one to warm up; 0: they do not fit.
    base::Result<double> in_core_ms(Deadline);

    base::NumbersView a() const { return view('A', a_); }
    base::NumbersView b() const { return view('B', b_); }
    base::NumbersView c() const { return view('C', c_); }
    base::NumbersView c_before() const { return before_ ? view('C', *before_) : base::NumbersView{}; }

private:
    struct Buffers {
        std::vector<DeviceArray> a, b, c;
    };
    struct Whole { // the matrices in the GPU's memory
        DeviceArray a, b, c;
        GemmArguments arguments;
    };
    StreamRig(const Driver&, StreamRequest, measure::StreamPlan, LoadedKernel, HostArray a, HostArray b, HostArray c,
              Buffers, std::vector<DeviceStream>, std::vector<DeviceEvent>, Stopwatch);
    base::Status start(size_t operation);
    base::Status load(const measure::StreamOperation&, const DeviceStream&);
    base::Status multiply(const measure::StreamOperation&, const DeviceStream&);
    base::Status copy_c(const measure::StreamOperation&, const DeviceStream&);
    base::NumbersView view(char matrix, const HostArray&) const;
    // The box of a host matrix that begins at (row, column).
    DeviceStream::Place host(char matrix, const HostArray&, int row, int column) const;
    DeviceEvent& started(size_t operation) { return events_[2 * operation]; }
    DeviceEvent& ended(size_t operation) { return events_[2 * operation + 1]; }

    const Driver* driver_;
    StreamRequest request_;
    measure::StreamPlan plan_;
    LoadedKernel kernel_;
    HostArray a_, b_, c_;
    std::optional<HostArray> before_; // C before, where beta counts it
    Buffers buffers_;
    std::vector<DeviceStream> streams_; // one a row
    std::vector<DeviceEvent> events_;   // two an operation
    Stopwatch watch_;
    std::optional<Whole> whole_;
};

} // namespace gpu
