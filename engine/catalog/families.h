// Which column family holds the rows of which kind of index.
#ifndef DYNOLITH_ENGINE_CATALOG_FAMILIES_H_
#define DYNOLITH_ENGINE_CATALOG_FAMILIES_H_

#include "engine/key/schema.h"
#include "engine/store/store.h"

namespace dynolith {

inline Family FamilyOf(IndexKind kind) {
  return kind == IndexKind::kGlobal ? Family::kGlobalIndexes : Family::kLocalIndexes;
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_CATALOG_FAMILIES_H_
