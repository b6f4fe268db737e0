#include "engine/catalog/catalog_version.h"

#include "absl/status/status.h"
#include "engine/base/big_endian.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/messages.h"
#include "engine/store/meta_keys.h"

namespace dynolith {

absl::StatusOr<uint64_t> ReadCatalogVersion(const ReadView& rows) {
  Row row;
  RowRead read = CatalogVersionRead(&row);
  DYNOLITH_ASSIGN_OR_RETURN(read.found, rows.Get(read.family, read.key, read.row));
  return CatalogVersionOf(read);
}

RowRead CatalogVersionRead(Row* row) {
  return {.family = Family::kMeta, .key = kCatalogVersionKey, .row = row};
}

absl::StatusOr<uint64_t> CatalogVersionOf(const RowRead& read) {
  if (!read.found) return 0;
  const std::string_view value = read.row->value();
  if (value.size() != sizeof(uint64_t) || ReadBigEndian(value) == 0) {
    return absl::DataLossError(messages::CatalogVersionDamaged());
  }
  return ReadBigEndian(value);
}

}  // namespace dynolith
