#include "tools/lab/model/side_by_side.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "engine/process/thread_start.h"

namespace dynolith::lab {

void SideBySide(size_t count, size_t threads, absl::FunctionRef<void(size_t)> work) {
  std::atomic<size_t> next = 0;
  const auto take = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> others;
  for (size_t i = 1; i < std::min(threads, count); ++i) {
    std::thread other;
    if (!StartThread(take, &other).ok()) break;
    others.push_back(std::move(other));
  }
  take();
  for (std::thread& other : others) other.join();
}

}  // namespace dynolith::lab
