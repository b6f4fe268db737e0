// One record of a stream as bytes.
//
// clang-format off
//   record = event:u8 flags:u8 view-type:u8 microseconds:u64be keys-bytes:u64be old-bytes:u64be
//            keys old new
//            ; microseconds since 1970; keys, old and new are encoded items (engine/value/value.h),
//            ; old and new empty unless their flag is set
// clang-format on
#ifndef DYNOLITH_ENGINE_STREAM_RECORD_H_
#define DYNOLITH_ENGINE_STREAM_RECORD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/catalog/table_meta.h"
#include "engine/store/store.h"
#include "engine/stream/sequence_numbers.h"
#include "engine/value/item.h"

namespace dynolith {

// On disk. Append only.
enum class StreamEvent : uint8_t { kInsert = 1, kModify = 2, kRemove = 3 };

// A record as it is written or read; the items borrow.
struct RecordView {
  StreamEvent event = StreamEvent::kInsert;
  // Whether the item was removed because it had expired, not by a user.
  bool by_time_to_live = false;
  StreamViewType view_type = StreamViewType::kKeysOnly;  // the images that the record may have
  absl::Time created;
  ItemView keys;
  std::optional<ItemView> old_image;
  std::optional<ItemView> new_image;
};

// The record of a change from `before` to `after` (nullptr: no such item), with the images that
// `view_type` asks for. Requires: not both nullptr; `keys` are the item's key attributes.
RecordView MakeRecord(StreamViewType view_type, ItemView keys, const ItemView* before,
                      const ItemView* after);

void PutRecord(std::string_view key, const RecordView& record, WriteBatch* batch);
// Accepts any bytes and checks all of them. Borrows from `bytes`. Errors: kDataLoss. O(bytes).
absl::StatusOr<RecordView> DecodeRecord(std::string_view bytes);

// What the service calls SizeBytes: keys and images as billed. O(size).
size_t RecordBytes(const RecordView& record);

// A text of 32 hexadecimal digits that is always the same for a record and different for others.
std::string MakeEventId(SequenceNumber sequence_number);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STREAM_RECORD_H_
