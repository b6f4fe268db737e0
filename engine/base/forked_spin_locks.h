// Abseil's spin locks in a child of a fork.
#ifndef DYNOLITH_ENGINE_BASE_FORKED_SPIN_LOCKS_H_
#define DYNOLITH_ENGINE_BASE_FORKED_SPIN_LOCKS_H_

namespace dynolith {

// Unlocks what other threads of the parent had locked: the list of thread identities, which every
// thread takes one of when it first waits for an absl::Mutex and gives back when it ends, and the
// memory that they are made of. For a child's handler of pthread_atfork, as no other thread may
// run.
void UnlockSpinLocksOfParent();

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_FORKED_SPIN_LOCKS_H_
