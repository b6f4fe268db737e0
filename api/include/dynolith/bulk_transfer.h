// Where exports go to, imports and bulk puts come from: what stands for the service's buckets. A
// database gets one with DatabaseOptions::transfers; without one, there are no buckets.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_BULK_TRANSFER_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_BULK_TRANSFER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "dynolith/requests.h"
#include "engine/value/item.h"

namespace dynolith {

// Why a transfer failed, as its description shows it: "S3NoSuchBucket", "The specified bucket does
// not exist". Any other failed status is shown as an internal one.
absl::Status TransferFailure(std::string_view code, std::string_view message);
// The code of a status made by TransferFailure; empty for any other.
std::string TransferFailureCode(const absl::Status& status);

// What became of one item between the two times of an incremental export. Borrows.
struct ExportedChange {
  // Of the last write.
  absl::Time written;
  // Only the key attributes.
  ItemView key;
  // As it was before the first and after the last write, if it was there.
  std::optional<ItemView> old_image;
  std::optional<ItemView> new_image;
};

// One export under way. What was written stays when it is destroyed before Finish. Not thread-safe.
class ExportWriter {
 public:
  virtual ~ExportWriter() = default;

  // Errors of all: TransferFailure; the export is then of no use.
  virtual absl::Status AddItem(ItemView item) = 0;
  virtual absl::Status AddChange(const ExportedChange& change) = 0;
  // Writes what describes the export. `finished` has its end and its counts. Returns the name of
  // the summary's object, ExportManifest.
  virtual absl::StatusOr<std::string> Finish(const ExportDescription& finished) = 0;
};

// What an import leaves out, or why it came to nothing. Borrows.
struct ImportFault {
  std::string_view table;
  std::string_view object;  // empty: not of a single record
  int64_t line = 0;         // where the record begins, from 1; 0: not known
  std::string_view reason;
};

// Gets what an import reads.
class ImportReceiver {
 public:
  virtual ~ImportReceiver() = default;

  // The record of the next Take begins there, counted from 1. For messages only.
  virtual void BeginRecord(std::string_view /*object*/, int64_t /*line*/) {}
  // An item, or why the record at its place is none: then nothing more of its object is to be
  // given. A failed result ends the import, and is its result.
  virtual absl::Status Take(absl::StatusOr<Item> record) = 0;
  // So many bytes of the source, uncompressed, have been read.
  virtual void CountBytes(int64_t bytes) = 0;
};

// One record of a bulk put: an item, and on which condition it is written.
struct BulkPutRecord {
  Item item;
  std::optional<std::string> condition_expression;
  std::optional<AttributeNames> expression_attribute_names;
  std::optional<Item> expression_attribute_values;
};

// Where a record of a bulk put begins, as BeginRecord of an import says it. Borrows.
struct RecordPlace {
  std::string_view object;
  int64_t line = 0;
};

// Gets what a bulk put reads. A failed result of any function ends the reading, and is its result.
class BulkPutReceiver {
 public:
  virtual ~BulkPutReceiver() = default;

  // Once, before all records: the bytes of all objects as they are stored.
  virtual absl::Status Begin(int64_t total_bytes) = 0;
  // A record, or why the one at this place is none. `text`: as it was read; empty if that is not
  // known. Both places and texts are borrowed.
  virtual absl::Status Take(const RecordPlace& place, std::string_view text,
                            absl::StatusOr<BulkPutRecord> record) = 0;
  // So many stored bytes have been read since the last call.
  virtual void CountBytes(int64_t bytes) = 0;
};

// What a bulk put did not write, for its user. What was reported stays when it is destroyed before
// Finish. Not thread-safe. Errors of all: TransferFailure.
class BulkPutReport {
 public:
  virtual ~BulkPutReport() = default;

  // Why the record at that place could not be processed.
  virtual absl::Status AddError(const RecordPlace& place, std::string_view text,
                                const absl::Status& error) = 0;
  // An item whose condition failed, and the item that was there, if there was one.
  virtual absl::Status AddConditionFailure(const RecordPlace& place, ItemView item,
                                           const std::optional<ItemView>& existing) = 0;
  // Writes what describes the report.
  virtual absl::Status Finish(const BulkOperationDescription& finished) = 0;
};

// Thread-safe.
class BulkTransfer {
 public:
  virtual ~BulkTransfer() = default;

  virtual absl::StatusOr<std::unique_ptr<ExportWriter>> BeginExport(
      const ExportDescription& description) = 0;
  // Reads all objects under the prefix. `description` says from where, in which format, and of
  // which types the table's keys are. Errors: TransferFailure; those of `receiver`.
  virtual absl::Status Import(const ImportTableDescription& description,
                              ImportReceiver* receiver) = 0;
  // Reads all objects under the prefix. Errors: TransferFailure; those of `receiver`.
  virtual absl::Status ReadBulkPut(const InputS3Configuration& input, BulkPutReceiver* receiver);
  // `description` says where to, and which kinds are reported; none else are given to it.
  virtual absl::StatusOr<std::unique_ptr<BulkPutReport>> BeginBulkPutReport(
      const BulkOperationDescription& description);
  // Told of the first hundred records that an import leaves out, of how many there were, and of why
  // an import failed. For a log.
  virtual void NoteFault(const ImportFault& /*fault*/) {}
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_BULK_TRANSFER_H_
