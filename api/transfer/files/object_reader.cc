#include "api/transfer/files/object_reader.h"

#include <unistd.h>

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
#include "api/transfer/files/messages.h"
#include "api/transfer/files/record_splitter.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Gives the records of one object to whoever wants them.
class Records {
 public:
  virtual ~Records() = default;

  // The record of the next call begins there.
  virtual void Begin(int64_t line) = 0;
  // A record's text. Errors: the receiver's; ValidationException if the rest of the object is of no
  // use.
  virtual absl::Status Take(std::string_view text) = 0;
  // Why there is no record here, and none behind it. Errors: the receiver's.
  virtual absl::Status TakeError(absl::Status error) = 0;
  // Counts bytes of the decompressed object.
  virtual void CountBytes(int64_t bytes) = 0;

  // The receiver's failure, if there was any.
  const absl::Status& failure() const { return failure_; }

 protected:
  absl::Status failure_;
};

char FieldDelimiter(const ImportTableDescription& description) {
  const bool has_one = description.csv_options && description.csv_options->delimiter;
  return has_one ? description.csv_options->delimiter->front() : ',';
}

class ImportedRecords final : public Records {
 public:
  ImportedRecords(std::string_view object, const ImportTableDescription& description,
                  ImportReceiver* receiver)
      : object_(object),
        description_(description),
        receiver_(receiver),
        delimiter_(FieldDelimiter(description)) {
    if (description.csv_options) headers_ = description.csv_options->header_list;
  }

  void Begin(int64_t line) override { receiver_->BeginRecord(object_, line); }

  absl::Status Take(std::string_view text) override {
    if (description_.input_format == InputFormat::kDynamoDbJson) return Give(ReadItemLine(text));
    if (!IsUtf8(text)) return ValidationError(messages::RecordIsNotUtf8());
    if (description_.input_format == InputFormat::kIon) return Give(ReadIonItem(text));
    return TakeCsv(text);
  }

  absl::Status TakeError(absl::Status error) override {
    failure_ = receiver_->Take(std::move(error));
    return failure_;
  }
  void CountBytes(int64_t bytes) override { receiver_->CountBytes(bytes); }

 private:
  absl::Status TakeCsv(std::string_view text) {
    DYNOLITH_ASSIGN_OR_RETURN(std::vector<std::string> fields, ParseCsvRecord(text, delimiter_));
    if (!headers_) {
      headers_ = std::move(fields);
      return CheckCsvHeaders(*headers_);
    }
    return Give(
        CsvItem(*headers_, fields, *description_.table_creation_parameters.attribute_definitions));
  }

  // What forms no item ends the object.
  absl::Status Give(absl::StatusOr<Item> record) {
    if (!record.ok()) return ValidationError(MessageOf(record.status()));
    failure_ = receiver_->Take(std::move(record));
    return failure_;
  }

  const std::string_view object_;
  const ImportTableDescription& description_;
  ImportReceiver* const receiver_;
  const char delimiter_;
  std::optional<std::vector<std::string>> headers_;
};

class PutRecords final : public Records {
 public:
  PutRecords(std::string_view object, const ObjectFile& file, InputFormat format,
             BulkPutReceiver* receiver)
      : object_(object), file_(file), format_(format), receiver_(receiver) {}

  void Begin(int64_t line) override { line_ = line; }

  absl::Status Take(std::string_view text) override {
    if (format_ == InputFormat::kDynamoDbJson) return Give(text, ReadPutLine(text));
    if (!IsUtf8(text)) return Give(text, ValidationError(messages::RecordIsNotUtf8()));
    return Give(text, ReadIonPut(text));
  }

  absl::Status TakeError(absl::Status error) override { return Give("", std::move(error)); }

  // What is stored is counted, so that it comes to the size of the objects.
  void CountBytes(int64_t /*bytes*/) override {
    const int64_t position = lseek(file_.descriptor(), 0, SEEK_CUR);
    receiver_->CountBytes(position - std::exchange(counted_, position));
  }

 private:
  absl::Status Give(std::string_view text, absl::StatusOr<BulkPutRecord> record) {
    failure_ = receiver_->Take({.object = object_, .line = line_}, text, std::move(record));
    return failure_;
  }

  const std::string_view object_;
  const ObjectFile& file_;
  const InputFormat format_;
  BulkPutReceiver* const receiver_;
  int64_t line_ = 0;
  int64_t counted_ = 0;
};

struct ObjectForm {
  InputFormat format;
  InputCompressionType compression;
  char csv_delimiter = ',';
};

absl::Status Read(std::string_view name, const ObjectFile& object, const ObjectForm& form,
                  Records* records) {
  const std::unique_ptr<RecordSplitter> splitter =
      RecordSplitter::Make(form.format, form.csv_delimiter);
  bool is_first = true;
  const auto take = [&](std::string_view text) {
    records->Begin(splitter->line());
    if (std::exchange(is_first, false) && text.starts_with(kByteOrderMark)) {
      text.remove_prefix(kByteOrderMark.size());
    }
    return records->Take(text);
  };
  const auto feed = [&](std::string_view bytes) {
    records->CountBytes(static_cast<int64_t>(bytes.size()));
    return splitter->Feed(bytes, take);
  };
  absl::Status read = ReadDecoded(object.descriptor(), form.compression, feed);
  if (read.ok()) read = splitter->Finish(take);
  DYNOLITH_RETURN_IF_ERROR(records->failure());
  if (read.ok()) return read;
  if (KindOf(read) == ErrorKind::kValidation) {
    records->Begin(splitter->line());
    return records->TakeError(std::move(read));
  }
  return TransferFailure(messages::kAccessDenied,
                         messages::BucketNotAccessible(name, MessageOf(read)));
}

}  // namespace

absl::Status ReadObject(std::string_view name, const ObjectFile& object,
                        const ImportTableDescription& description, ImportReceiver* receiver) {
  ImportedRecords records(name, description, receiver);
  return Read(name, object,
              {.format = description.input_format,
               .compression = description.input_compression_type,
               .csv_delimiter = FieldDelimiter(description)},
              &records);
}

absl::Status ReadBulkObject(std::string_view name, const ObjectFile& object,
                            const InputS3Configuration& input, BulkPutReceiver* receiver) {
  PutRecords records(name, object, input.input_format, receiver);
  return Read(name, object,
              {.format = input.input_format,
               .compression = input.input_compression_type.value_or(InputCompressionType::kNone)},
              &records);
}

}  // namespace dynolith
