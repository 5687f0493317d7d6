// Preloaded into a program (glibc, x86-64): every allocation lies between two guards that nobody may write to, and what was freed stays for a
// while, filled with one byte, so that a write to it is seen. AddressSanitizer sees more, at once, in code that was compiled with it; this also
// sees what libraries do that were not, and lets the program run at its own pace. On damage it says who allocated and who freed the memory, as
// words of the stack that point into a program or library, and aborts.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
}

namespace {

constexpr size_t stack_words = 26; // enough to reach past operator new and a container's functions
using Stack = std::array<void*, stack_words>;

enum class State : uint64_t { live = 0x4c69766520e3a7c1, freed = 0x46726565d19b52f8 };

struct alignas(16) Head { // before what the program gets
    void* block;
    size_t size; // bytes that the program asked for
    State state;
    Stack allocated_by, freed_by;
    std::array<uint64_t, 3> guard; // up to the last byte
};
static_assert(offsetof(Head, guard) + sizeof(Head::guard) == sizeof(Head));
constexpr uint64_t guard_word = 0xa5c3a5c3f00dcafe;
constexpr std::array<unsigned char, 16> tail{0xb7, 0x5e, 0xb7, 0x5e, 0xb7, 0x5e, 0xb7, 0x5e,
                                             0xb7, 0x5e, 0xb7, 0x5e, 0xb7, 0x5e, 0xb7, 0x5e};
constexpr unsigned char filling = 0xdd;
constexpr size_t most_kept = 4096; // bytes: larger ones are given back at once

Head* head_of(void* memory) { return static_cast<Head*>(memory) - 1; }

// Of the caller: a copy of the stack costs little, and to unwind it would cost much. The words above a thread's first frame are its own, too.
void take(Stack& stack, void* frame) { std::memcpy(stack.data(), frame, sizeof stack); }

void say(const char* words) { (void)!write(STDERR_FILENO, words, std::strlen(words)); }

// "gemmscope+0x37df0d": for addr2line.
void say(const char* title, const Stack& stack) {
    say(title);
    for (void* word : stack) {
        Dl_info found{};
        if (!word || !dladdr(word, &found) || !found.dli_fname) continue;
        std::array<char, 512> line{};
        std::snprintf(line.data(), line.size(), "  %s+%#zx %s\n", found.dli_fname,
                      static_cast<size_t>(static_cast<char*>(word) - static_cast<char*>(found.dli_fbase)),
                      found.dli_sname ? found.dli_sname : "");
        say(line.data());
    }
}

[[noreturn]] void damaged(const char* what, void* memory) {
    const Head& head = *head_of(memory);
    std::array<char, 256> line{};
    std::snprintf(line.data(), line.size(), "heap guard: %s: %zu bytes at %p\n", what, head.size, memory);
    say(line.data());
    say(" allocated by\n", head.allocated_by);
    if (head.state == State::freed) say(" freed by\n", head.freed_by);
    std::abort();
}

void* allocate(size_t size, size_t alignment, void* frame) {
    constexpr size_t most = size_t{1} << 46;
    const size_t room = (sizeof(Head) + alignment - 1) / alignment * alignment;
    auto* block = static_cast<char*>(size > most       ? nullptr
                                     : alignment <= 16 ? __libc_malloc(room + size + tail.size())
                                                       : __libc_memalign(alignment, room + size + tail.size()));
    if (!block) return errno = ENOMEM, nullptr;
    void* const memory = block + room;
    Head& head = *head_of(memory);
    head.block = block, head.size = size, head.state = State::live;
    head.guard.fill(guard_word);
    take(head.allocated_by, frame);
    std::memcpy(static_cast<char*>(memory) + size, tail.data(), tail.size());
    return memory;
}

void check_guards(void* memory) {
    const Head& head = *head_of(memory);
    for (const uint64_t word : head.guard)
        if (word != guard_word) damaged("something wrote before it", memory);
    if (head.state == State::freed) damaged("freed twice", memory);
    if (head.state != State::live) damaged("freed, and never allocated", memory);
    if (std::memcmp(static_cast<char*>(memory) + head.size, tail.data(), tail.size()) != 0)
        damaged("something wrote behind it", memory);
}

// The last ones that were freed.
std::array<std::atomic<void*>, 16384> kept;
std::atomic<size_t> next_kept;

void release(void* memory, void* frame) {
    check_guards(memory);
    Head& head = *head_of(memory);
    head.state = State::freed;
    if (head.size > most_kept) return __libc_free(head.block);
    take(head.freed_by, frame);
    std::memset(memory, filling, head.size);
    void* const oldest = kept[next_kept++ % kept.size()].exchange(memory);
    if (!oldest) return;
    const Head& last = *head_of(oldest);
    const auto* bytes = static_cast<const unsigned char*>(oldest);
    for (size_t i = 0; i < last.size; ++i)
        if (bytes[i] != filling) damaged("something wrote to it after it was freed", oldest);
    if (std::memcmp(bytes + last.size, tail.data(), tail.size()) != 0)
        damaged("something wrote behind it after it was freed", oldest);
    __libc_free(last.block);
}

} // namespace

#define FRAME __builtin_frame_address(0)

extern "C" {

void* malloc(size_t size) { return allocate(size, 16, FRAME); }
void* memalign(size_t alignment, size_t size) { return allocate(size, alignment, FRAME); }
void* aligned_alloc(size_t alignment, size_t size) { return allocate(size, alignment, FRAME); }
int posix_memalign(void** memory, size_t alignment, size_t size) {
    void* const made = allocate(size, alignment, FRAME);
    if (!made) return ENOMEM;
    return *memory = made, 0;
}
void* calloc(size_t count, size_t each) {
    size_t size = 0;
    if (__builtin_mul_overflow(count, each, &size)) return errno = ENOMEM, nullptr;
    void* const memory = allocate(size, 16, FRAME);
    return memory ? std::memset(memory, 0, size) : nullptr;
}
void free(void* memory) {
    const int before = errno;
    if (memory) release(memory, FRAME);
    errno = before;
}
void* realloc(void* memory, size_t size) {
    if (!memory) return allocate(size, 16, FRAME);
    if (size == 0) return free(memory), nullptr;
    check_guards(memory);
    void* const made = allocate(size, 16, FRAME);
    if (!made) return nullptr;
    std::memcpy(made, memory, std::min(size, head_of(memory)->size));
    release(memory, FRAME);
    return made;
}
void* reallocarray(void* memory, size_t count, size_t each) {
    size_t size = 0;
    if (__builtin_mul_overflow(count, each, &size)) return errno = ENOMEM, nullptr;
    return realloc(memory, size);
}
size_t malloc_usable_size(void* memory) { return memory ? head_of(memory)->size : 0; }
}
