// Reserves memory for the processing of a request. A body of 16 MB of small values takes some
// hundred, which a container may not have.
#ifndef DYNOLITH_TOOLS_SERVER_WIRE_REQUEST_MEMORY_H_
#define DYNOLITH_TOOLS_SERVER_WIRE_REQUEST_MEMORY_H_

#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>

namespace dynolith::http {

// Thread-safe.
class RequestMemory {
 public:
  // Reserved memory, released by the destructor. Must not outlive its RequestMemory.
  class Reservation {
   public:
    Reservation() = default;
    Reservation(RequestMemory* memory, uint64_t bytes) : memory_(memory), bytes_(bytes) {}
    Reservation(Reservation&& other) noexcept
        : memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}
    Reservation& operator=(Reservation&&) = delete;
    ~Reservation() {
      if (memory_ != nullptr) memory_->reserved_ -= bytes_;
    }
    bool is_granted() const { return memory_ != nullptr; }

   private:
    RequestMemory* memory_ = nullptr;
    uint64_t bytes_ = 0;
  };

  // `limit_bytes`: the limit at which the system would kill this process; 0: no limit.
  explicit RequestMemory(uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // Reserves memory for a request with this decompressed body. A small body always gets it. O(body)
  // if the body is large.
  Reservation Reserve(std::string_view body);

 private:
  const uint64_t limit_bytes_;
  std::atomic<uint64_t> reserved_{0};
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_SERVER_WIRE_REQUEST_MEMORY_H_
