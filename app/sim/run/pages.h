// The bytes of one buffer. Copies of a sealed one share its memory, page by page, until they write.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace sim {

class Pages {
public:
    explicit Pages(size_t bytes = 0); // zeroed; throws std::bad_alloc
    Pages(const Pages&);              // costs nothing if the other is sealed, else its size
    Pages(Pages&&) noexcept;
    Pages& operator=(Pages) noexcept;
    ~Pages();

    // The contents are complete: from now on copies share them.
    void seal();

    std::span<std::byte> write(); // ends the sharing by later copies of this object
    std::span<const std::byte> read() const { return {data_, size_}; }

private:
    struct File;
    void map(int flags);

    std::shared_ptr<const File> file_; // nothing: no contents were written, all are zero
    std::byte* data_ = nullptr;
    size_t size_ = 0;
    bool sealed_ = false;  // all contents lie in the file, if there are any
    bool private_ = false; // writes stay in this mapping
};

} // namespace sim
