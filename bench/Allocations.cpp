// Replaces the `operator new` of the benchmark by one that counts.
// SPDX-License-Identifier: Apache-2.0
#include "bench/Allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace planc::bench {
namespace {
std::atomic<size_t> asked{0};
} // namespace

size_t allocations() {
  return asked.load(std::memory_order_relaxed);
}

static void* counted(std::size_t size) {
  asked.fetch_add(1, std::memory_order_relaxed);
  if (void* found = std::malloc(size ? size : 1)) return found;
  throw std::bad_alloc();
}

} // namespace planc::bench

void* operator new(std::size_t size) {
  return planc::bench::counted(size);
}
void* operator new[](std::size_t size) {
  return planc::bench::counted(size);
}
void operator delete(void* at) noexcept {
  std::free(at);
}
void operator delete[](void* at) noexcept {
  std::free(at);
}
void operator delete(void* at, std::size_t) noexcept {
  std::free(at);
}
void operator delete[](void* at, std::size_t) noexcept {
  std::free(at);
}
