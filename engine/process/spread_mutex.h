// A mutex that is often held shared and rarely exclusively.
#ifndef DYNOLITH_ENGINE_PROCESS_SPREAD_MUTEX_H_
#define DYNOLITH_ENGINE_PROCESS_SPREAD_MUTEX_H_

#include <array>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "engine/process/thread_share.h"

namespace dynolith {

// Like absl::Mutex, but threads that hold it shared do not change the same cache line; an exclusive
// holder locks kThreadShares mutexes one after the other. The locking thread must unlock it.
class ABSL_LOCKABLE SpreadMutex {
 public:
  SpreadMutex() = default;
  SpreadMutex(const SpreadMutex&) = delete;
  SpreadMutex& operator=(const SpreadMutex&) = delete;

  void ReaderLock() ABSL_SHARED_LOCK_FUNCTION() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    mutexes_[ThreadShare::Mine()].mutex.ReaderLock();
  }
  void ReaderUnlock() ABSL_UNLOCK_FUNCTION() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    mutexes_[ThreadShare::Mine()].mutex.ReaderUnlock();
  }
  void WriterLock() ABSL_EXCLUSIVE_LOCK_FUNCTION() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    for (Share& share : mutexes_) share.mutex.WriterLock();
  }
  void WriterUnlock() ABSL_UNLOCK_FUNCTION() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    for (Share& share : mutexes_) share.mutex.WriterUnlock();
  }

  class ABSL_SCOPED_LOCKABLE ReadScope {
   public:
    explicit ReadScope(SpreadMutex* mutex) ABSL_SHARED_LOCK_FUNCTION(mutex) : mutex_(*mutex) {
      mutex_.ReaderLock();
    }
    ~ReadScope() ABSL_UNLOCK_FUNCTION() { mutex_.ReaderUnlock(); }
    ReadScope(const ReadScope&) = delete;
    ReadScope& operator=(const ReadScope&) = delete;

   private:
    SpreadMutex& mutex_;
  };

  class ABSL_SCOPED_LOCKABLE WriteScope {
   public:
    explicit WriteScope(SpreadMutex* mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(*mutex) {
      mutex_.WriterLock();
    }
    ~WriteScope() ABSL_UNLOCK_FUNCTION() { mutex_.WriterUnlock(); }
    WriteScope(const WriteScope&) = delete;
    WriteScope& operator=(const WriteScope&) = delete;

   private:
    SpreadMutex& mutex_;
  };

 private:
  struct alignas(kCacheLineBytes) Share {
    absl::Mutex mutex;
  };
  std::array<Share, kThreadShares> mutexes_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PROCESS_SPREAD_MUTEX_H_
