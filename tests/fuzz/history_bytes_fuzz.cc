// Any bytes are read as records of the history. What decodes must encode to the same bytes, and
// every row key must come back out of its record's key.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/history/history_rows.h"
#include "engine/store/row_id.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void ReadKey(std::string_view bytes) {
  const auto key = dynolith::ParseUndoKey(bytes);
  if (!key) return;
  const auto row_key = dynolith::RowKeyInTable(key->table, key->item);
  if (!row_key || key->day != dynolith::DayOfStamp(key->stamp)) return;
  std::string again;
  dynolith::AppendUndoKey(*row_key, key->stamp, &again);
  Require(again == bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ReadKey(bytes);
  uint64_t stamp = 0;
  for (const char byte : bytes) stamp = stamp * 31 + static_cast<uint8_t>(byte);
  const std::string row_key = dynolith::RowIdPrefix(7).append(bytes);
  std::string key;
  dynolith::AppendUndoKey(row_key, stamp, &key);
  const auto parsed = dynolith::ParseUndoKey(key);
  Require(parsed && parsed->stamp == stamp && dynolith::RowKeyInTable(7, parsed->item) == row_key);
  // Foreign bytes as the item of a sound key, and the sound key cut where the input says.
  ReadKey(dynolith::UndoPrefix(7, dynolith::DayOfStamp(stamp))
              .append(bytes)
              .append(key.substr(key.size() - sizeof stamp)));
  ReadKey(key.substr(0, size == 0 ? 0 : data[0] % (key.size() + 1)));

  const auto undo = dynolith::DecodeUndo(bytes);
  if (undo.ok()) {
    std::string again(dynolith::UndoHeader(undo->has_value()));
    if (*undo) again.append((*undo)->bytes());
    Require(again == bytes);
  }
  return 0;
}
