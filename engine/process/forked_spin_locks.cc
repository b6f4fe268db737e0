#include "engine/process/forked_spin_locks.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <optional>

#include "absl/base/config.h"
#include "absl/base/internal/errno_saver.h"
#include "absl/base/internal/low_level_alloc.h"
#include "absl/base/internal/scheduling_mode.h"
#include "absl/base/internal/spinlock.h"
#include "absl/base/internal/spinlock_wait.h"
#include "absl/base/internal/thread_identity.h"
#include "absl/base/thread_annotations.h"
#include "absl/synchronization/internal/create_thread_identity.h"

namespace dynolith {
namespace {

using absl::base_internal::LowLevelAlloc;
using absl::base_internal::SpinLock;
using absl::base_internal::ThreadIdentity;

bool is_alone = false;

// Unlocks a spin lock that a thread of the parent has locked.
void Unlock(std::atomic<uint32_t>* word) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  static_assert(sizeof(SpinLock) == sizeof(*word));
  reinterpret_cast<SpinLock*>(word)->Unlock();
}

// The key under which Abseil keeps this thread's identity. The key is private, and its own way to
// clear an identity is for threads that end.
std::optional<pthread_key_t> ThreadKey(const ThreadIdentity* identity) {
  for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; ++key) {
    if (pthread_getspecific(key) == identity) return key;
  }
  return std::nullopt;
}

// Takes the lock of the list of identities, once. The new one is this thread's if it has none.
void MakeThreadIdentity() {
  ThreadIdentity* const own = absl::base_internal::CurrentThreadIdentityIfPresent();
  const std::optional<pthread_key_t> key = own == nullptr ? std::nullopt : ThreadKey(own);
  if (own != nullptr && !key) return;
  if (key) pthread_setspecific(*key, nullptr);
  absl::synchronization_internal::CreateThreadIdentity();
  if (key) pthread_setspecific(*key, own);
}

}  // namespace

void UnlockSpinLocksOfParent() {
  is_alone = true;
  LowLevelAlloc::Free(LowLevelAlloc::Alloc(1));
  MakeThreadIdentity();
  is_alone = false;
}

}  // namespace dynolith

// Called by each thread that finds a spin lock locked; takes the place of Abseil's, a weak
// function. Nobody else is told where Abseil's locks are. Who is alone would wait for a thread that
// is not there.
extern "C" void ABSL_INTERNAL_C_SYMBOL(AbslInternalSpinLockDelay)(
    std::atomic<uint32_t>* word, uint32_t value, int /*loop*/,
    absl::base_internal::SchedulingMode /*mode*/) {
  if (dynolith::is_alone) {
    dynolith::Unlock(word);
    return;
  }
  const absl::base_internal::ErrnoSaver errno_saver;
  syscall(SYS_futex, word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, value, nullptr);
}
