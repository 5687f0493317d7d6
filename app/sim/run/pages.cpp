#include "sim/run/pages.h"

#include "base/heap.h"

#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace sim {

// Memory that the system can map several times: what is mapped privately is copied by it where it is written.
struct Pages::File {
    int descriptor = -1;
    explicit File(size_t bytes) : descriptor(::memfd_create("gemmscope", MFD_CLOEXEC)) {
        if (descriptor < 0) throw std::bad_alloc();
        if (::ftruncate(descriptor, static_cast<off_t>(bytes)) == 0) return;
        ::close(descriptor);
        throw std::bad_alloc();
    }
    ~File() { ::close(descriptor); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
};

// In place of what is mapped already, if anything is.
void Pages::map(int flags) {
    const int descriptor = file_ ? file_->descriptor : -1;
    if (!file_) flags |= MAP_ANONYMOUS | MAP_NORESERVE;
    if (data_) base::return_pages({data_, size_});
    void* at = ::mmap(data_, size_, PROT_READ | PROT_WRITE, data_ ? flags | MAP_FIXED : flags, descriptor, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(at);
}

Pages::Pages(size_t bytes) : size_(bytes) {
    if (size_ > 0) map(MAP_PRIVATE);
}

Pages::Pages(const Pages& other) : size_(other.size_), sealed_(other.sealed_), private_(other.sealed_) {
    if (size_ == 0) return;
    file_ = sealed_ ? other.file_ : std::make_shared<const File>(size_);
    map(sealed_ ? MAP_PRIVATE : MAP_SHARED);
    if (!sealed_) std::memcpy(data_, other.data_, size_);
}

Pages::Pages(Pages&& other) noexcept
    : file_(std::move(other.file_)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)),
      sealed_(other.sealed_), private_(other.private_) {}

Pages& Pages::operator=(Pages other) noexcept {
    std::swap(file_, other.file_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(sealed_, other.sealed_);
    std::swap(private_, other.private_);
    return *this;
}

Pages::~Pages() {
    if (!data_) return;
    base::return_pages({data_, size_});
    ::munmap(data_, size_);
}

void Pages::seal() {
    if (sealed_) return;
    if (private_) *this = Pages(*this); // what was written to a private mapping is in no file
    sealed_ = private_ = true;
    if (size_ > 0 && file_) map(MAP_PRIVATE);
}

std::span<std::byte> Pages::write() {
    sealed_ = false;
    if (size_ > 0 && !file_ && !private_) {
        file_ = std::make_shared<const File>(size_);
        map(MAP_SHARED);
    }
    return {data_, size_};
}

} // namespace sim
