#include "gpu/live/upload_queue.h"

#include <algorithm>

namespace gpu {

base::Status UploadQueue::step() {
    if (empty()) return base::Done{};
    const Part& part = parts_.front();
    const size_t count = std::min(piece, part.bytes.size() - done_);
    if (auto copied = part.to->upload(part.bytes.subspan(done_, count), done_); !copied) return copied;
    done_ += count;
    if (done_ < part.bytes.size()) return base::Done{};
    parts_.erase(parts_.begin());
    done_ = 0;
    return base::Done{};
}

} // namespace gpu
