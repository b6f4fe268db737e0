// The column family of each kind of index.
#ifndef DYNOLITH_ENGINE_CATALOG_FAMILIES_H_
#define DYNOLITH_ENGINE_CATALOG_FAMILIES_H_

#include "engine/key/schema.h"
#include "engine/store/store.h"

namespace dynolith {

inline Family IndexFamily(IndexKind kind) {
  return kind == IndexKind::kLocal ? Family::kLocalIndexes : Family::kGlobalIndexes;
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_CATALOG_FAMILIES_H_
