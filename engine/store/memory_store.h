// The store in memory: a tree of rows for each family (engine/store/rows).
#ifndef DYNOLITH_ENGINE_STORE_MEMORY_STORE_H_
#define DYNOLITH_ENGINE_STORE_MEMORY_STORE_H_

#include <memory>

#include "engine/store/local_store.h"

namespace dynolith {

std::unique_ptr<LocalStore> MakeMemoryStore();

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_MEMORY_STORE_H_
