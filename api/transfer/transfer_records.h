// What is kept of exports, imports and bulk puts: one entry each, for 90 days.
//
// Rows in Family::kMeta (engine/store/meta_keys.h):
//   kExportKeys id -> fields of an ExportRecord (engine/catalog/entry_fields.h)
//   kImportKeys id -> fields of an ImportRecord
//   kBulkPutKeys id -> fields of a BulkPutEntry
//   id = 14 digits of milliseconds "-" 8 hexadecimal digits ; "01489602797149-73d8d5bc"
#ifndef DYNOLITH_API_TRANSFER_TRANSFER_RECORDS_H_
#define DYNOLITH_API_TRANSFER_TRANSFER_RECORDS_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/transfer/transfer_state.h"
#include "engine/store/store.h"

namespace dynolith {

template <typename Description>
struct TransferRecord {
  std::string id;
  // SHA-256 of the request.
  std::string fingerprint;
  Description description;
};
using ExportRecord = TransferRecord<ExportState>;
using ImportRecord = TransferRecord<ImportState>;
using BulkPutEntry = TransferRecord<BulkPutState>;

// Thread-safe. Errors of all: the store's; kDataLoss naming a damaged entry.
template <typename Description>
class TransferRecords {
 public:
  using Record = TransferRecord<Description>;

  explicit TransferRecords(Store* store) : store_(store) {}

  // An unused id for a transfer that begins now.
  absl::StatusOr<std::string> NewId(absl::Time now) const;
  absl::StatusOr<std::optional<Record>> Find(std::string_view id) const;
  // Newest first, those before `before` (empty: all), until `visit` returns false.
  absl::Status ForEach(std::string_view before,
                       absl::FunctionRef<bool(const Record& record)> visit) const;
  // The one that the token still stands for.
  absl::StatusOr<std::optional<Record>> FindByToken(const std::optional<std::string>& token,
                                                    absl::Time now) const;
  absl::StatusOr<int> CountInProgress() const;

  absl::Status Put(const Record& record) const;
  void Put(const Record& record, WriteBatch* batch) const;
  // Deletes those that began too long ago.
  absl::Status Purge(absl::Time now) const;

 private:
  Store* const store_;
};

extern template class TransferRecords<ExportState>;
extern template class TransferRecords<ImportState>;
extern template class TransferRecords<BulkPutState>;

using ExportRecords = TransferRecords<ExportState>;
using ImportRecords = TransferRecords<ImportState>;
using BulkPutRecords = TransferRecords<BulkPutState>;

// The request in a canonical form, for the fingerprint. Imports have none.
std::string CanonicalExport(const ExportTableToPointInTimeRequest& request);
std::string CanonicalBulkPut(const StartBulkPutItemsRequest& request);

// "<table ARN>/export/<id>", and the id in it; empty if it is none of that kind ("export",
// "import", "bulk-operation").
std::string TransferArn(std::string_view table_arn, std::string_view kind, std::string_view id);
std::string_view TransferIdFromArn(std::string_view arn, std::string_view kind);

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_TRANSFER_RECORDS_H_
