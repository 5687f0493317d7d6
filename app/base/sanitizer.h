// What this program was instrumented with.
#pragma once

#ifdef __has_feature
#define GEMMSCOPE_HAS(feature) __has_feature(feature) // clang says it so, GCC by a macro of each
#else
#define GEMMSCOPE_HAS(feature) 0
#endif

namespace base {

#if defined(__SANITIZE_ADDRESS__) || GEMMSCOPE_HAS(address_sanitizer)
constexpr bool address_sanitizer = true;
#else
constexpr bool address_sanitizer = false;
#endif

#if defined(__SANITIZE_THREAD__) || GEMMSCOPE_HAS(thread_sanitizer)
constexpr bool thread_sanitizer = true;
#else
constexpr bool thread_sanitizer = false;
#endif

// For its shadow, so that no limit of the address space is wide enough.
constexpr bool reserves_terabytes = address_sanitizer || thread_sanitizer;

} // namespace base

#undef GEMMSCOPE_HAS
