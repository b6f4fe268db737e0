#include "engine/process/forked_spin_locks.h"

namespace dynolith {

void UnlockSpinLocksOfParent() {}

}  // namespace dynolith
