// Abseil's spin locks in a child of a fork.
#ifndef DYNOLITH_ENGINE_PROCESS_FORKED_SPIN_LOCKS_H_
#define DYNOLITH_ENGINE_PROCESS_FORKED_SPIN_LOCKS_H_

namespace dynolith {

// Unlocks the spin locks that other threads of the parent had locked: that of the list of thread
// identities, from which every thread takes one when it first waits for an absl::Mutex, and to
// which it returns it when it ends, and that of their allocator. For a child's handler of
// pthread_atfork, as no other thread may run.
void UnlockSpinLocksOfParent();

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PROCESS_FORKED_SPIN_LOCKS_H_
