// The destination of exports and the source of imports and bulk puts: stands for the service's
// buckets. A database gets one with DatabaseOptions::transfers; without one, there are no buckets.
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

// The reason for which a transfer failed, as its description shows it: "S3NoSuchBucket", "The
// specified bucket does not exist". Any other failed status is shown as an internal one.
absl::Status TransferFailure(std::string_view code, std::string_view message);
// The code of a status made by TransferFailure; empty for any other.
std::string TransferFailureCode(const absl::Status& status);

// The change of one item between the two times of an incremental export. Borrows.
struct ExportedChange {
  // The time of the last write.
  absl::Time written;
  // Only the key attributes.
  ItemView key;
  // The item before the first and after the last write, if it existed.
  std::optional<ItemView> old_image;
  std::optional<ItemView> new_image;
};

// One running export. If it is destroyed before Finish, the written objects stay. Not thread-safe.
class ExportWriter {
 public:
  virtual ~ExportWriter() = default;

  // Errors of all: TransferFailure; the export is then unusable.
  virtual absl::Status AddItem(ItemView item) = 0;
  virtual absl::Status AddChange(const ExportedChange& change) = 0;
  // Writes the manifests. `finished` has the export's end and its counts. Returns the name of the
  // summary's object, ExportManifest.
  virtual absl::StatusOr<std::string> Finish(const ExportDescription& finished) = 0;
};

// A record that an import leaves out, or the reason for its failure. Borrows.
struct ImportFault {
  std::string_view table;
  std::string_view object;  // empty: not about a single record
  int64_t line = 0;         // where the record begins, from 1; 0: not known
  std::string_view reason;
};

// Receives the records of an import.
class ImportReceiver {
 public:
  virtual ~ImportReceiver() = default;

  // The position at which the record of the next Take begins, counted from 1. For messages only.
  virtual void BeginRecord(std::string_view /*object*/, int64_t /*line*/) {}
  // An item, or the reason for which the record at its position is none: then the caller gives
  // nothing more of its object. A failed result ends the import, and is its result.
  virtual absl::Status Take(absl::StatusOr<Item> record) = 0;
  // The number of further bytes of the source, uncompressed, that have been read.
  virtual void CountBytes(int64_t bytes) = 0;
};

// One record of a bulk put: an item, and the condition for writing it.
struct BulkPutRecord {
  Item item;
  std::optional<std::string> condition_expression;
  std::optional<AttributeNames> expression_attribute_names;
  std::optional<Item> expression_attribute_values;
};

// The position at which a record of a bulk put begins, as in BeginRecord of an import. Borrows.
struct RecordPlace {
  std::string_view object;
  int64_t line = 0;
};

// Receives the records of a bulk put. A failed result of any function ends the reading, and is its
// result.
class BulkPutReceiver {
 public:
  virtual ~BulkPutReceiver() = default;

  // Once, before all records: the bytes of all objects as they are stored.
  virtual absl::Status Begin(int64_t total_bytes) = 0;
  // A record, or the reason for which the one at this position is none. `text` is the unparsed
  // record; empty if it is not known. Both positions and texts are borrowed.
  virtual absl::Status Take(const RecordPlace& place, std::string_view text,
                            absl::StatusOr<BulkPutRecord> record) = 0;
  // The number of stored bytes that have been read since the last call.
  virtual void CountBytes(int64_t bytes) = 0;
};

// Reports the records that a bulk put did not write to its user. If it is destroyed before Finish,
// its reports stay. Not thread-safe. Errors of all: TransferFailure.
class BulkPutReport {
 public:
  virtual ~BulkPutReport() = default;

  // The reason for which the record at that position could not be processed.
  virtual absl::Status AddError(const RecordPlace& place, std::string_view text,
                                const absl::Status& error) = 0;
  // An item whose condition failed, and the existing item, if there was one.
  virtual absl::Status AddConditionFailure(const RecordPlace& place, ItemView item,
                                           const std::optional<ItemView>& existing) = 0;
  // Writes the manifests of the report.
  virtual absl::Status Finish(const BulkOperationDescription& finished) = 0;
};

// Thread-safe.
class BulkTransfer {
 public:
  virtual ~BulkTransfer() = default;

  virtual absl::StatusOr<std::unique_ptr<ExportWriter>> BeginExport(
      const ExportDescription& description) = 0;
  // Reads all objects under the prefix. `description` has the source, the format, and the types of
  // the table's keys. Errors: TransferFailure; those of `receiver`.
  virtual absl::Status Import(const ImportTableDescription& description,
                              ImportReceiver* receiver) = 0;
  // Reads all objects under the prefix. Errors: TransferFailure; those of `receiver`.
  virtual absl::Status ReadBulkPut(const InputS3Configuration& input, BulkPutReceiver* receiver);
  // `description` has the destination and the kinds to report; the caller reports no others.
  virtual absl::StatusOr<std::unique_ptr<BulkPutReport>> BeginBulkPutReport(
      const BulkOperationDescription& description);
  // Gets the first hundred records that an import leaves out and their number, and the reason for
  // which an import failed. For a log.
  virtual void NoteFault(const ImportFault& /*fault*/) {}
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_BULK_TRANSFER_H_
