// Memory for those who cannot do without any: RocksDB ends the process if one of its threads finds
// none, and is no more usable if a call of it is left by an exception.
#ifndef DYNOLITH_ENGINE_PROCESS_MEMORY_RESERVE_H_
#define DYNOLITH_ENGINE_PROCESS_MEMORY_RESERVE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace dynolith {

// One of the process, in two parts of untouched address space, which costs no memory. A part is
// given up when an allocation fails that may take it; then the allocation is tried again.
class MemoryReserve {
 public:
  // More than a memtable's block, the buffers of a flush and a file's filter take together.
  static constexpr size_t kPartBytes = size_t{16} << 20;

  enum class User : uint8_t {
    kNobody,
    kCall,    // may take the first part
    kThread,  // may take both, as the process ends without: RocksDB's threads and some calls
  };

  // From then on there is one. Outside of scopes allocations fail as before. Does nothing if the
  // program has a new_handler of its own.
  static void Keep();
  // Whether it is there, or there is enough memory to take it back. If not, do not begin what may
  // need it. Cheap if it is there.
  static bool IsThere();
  // Whether this thread may take from it.
  static bool IsForThisThread() { return user_ != User::kNobody; }

  // What the thread is as long as it lives, if it is not more already.
  class Scope {
   public:
    explicit Scope(User user) : before_(std::exchange(user_, std::max(user_, user))) {}
    ~Scope() { user_ = before_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const User before_;
  };

 private:
  static void GiveUp();

  static inline constinit thread_local User user_ = User::kNobody;
};

// Calls RocksDB, which may take all of the reserve. If even that is not enough the process ends: a
// database that is left in the middle of a call is of no use, and the next start finds all that was
// acknowledged.
template <typename Call>
auto InRocks(Call call) noexcept {
  const MemoryReserve::Scope reserve(MemoryReserve::User::kThread);
  return call();
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PROCESS_MEMORY_RESERVE_H_
