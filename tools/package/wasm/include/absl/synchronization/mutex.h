// In place of Abseil's header of this name where there is one thread: nobody else holds a lock, so
// all that is left of a mutex is to wait, which only what is due in the background can end.
#ifndef DYNOLITH_TOOLS_PACKAGE_WASM_INCLUDE_ABSL_SYNCHRONIZATION_MUTEX_H_
#define DYNOLITH_TOOLS_PACKAGE_WASM_INCLUDE_ABSL_SYNCHRONIZATION_MUTEX_H_

#include "absl/base/config.h"
#include "absl/base/thread_annotations.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace dynolith {
// Of engine/process/due_work.h.
bool DoDueWork();
[[noreturn]] void EndWait();
}  // namespace dynolith

namespace absl {
ABSL_NAMESPACE_BEGIN

class Condition {
 public:
  template <typename T>
  Condition(bool (*function)(T*), T* argument)
      : evaluate_(&Call<bool (*)(T*), T>),
        function_(reinterpret_cast<void (*)()>(function)),
        object_(const_cast<void*>(static_cast<const void*>(argument))) {}
  template <typename T>
  Condition(T* object, bool (T::*method)())
      : Condition(object, method, &CallMethod<T, bool (T::*)()>) {}
  template <typename T>
  Condition(const T* object, bool (T::*method)() const)
      : Condition(object, method, &CallMethod<const T, bool (T::*)() const>) {}
  explicit Condition(const bool* flag)
      : evaluate_([](const Condition* self) { return *static_cast<const bool*>(self->object_); }),
        object_(const_cast<bool*>(flag)) {}
  template <typename Functor, bool (Functor::*)() const = &Functor::operator()>
  explicit Condition(const Functor* functor)
      : evaluate_(
            [](const Condition* self) { return (*static_cast<const Functor*>(self->object_))(); }),
        object_(const_cast<Functor*>(functor)) {}

  bool Eval() const { return evaluate_(this); }

 private:
  template <typename T, typename Method>
  Condition(T* object, Method method, bool (*evaluate)(const Condition*))
      : evaluate_(evaluate), object_(const_cast<void*>(static_cast<const void*>(object))) {
    static_assert(sizeof method <= sizeof method_);
    __builtin_memcpy(method_, &method, sizeof method);
  }
  template <typename Function, typename T>
  static bool Call(const Condition* self) {
    return reinterpret_cast<Function>(self->function_)(static_cast<T*>(self->object_));
  }
  template <typename T, typename Method>
  static bool CallMethod(const Condition* self) {
    Method method;
    __builtin_memcpy(&method, self->method_, sizeof method);
    return (static_cast<T*>(self->object_)->*method)();
  }

  bool (*evaluate_)(const Condition*);
  void (*function_)() = nullptr;
  void* object_ = nullptr;
  void* method_[2] = {};
};

class ABSL_LOCKABLE Mutex {
 public:
  constexpr Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() {}
  void Unlock() ABSL_UNLOCK_FUNCTION() {}
  bool TryLock() ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) { return true; }
  void ReaderLock() ABSL_SHARED_LOCK_FUNCTION() {}
  void ReaderUnlock() ABSL_UNLOCK_FUNCTION() {}
  void WriterLock() ABSL_EXCLUSIVE_LOCK_FUNCTION() {}
  void WriterUnlock() ABSL_UNLOCK_FUNCTION() {}
  void AssertHeld() const ABSL_ASSERT_EXCLUSIVE_LOCK() {}
  void AssertReaderHeld() const ABSL_ASSERT_SHARED_LOCK() {}
  void AssertNotHeld() const {}

  // Ends the module where nothing can make the condition true.
  void Await(const Condition& condition) {
    while (!condition.Eval()) {
      if (!dynolith::DoDueWork()) dynolith::EndWait();
    }
  }
  // Does not wait for the time: false as soon as nothing is due.
  bool AwaitWithTimeout(const Condition& condition, absl::Duration /*timeout*/) {
    while (!condition.Eval()) {
      if (!dynolith::DoDueWork()) return false;
    }
    return true;
  }
  void LockWhen(const Condition& condition) ABSL_EXCLUSIVE_LOCK_FUNCTION() { Await(condition); }
};

class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex* mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(*mutex) {}
  MutexLock(Mutex* mutex, const Condition& condition) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex)
      : mutex_(*mutex) {
    mutex_.Await(condition);
  }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

class ABSL_SCOPED_LOCKABLE ReaderMutexLock {
 public:
  explicit ReaderMutexLock([[maybe_unused]] Mutex* mutex) ABSL_SHARED_LOCK_FUNCTION(mutex) {}
  ~ReaderMutexLock() ABSL_UNLOCK_FUNCTION() {}
  ReaderMutexLock(const ReaderMutexLock&) = delete;
  ReaderMutexLock& operator=(const ReaderMutexLock&) = delete;
};

class ABSL_SCOPED_LOCKABLE WriterMutexLock {
 public:
  explicit WriterMutexLock([[maybe_unused]] Mutex* mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) {}
  ~WriterMutexLock() ABSL_UNLOCK_FUNCTION() {}
  WriterMutexLock(const WriterMutexLock&) = delete;
  WriterMutexLock& operator=(const WriterMutexLock&) = delete;
};

class CondVar {
 public:
  void Signal() {}
  void SignalAll() {}
  void Wait(Mutex* /*mutex*/) {
    if (!dynolith::DoDueWork()) dynolith::EndWait();
  }
  // Whether the time is over.
  bool WaitWithTimeout(Mutex* /*mutex*/, absl::Duration /*timeout*/) {
    return !dynolith::DoDueWork();
  }
};

ABSL_NAMESPACE_END
}  // namespace absl

#endif  // DYNOLITH_TOOLS_PACKAGE_WASM_INCLUDE_ABSL_SYNCHRONIZATION_MUTEX_H_
