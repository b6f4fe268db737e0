#include "engine/stream/record.h"

#include "engine/base/big_endian.h"
#include "engine/stream/messages.h"

namespace dynolith {
namespace {

// On disk. Append only.
enum Flag : uint8_t { kHasOld = 1, kHasNew = 2, kByTimeToLive = 4 };

constexpr size_t kHeaderBytes = 3 + 3 * sizeof(uint64_t);

// A bijection whose results look random (the finalizer of splitmix64).
uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

void AppendHex(uint64_t number, std::string* text) {
  for (int shift = 60; shift >= 0; shift -= 4) {
    text->push_back("0123456789abcdef"[number >> shift & 15]);
  }
}

}  // namespace

RecordView MakeRecord(StreamViewType view_type, ItemView keys, const ItemView* before,
                      const ItemView* after) {
  RecordView record;
  record.event = before == nullptr  ? StreamEvent::kInsert
                 : after == nullptr ? StreamEvent::kRemove
                                    : StreamEvent::kModify;
  record.view_type = view_type;
  record.keys = keys;
  const bool both = view_type == StreamViewType::kNewAndOldImages;
  if (before != nullptr && (both || view_type == StreamViewType::kOldImage)) {
    record.old_image = *before;
  }
  if (after != nullptr && (both || view_type == StreamViewType::kNewImage)) {
    record.new_image = *after;
  }
  return record;
}

void PutRecord(std::string_view key, const RecordView& record, WriteBatch* batch) {
  const std::string_view old_bytes = record.old_image ? record.old_image->bytes() : "";
  const std::string_view new_bytes = record.new_image ? record.new_image->bytes() : "";
  std::string header;
  header.push_back(static_cast<char>(record.event));
  header.push_back(static_cast<char>((record.old_image ? kHasOld : 0) |
                                     (record.new_image ? kHasNew : 0) |
                                     (record.by_time_to_live ? kByTimeToLive : 0)));
  header.push_back(static_cast<char>(record.view_type));
  AppendBigEndian(static_cast<uint64_t>(absl::ToUnixMicros(record.created)), &header);
  AppendBigEndian(record.keys.bytes().size(), &header);
  AppendBigEndian(old_bytes.size(), &header);
  const std::string_view parts[] = {header, record.keys.bytes(), old_bytes, new_bytes};
  batch->Put(Family::kLog, key, parts);
}

absl::StatusOr<RecordView> DecodeRecord(std::string_view bytes) {
  const auto damaged = [] { return absl::DataLossError(messages::DamagedRecord()); };
  if (bytes.size() < kHeaderBytes) return damaged();
  const auto event = static_cast<uint8_t>(bytes[0]);
  const auto flags = static_cast<uint8_t>(bytes[1]);
  const auto view_type = static_cast<uint8_t>(bytes[2]);
  const uint64_t keys_bytes = ReadBigEndian(bytes.substr(11));
  const uint64_t old_bytes = ReadBigEndian(bytes.substr(19));
  const std::string_view body = bytes.substr(kHeaderBytes);
  if (event < 1 || event > 3 || view_type < 1 || view_type > 4 || keys_bytes > body.size() ||
      old_bytes > body.size() - keys_bytes) {
    return damaged();
  }
  const std::string_view old_image = body.substr(keys_bytes, old_bytes);
  const std::string_view new_image = body.substr(keys_bytes + old_bytes);
  if (keys_bytes == 0 || (flags & kHasOld ? 1 : 0) != (old_image.empty() ? 0 : 1) ||
      (flags & kHasNew ? 1 : 0) != (new_image.empty() ? 0 : 1)) {
    return damaged();
  }
  RecordView record;
  record.event = static_cast<StreamEvent>(event);
  record.by_time_to_live = (flags & kByTimeToLive) != 0;
  record.view_type = static_cast<StreamViewType>(view_type);
  record.created = absl::FromUnixMicros(static_cast<int64_t>(ReadBigEndian(bytes.substr(3))));
  const absl::StatusOr<ItemView> keys = ItemView::Parse(body.substr(0, keys_bytes));
  if (!keys.ok()) return damaged();
  record.keys = *keys;
  if (flags & kHasOld) {
    const absl::StatusOr<ItemView> item = ItemView::Parse(old_image);
    if (!item.ok()) return damaged();
    record.old_image = *item;
  }
  if (flags & kHasNew) {
    const absl::StatusOr<ItemView> item = ItemView::Parse(new_image);
    if (!item.ok()) return damaged();
    record.new_image = *item;
  }
  return record;
}

size_t RecordBytes(const RecordView& record) {
  return BilledBytes(record.keys) + (record.old_image ? BilledBytes(*record.old_image) : 0) +
         (record.new_image ? BilledBytes(*record.new_image) : 0);
}

std::string MakeEventId(SequenceNumber sequence_number) {
  const uint64_t low = absl::Uint128Low64(sequence_number);
  const uint64_t high = absl::Uint128High64(sequence_number);
  std::string text;
  AppendHex(Mix(low ^ high << 1), &text);
  AppendHex(Mix(~low ^ high), &text);
  return text;
}

}  // namespace dynolith
