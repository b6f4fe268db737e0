// The files of a bulk put's report, laid out as those of an export are:
//
//   lines     = prefix "AWSDynamoDB/" id "/" kind "/" name ".json.gz"
//   kind      = "ERROR" | "CONDITION_CHECK_FAILURE"
//   manifests = prefix "AWSDynamoDB/" id "/" ( "_started" | "manifest-summary.json"
//               | "manifest-summary.md5" | "manifest-files.json" | "manifest-files.md5" )
//
// One line for each record:
//   ERROR                    {"S3Object":"…","Line":1,"ErrorCode":"…","ErrorMessage":"…",
//                             "Record":"…"}        ; the record as it was read, if that is text
//   CONDITION_CHECK_FAILURE  {"S3Object":"…","Line":1,"Item":{…},"ExistingItem":{…}}
//
// A kind of which there is no line has no file.
#ifndef DYNOLITH_API_TRANSFER_FILES_BULK_PUT_FILES_H_
#define DYNOLITH_API_TRANSFER_FILES_BULK_PUT_FILES_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/transfer/files/bucket.h"
#include "api/transfer/files/data_file.h"
#include "dynolith/bulk_transfer.h"

namespace dynolith {

class BulkPutFiles final : public BulkPutReport {
 public:
  static absl::StatusOr<std::unique_ptr<BulkPutFiles>> Begin(
      Bucket bucket, const BulkOperationDescription& description);

  absl::Status AddError(const RecordPlace& place, std::string_view text,
                        const absl::Status& error) override;
  absl::Status AddConditionFailure(const RecordPlace& place, ItemView item,
                                   const std::optional<ItemView>& existing) override;
  absl::Status Finish(const BulkOperationDescription& finished) override;

 private:
  // The file of one kind that is being written, if there is one.
  struct Kind {
    std::string_view name;
    std::unique_ptr<DataFile> file;
  };

  BulkPutFiles(Bucket bucket, const BulkOperationDescription& description);

  absl::Status AddLine(Kind* kind);
  absl::Status FinishFile(Kind* kind);

  const Bucket bucket_;
  const std::string folder_;  // ends with a slash
  Kind errors_ = {"ERROR", nullptr};
  Kind condition_failures_ = {"CONDITION_CHECK_FAILURE", nullptr};
  std::vector<DataFile::Summary> files_;
  std::string line_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_FILES_BULK_PUT_FILES_H_
