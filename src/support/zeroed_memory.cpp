#include "support/zeroed_memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace meteor {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLarge = 2 * kHugePage;

std::size_t rounded(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

void* allocate_small(std::size_t bytes) {
  void* const memory = std::aligned_alloc(kAlignment, rounded(bytes, kAlignment));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

/// Whole pages, the first of them where a huge page may begin. What is mapped around them is given back.
void* map_pages(std::size_t bytes) {
  void* const mapped = mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const from = static_cast<std::byte*>(mapped);
  const std::size_t skipped =
      rounded(reinterpret_cast<std::uintptr_t>(mapped), kHugePage) - reinterpret_cast<std::uintptr_t>(mapped);
  if (skipped > 0) munmap(from, skipped);
  if (skipped < kHugePage) munmap(from + skipped + bytes, kHugePage - skipped);
  madvise(from + skipped, bytes, MADV_HUGEPAGE);  // no more than advice
  return from + skipped;
}

constexpr std::size_t kPage = 4096;

}  // namespace

void* allocate_zeroed(std::size_t bytes) {
  if (bytes >= kLarge) return map_pages(rounded(bytes, kPage));
  void* const memory = allocate_small(bytes);
  std::memset(memory, 0, bytes);
  return memory;
}

void release_zeroed(void* memory, std::size_t bytes) {
  if (bytes >= kLarge) {
    munmap(memory, rounded(bytes, kPage));
  } else {
    std::free(memory);
  }
}

void* shrink_zeroed(void* memory, std::size_t before, std::size_t bytes) {
  if (before < kLarge) return memory;  // not worth copying
  if (bytes >= kLarge) {
    const std::size_t kept = rounded(bytes, kPage);
    const std::size_t held = rounded(before, kPage);
    if (kept < held) munmap(static_cast<std::byte*>(memory) + kept, held - kept);
    return memory;
  }
  void* const smaller = allocate_small(bytes);
  std::memcpy(smaller, memory, bytes);
  release_zeroed(memory, before);
  return smaller;
}

}  // namespace meteor
