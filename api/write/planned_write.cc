#include "api/write/planned_write.h"

#include <cassert>
#include <utility>

#include "engine/key/key_codec.h"

namespace dynolith {

RowWrite RowWrite::Of(Kind kind, Table* table, const TableMeta& meta, ItemView item,
                      const RowWriteOptions& options) {
  std::string row_key;
  AppendRowKey(meta.schema.id, meta.schema.key, item, &row_key);
  return OfRow(kind, table, meta, std::move(row_key), item, options);
}

RowWrite RowWrite::OfRow(Kind kind, Table* table, const TableMeta& meta, std::string row_key,
                         ItemView item, const RowWriteOptions& options) {
  assert(kind != Kind::kUpdate || options.update != nullptr);
  RowWrite write{options};
  write.kind = kind;
  write.table = table;
  write.meta = &meta;
  write.row_key = std::move(row_key);
  write.item = item;
  return write;
}

RowWrite RowWrite::OfExpired(Table* table, const TableMeta& meta, std::string_view row_key,
                             absl::Time now) {
  RowWrite write;
  write.kind = Kind::kDelete;
  write.table = table;
  write.meta = &meta;
  write.row_key = std::string(row_key);
  write.expired_at = now;
  return write;
}

}  // namespace dynolith
