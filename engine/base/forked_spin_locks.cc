#include "engine/base/forked_spin_locks.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "absl/base/config.h"
#include "absl/base/internal/errno_saver.h"
#include "absl/base/internal/low_level_alloc.h"
#include "absl/base/internal/scheduling_mode.h"
#include "absl/base/internal/spinlock.h"
#include "absl/base/internal/spinlock_wait.h"
#include "absl/base/internal/thread_identity.h"
#include "absl/synchronization/internal/create_thread_identity.h"

namespace dynolith {
namespace {

using absl::base_internal::LowLevelAlloc;
using absl::base_internal::SpinLock;
using absl::base_internal::ThreadIdentity;

bool is_alone = false;

// Where the reclaimer is asked for, Abseil's own has been registered already.
void NeverCalled(void* /*identity*/) {}

}  // namespace

void UnlockSpinLocksOfParent() {
  is_alone = true;
  LowLevelAlloc::Free(LowLevelAlloc::Alloc(1));
  ThreadIdentity* const own = absl::base_internal::CurrentThreadIdentityIfPresent();
  if (own != nullptr) absl::base_internal::ClearCurrentThreadIdentity();
  absl::synchronization_internal::CreateThreadIdentity();
  if (own != nullptr) {
    absl::base_internal::ClearCurrentThreadIdentity();
    absl::base_internal::SetCurrentThreadIdentity(own, NeverCalled);
  }
  is_alone = false;
}

}  // namespace dynolith

// Called by each thread that finds a spin lock locked; takes the place of Abseil's, a weak
// function. Nobody else is told where Abseil's locks are. Who is alone would wait for a thread that
// is not there.
extern "C" void ABSL_INTERNAL_C_SYMBOL(AbslInternalSpinLockDelay)(
    std::atomic<uint32_t>* word, uint32_t value, int /*loop*/,
    absl::base_internal::SchedulingMode /*mode*/) {
  static_assert(sizeof(dynolith::SpinLock) == sizeof(*word));
  if (dynolith::is_alone) {
    reinterpret_cast<dynolith::SpinLock*>(word)->Unlock();
    return;
  }
  const absl::base_internal::ErrnoSaver errno_saver;
  syscall(SYS_futex, word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, value, nullptr);
}
