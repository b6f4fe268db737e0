#include "engine/process/memory_reserve.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <new>

#include "engine/process/address_space.h"

namespace dynolith {
namespace {

using Part = std::atomic<void*>;  // nullptr: given up, or not kept

std::atomic<bool> is_kept = false;
std::array<Part, 2> parts;

// Not by malloc, which would keep what is given up for one of its arenas.
bool Take(Part* part) {
  if (part->load(std::memory_order_relaxed) != nullptr) return true;
  void* const taken = TakeAddressSpace(MemoryReserve::kPartBytes);
  if (taken == nullptr) return false;
  void* none = nullptr;
  // Another thread may have been faster.
  if (!part->compare_exchange_strong(none, taken)) {
    ReturnAddressSpace(taken, MemoryReserve::kPartBytes);
  }
  return true;
}

}  // namespace

void MemoryReserve::Keep() {
  if (std::get_new_handler() != nullptr) return;
  if (is_kept.exchange(true)) return;
  std::set_new_handler(GiveUp);
  IsThere();
}

bool MemoryReserve::IsThere() {
  if (!is_kept.load(std::memory_order_relaxed)) return true;
  // First that of the threads, which end the process without it.
  return std::all_of(parts.rbegin(), parts.rend(), [](Part& part) { return Take(&part); });
}

void MemoryReserve::GiveUp() {
  for (size_t i = 0; i < static_cast<size_t>(user_); ++i) {
    if (void* const given = parts[i].exchange(nullptr)) {
      ReturnAddressSpace(given, kPartBytes);
      return;
    }
  }
  throw std::bad_alloc();
}

}  // namespace dynolith
