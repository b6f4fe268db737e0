// Any bytes as an object that is imported: "<0, 1 or 2: JSON, CSV or Ion><bytes>". Records do not
// depend on how the bytes arrive, each is an item or a fault, and an item that is exported comes
// back.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/item_line.h"
#include "api/transfer/files/csv_record.h"
#include "api/transfer/files/ion_text.h"
#include "api/transfer/files/record_splitter.h"
#include "engine/base/errors.h"

namespace dynolith {
namespace {

constexpr InputFormat kFormats[] = {InputFormat::kDynamoDbJson, InputFormat::kCsv,
                                    InputFormat::kIon};

std::vector<std::string> Split(InputFormat format, std::string_view bytes, size_t piece_bytes) {
  std::vector<std::string> records;
  const auto take = [&records](std::string_view record) {
    records.emplace_back(record);
    return absl::OkStatus();
  };
  const auto splitter = RecordSplitter::Make(format, ',');
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece_bytes, bytes.size()))) {
    if (!splitter->Feed(bytes.substr(0, piece_bytes), take).ok()) std::abort();
  }
  if (!splitter->Finish(take).ok()) std::abort();
  return records;
}

absl::StatusOr<Item> Read(InputFormat format, const std::string& record) {
  static const std::vector<AttributeDefinition>& keys =
      *new std::vector<AttributeDefinition>{{"n", Type::kNumber}, {"b", Type::kBinary}};
  if (format == InputFormat::kDynamoDbJson) return ReadItemLine(record);
  if (!IsUtf8(record)) return ValidationError("");
  if (format == InputFormat::kIon) return ReadIonItem(record);
  const auto fields = ParseCsvRecord(record, ',');
  if (!fields.ok()) return fields.status();
  std::vector<std::string> headers = {"n", "b", "s"};
  headers.resize(fields->size(), "s");
  return CsvItem(headers, *fields, keys);
}

bool IsFault(const absl::Status& status) {
  return KindOf(status) == ErrorKind::kValidation || KindOf(status) == ErrorKind::kSerialization;
}

// The record of a bulk put is a record of an import with a condition.
void CheckPut(InputFormat format, const std::string& record, const absl::StatusOr<Item>& item) {
  if (format == InputFormat::kCsv || !IsUtf8(record)) return;
  const absl::StatusOr<BulkPutRecord> put =
      format == InputFormat::kIon ? ReadIonPut(record) : ReadPutLine(record);
  if (put.ok() ? !item.ok() || put->item != *item : !IsFault(put.status())) std::abort();
}

// The short way takes only what the other one takes, and for the same.
void CheckPlain(const std::string& record, const absl::StatusOr<Item>& item) {
  const std::optional<Item> plain = ReadPlainItemLine(record);
  if (plain && (!item.ok() || *plain != *item)) std::abort();
}

void CheckComesBack(const Item& item) {
  if (!ItemView::Parse(item.bytes()).ok()) std::abort();
  std::string line;
  AppendItemLine(item.view(), &line);
  const auto from_json = ReadItemLine(line);
  if (!from_json.ok() || *from_json != item) std::abort();
  line.clear();
  AppendIonItem(item.view(), &line);
  const auto from_ion = ReadIonItem(line);
  if (!from_ion.ok() || *from_ion != item) std::abort();
}

}  // namespace
}  // namespace dynolith

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const dynolith::InputFormat format = dynolith::kFormats[data[0] % 3];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::vector<std::string> records = dynolith::Split(format, bytes, bytes.size() + 1);
  if (dynolith::Split(format, bytes, 1) != records) std::abort();
  for (const std::string& record : records) {
    const auto item = dynolith::Read(format, record);
    dynolith::CheckPut(format, record, item);
    if (format == dynolith::InputFormat::kDynamoDbJson) dynolith::CheckPlain(record, item);
    if (item.ok()) {
      dynolith::CheckComesBack(*item);
    } else if (!dynolith::IsFault(item.status())) {
      std::abort();
    }
  }
  return 0;
}
