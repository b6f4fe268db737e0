// The space of the rows of an id that is not used any more, in any store.
#ifndef DYNOLITH_ENGINE_STORE_TRANSACTION_RECLAIM_ROWS_H_
#define DYNOLITH_ENGINE_STORE_TRANSACTION_RECLAIM_ROWS_H_

#include <cstdint>

#include "engine/store/store.h"

namespace dynolith {

// As LocalStore::ReclaimId. In a SharedStore the rows are deleted at once, some hundred at a time,
// until one of these deletions fails: then the others stay, and nothing but space is lost.
// Requires: nobody writes rows of that id any more.
void ReclaimRows(Store* store, Family family, uint32_t id);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_TRANSACTION_RECLAIM_ROWS_H_
