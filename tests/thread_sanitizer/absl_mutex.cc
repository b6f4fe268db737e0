// Tells ThreadSanitizer about absl::Mutex. Debian's Abseil is built without the sanitizer, which so
// sees neither its atomics nor its futex calls and takes everything behind such a mutex for a race.
// The linker sends the calls here (wrapped_symbols.txt); only the thread-sanitizer build has this.
//
// Between a pre_ and its post_ the sanitizer ignores what the thread does: also the conditions of
// waiting threads, which Unlock evaluates.
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

extern "C" {

constexpr unsigned kRead = 1 << 3;
constexpr unsigned kTry = 1 << 4;
constexpr unsigned kTryFailed = 1 << 5;

void __tsan_mutex_pre_lock(void* address, unsigned flags);
void __tsan_mutex_post_lock(void* address, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void* address, unsigned flags);
void __tsan_mutex_post_unlock(void* address, unsigned flags);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);

// The sanitizer's own search for deadlocks fails when a thread holds more than 64 locks, as
// transactions and backfill do with row locks. Abseil's search is on in a debug build.
const char* __tsan_default_options() { return "detect_deadlocks=0"; }

#define DYNOLITH_REAL(symbol) __real_##symbol
#define DYNOLITH_WRAP(symbol) __wrap_##symbol

// --- Lock and unlock ---

#define DYNOLITH_LOCK(symbol, flags)                \
  void DYNOLITH_REAL(symbol)(absl::Mutex * mutex);  \
  void DYNOLITH_WRAP(symbol)(absl::Mutex * mutex) { \
    __tsan_mutex_pre_lock(mutex, flags);            \
    DYNOLITH_REAL(symbol)(mutex);                   \
    __tsan_mutex_post_lock(mutex, flags, 0);        \
  }
#define DYNOLITH_TRY(symbol, flags)                                                \
  bool DYNOLITH_REAL(symbol)(absl::Mutex * mutex);                                 \
  bool DYNOLITH_WRAP(symbol)(absl::Mutex * mutex) {                                \
    __tsan_mutex_pre_lock(mutex, (flags) | kTry);                                  \
    const bool locked = DYNOLITH_REAL(symbol)(mutex);                              \
    __tsan_mutex_post_lock(mutex, (flags) | kTry | (locked ? 0u : kTryFailed), 0); \
    return locked;                                                                 \
  }
#define DYNOLITH_UNLOCK(symbol, flags)              \
  void DYNOLITH_REAL(symbol)(absl::Mutex * mutex);  \
  void DYNOLITH_WRAP(symbol)(absl::Mutex * mutex) { \
    __tsan_mutex_pre_unlock(mutex, flags);          \
    DYNOLITH_REAL(symbol)(mutex);                   \
    __tsan_mutex_post_unlock(mutex, flags);         \
  }

DYNOLITH_LOCK(_ZN4absl7debian35Mutex4LockEv, 0)
DYNOLITH_LOCK(_ZN4absl7debian35Mutex10ReaderLockEv, kRead)
DYNOLITH_TRY(_ZN4absl7debian35Mutex7TryLockEv, 0)
DYNOLITH_TRY(_ZN4absl7debian35Mutex13ReaderTryLockEv, kRead)
DYNOLITH_UNLOCK(_ZN4absl7debian35Mutex6UnlockEv, 0)
DYNOLITH_UNLOCK(_ZN4absl7debian35Mutex12ReaderUnlockEv, kRead)

// --- The end: Abseil's search for deadlocks forgets the mutex, under a lock of its own ---

void DYNOLITH_REAL(_ZN4absl7debian35MutexD1Ev)(absl::Mutex* mutex);
void DYNOLITH_WRAP(_ZN4absl7debian35MutexD1Ev)(absl::Mutex* mutex) {
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  DYNOLITH_REAL(_ZN4absl7debian35MutexD1Ev)(mutex);
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}

// --- Lock when a condition holds ---

#define DYNOLITH_LOCK_WHEN(symbol, flags)                                             \
  void DYNOLITH_REAL(symbol)(absl::Mutex * mutex, const absl::Condition& condition);  \
  void DYNOLITH_WRAP(symbol)(absl::Mutex * mutex, const absl::Condition& condition) { \
    __tsan_mutex_pre_lock(mutex, flags);                                              \
    DYNOLITH_REAL(symbol)(mutex, condition);                                          \
    __tsan_mutex_post_lock(mutex, flags, 0);                                          \
  }

DYNOLITH_LOCK_WHEN(_ZN4absl7debian35Mutex8LockWhenERKNS0_9ConditionE, 0)
DYNOLITH_LOCK_WHEN(_ZN4absl7debian35Mutex14ReaderLockWhenERKNS0_9ConditionE, kRead)

// --- Wait: an unlock and a lock. Only for holders that are writers, as all of ours are. ---

#define DYNOLITH_WAIT(symbol, result, wrapped, arguments, mutex) \
  result DYNOLITH_REAL(symbol) wrapped;                          \
  result DYNOLITH_WRAP(symbol) wrapped {                         \
    __tsan_mutex_pre_unlock(mutex, 0);                           \
    __tsan_mutex_post_unlock(mutex, 0);                          \
    __tsan_mutex_pre_lock(mutex, 0);                             \
    struct Relock {                                              \
      absl::Mutex* locked;                                       \
      ~Relock() { __tsan_mutex_post_lock(locked, 0, 0); }        \
    } relock{mutex};                                             \
    return DYNOLITH_REAL(symbol) arguments;                      \
  }

DYNOLITH_WAIT(_ZN4absl7debian35Mutex5AwaitERKNS0_9ConditionE, void,
              (absl::Mutex * mutex, const absl::Condition& condition), (mutex, condition), mutex)
DYNOLITH_WAIT(_ZN4absl7debian35Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE, bool,
              (absl::Mutex * mutex, const absl::Condition& condition, absl::Duration timeout),
              (mutex, condition, timeout), mutex)
DYNOLITH_WAIT(_ZN4absl7debian35Mutex17AwaitWithDeadlineERKNS0_9ConditionENS0_4TimeE, bool,
              (absl::Mutex * mutex, const absl::Condition& condition, absl::Time deadline),
              (mutex, condition, deadline), mutex)
DYNOLITH_WAIT(_ZN4absl7debian37CondVar4WaitEPNS0_5MutexE, void,
              (absl::CondVar * condition, absl::Mutex* mutex), (condition, mutex), mutex)
DYNOLITH_WAIT(_ZN4absl7debian37CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE, bool,
              (absl::CondVar * condition, absl::Mutex* mutex, absl::Duration timeout),
              (condition, mutex, timeout), mutex)
DYNOLITH_WAIT(_ZN4absl7debian37CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE, bool,
              (absl::CondVar * condition, absl::Mutex* mutex, absl::Time deadline),
              (condition, mutex, deadline), mutex)

}  // extern "C"
