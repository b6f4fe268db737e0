// The memory of the records that lanes have read and not sent, which has one bound for all of them.
#ifndef DYNOLITH_TOOLS_SERVER_KINESIS_WAITING_BYTES_H_
#define DYNOLITH_TOOLS_SERVER_KINESIS_WAITING_BYTES_H_

#include <atomic>
#include <cstddef>

namespace dynolith::kinesis {

// Thread-safe.
class WaitingBytes {
 public:
  explicit WaitingBytes(size_t bytes_max) : bytes_max_(bytes_max) {}

  size_t get() const { return bytes_.load(std::memory_order_relaxed); }

  // What one lane has of it. For one thread at a time.
  class Part {
   public:
    explicit Part(WaitingBytes* all) : all_(all) {}
    ~Part() { Return(bytes_); }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    size_t get() const { return bytes_; }
    // Adds them if there is room for so many more; false: there is none.
    bool Reserve(size_t bytes) {
      size_t before = all_->get();
      do {
        if (before + bytes > all_->bytes_max_) return false;
      } while (!all_->bytes_.compare_exchange_weak(before, before + bytes));
      bytes_ += bytes;
      return true;
    }
    // Whether Reserve would find no room.
    bool is_scarce(size_t bytes) const { return all_->get() + bytes > all_->bytes_max_; }
    // Adds them, whether there is room or not: they are there already.
    void Add(size_t bytes) {
      all_->bytes_ += bytes;
      bytes_ += bytes;
    }
    // Requires: at most get().
    void Return(size_t bytes) {
      all_->bytes_ -= bytes;
      bytes_ -= bytes;
    }

   private:
    WaitingBytes* const all_;
    size_t bytes_ = 0;
  };

 private:
  const size_t bytes_max_;
  std::atomic<size_t> bytes_ = 0;
};

}  // namespace dynolith::kinesis

#endif  // DYNOLITH_TOOLS_SERVER_KINESIS_WAITING_BYTES_H_
