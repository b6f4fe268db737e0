#include "engine/process/futex.h"

#include <windows.h>

#include <algorithm>

namespace dynolith {
namespace {

// Rounded up: a wait that ends early would begin again.
DWORD MillisecondsUntil(FutexEnd end) {
  if (!end) return INFINITE;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(*end - std::chrono::steady_clock::now());
  return static_cast<DWORD>(std::clamp<int64_t>(left.count(), 0, INFINITE - 1));
}

}  // namespace

bool FutexWait(std::atomic<uint32_t>* word, uint32_t value, FutexEnd end) {
  if (WaitOnAddress(word, &value, sizeof value, MillisecondsUntil(end))) return true;
  return GetLastError() != ERROR_TIMEOUT || !end || std::chrono::steady_clock::now() < *end;
}

void FutexWakeOne(std::atomic<uint32_t>* word) { WakeByAddressSingle(word); }
void FutexWakeAll(std::atomic<uint32_t>* word) { WakeByAddressAll(word); }

}  // namespace dynolith
