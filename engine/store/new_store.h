// The files of a store that holds nothing: RocksDB opens them with all families, where it would
// create one family after the other, each with a manifest that is written and synced again. Private
// to engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_NEW_STORE_H_
#define DYNOLITH_ENGINE_STORE_NEW_STORE_H_

#include <string>

#include "rocksdb/env.h"

namespace dynolith {

// Makes IDENTITY, a manifest that names all families, and CURRENT in `folder`, which is there. They
// take the place of what an interrupted start has left, of which nobody has heard; but where a log
// holds something, nothing is done. Nothing is synced: whoever opens a store that is being made
// makes it again, and RocksDB writes and syncs a manifest of its own whenever it opens one.
rocksdb::Status MakeNewStore(rocksdb::Env* env, const std::string& folder);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_NEW_STORE_H_
