// Replaces `operator new` by one that counts calls.
// SPDX-License-Identifier: Apache-2.0
#include "bench/Allocations.h"

#include <cstdlib>
#include <new>

namespace planc::bench {
namespace {
thread_local size_t asked = 0; // per thread, because a shared counter would slow down parallel searches
} // namespace

size_t allocations() {
  return asked;
}

static void* counted(std::size_t size, std::size_t align = 0) {
  ++asked;
  if (size == 0) size = 1;
  if (void* found = align ? std::aligned_alloc(align, (size + align - 1) / align * align) : std::malloc(size))
    return found;
  throw std::bad_alloc();
}

} // namespace planc::bench

void* operator new(std::size_t size) {
  return planc::bench::counted(size);
}
void* operator new[](std::size_t size) {
  return planc::bench::counted(size);
}
void* operator new(std::size_t size, std::align_val_t align) {
  return planc::bench::counted(size, static_cast<std::size_t>(align));
}
void* operator new[](std::size_t size, std::align_val_t align) {
  return planc::bench::counted(size, static_cast<std::size_t>(align));
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
void operator delete(void* at, std::align_val_t) noexcept {
  std::free(at);
}
void operator delete[](void* at, std::align_val_t) noexcept {
  std::free(at);
}
void operator delete(void* at, std::size_t, std::align_val_t) noexcept {
  std::free(at);
}
void operator delete[](void* at, std::size_t, std::align_val_t) noexcept {
  std::free(at);
}
