#include "gpu/live/upload_queue.h"

#include <algorithm>

namespace gpu {

base::Status UploadQueue::step() {
    if (empty()) return base::Done{};
    const Part& part = parts_.front();
    const size_t count = std::min(piece, part.values.size() - done_);
    if (auto copied = part.to->upload(part.values.subspan(done_, count), part.element, done_); !copied)
        return copied;
    done_ += count;
    if (done_ < part.values.size()) return base::Done{};
    parts_.erase(parts_.begin());
    done_ = 0;
    return base::Done{};
}

} // namespace gpu
