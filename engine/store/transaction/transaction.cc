#include "engine/store/transaction/transaction.h"

namespace dynolith {

void Transaction::BeginShared(SharedStore* store) {
  shared_ = store;
  attempt_ = store->Begin();
  reads_ = attempt_.get();
}

}  // namespace dynolith
