#include "api/transfer/files/object_reader.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/item_line.h"
#include "api/transfer/files/csv_record.h"
#include "api/transfer/files/decoded_file.h"
#include "api/transfer/files/ion_text.h"
#include "api/transfer/files/record_splitter.h"
#include "engine/base/errors.h"
#include "engine/base/messages/transfers.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

char DelimiterOf(const ImportTableDescription& description) {
  const bool has_one = description.csv_options && description.csv_options->delimiter;
  return has_one ? description.csv_options->delimiter->front() : ',';
}

// From records' texts to items.
class Records {
 public:
  Records(const ImportTableDescription& description, ImportReceiver* receiver)
      : description_(description), receiver_(receiver), delimiter_(DelimiterOf(description)) {
    if (description.csv_options) headers_ = description.csv_options->header_list;
  }

  // Errors: the receiver's; ValidationException if the rest of the object is of no use.
  absl::Status Take(std::string_view text) {
    if (std::exchange(is_first_, false) && text.starts_with(kByteOrderMark)) {
      text.remove_prefix(kByteOrderMark.size());
    }
    if (description_.input_format == InputFormat::kDynamoDbJson) return Give(ReadItemLine(text));
    if (!IsUtf8(text)) return Give(ValidationError(messages::RecordIsNotUtf8()));
    if (description_.input_format == InputFormat::kIon) return Give(ReadIonItem(text));
    return TakeCsv(text);
  }

  // The receiver's failure, if there was any.
  const absl::Status& failure() const { return failure_; }

 private:
  absl::Status TakeCsv(std::string_view text) {
    absl::StatusOr<std::vector<std::string>> fields = ParseCsvRecord(text, delimiter_);
    if (!headers_) {
      DYNOLITH_RETURN_IF_ERROR(fields.status());
      headers_ = *std::move(fields);
      return CheckCsvHeaders(*headers_);
    }
    if (!fields.ok()) return Give(fields.status());
    return Give(
        CsvItem(*headers_, *fields, *description_.table_creation_parameters.attribute_definitions));
  }

  absl::Status Give(absl::StatusOr<Item> record) {
    failure_ = receiver_->Take(std::move(record));
    return failure_;
  }

  const ImportTableDescription& description_;
  ImportReceiver* const receiver_;
  const char delimiter_;
  std::optional<std::vector<std::string>> headers_;
  bool is_first_ = true;
  absl::Status failure_;
};

}  // namespace

absl::Status ReadObject(std::string_view name, const ObjectFile& object,
                        const ImportTableDescription& description, ImportReceiver* receiver) {
  Records records(description, receiver);
  const std::unique_ptr<RecordSplitter> splitter =
      RecordSplitter::Make(description.input_format, DelimiterOf(description));
  const auto take = [&](std::string_view text) {
    receiver->BeginRecord(name, splitter->line());
    return records.Take(text);
  };
  const auto feed = [&](std::string_view bytes) {
    receiver->CountBytes(static_cast<int64_t>(bytes.size()));
    return splitter->Feed(bytes, take);
  };
  absl::Status read = ReadDecoded(object.descriptor(), description.input_compression_type, feed);
  if (read.ok()) read = splitter->Finish(take);
  DYNOLITH_RETURN_IF_ERROR(records.failure());
  if (read.ok()) return read;
  if (KindOf(read) == ErrorKind::kValidation) {
    receiver->BeginRecord(name, splitter->line());
    return receiver->Take(std::move(read));
  }
  return TransferFailure(messages::kAccessDenied, MessageOf(read));
}

}  // namespace dynolith
