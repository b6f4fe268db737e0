// The files of one export, as the service lays them out ("DynamoDB table export output format"):
//
//   full         = prefix "AWSDynamoDB/" id "/data/" name ".json.gz"      ; ".ion.gz"
//   incremental  = prefix "AWSDynamoDB/data/" name ".json.gz"
//   both         = prefix "AWSDynamoDB/" id "/" ( "_started" | "manifest-summary.json"
//                  | "manifest-summary.md5" | "manifest-files.json" | "manifest-files.md5" )
//
// The files of data are gzip: one line for each item or change. manifest-files.json has one line
// for each of them; a .md5 file holds the MD5 of the manifest beside it, as base64.
#ifndef DYNOLITH_API_TRANSFER_FILES_EXPORT_FILES_H_
#define DYNOLITH_API_TRANSFER_FILES_EXPORT_FILES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/transfer/files/bucket.h"
#include "api/transfer/files/data_file.h"
#include "dynolith/bulk_transfer.h"

namespace dynolith {

class ExportFiles final : public ExportWriter {
 public:
  static absl::StatusOr<std::unique_ptr<ExportFiles>> Begin(Bucket bucket,
                                                            const ExportDescription& description);

  absl::Status AddItem(ItemView item) override;
  absl::Status AddChange(const ExportedChange& change) override;
  absl::StatusOr<std::string> Finish(const ExportDescription& finished) override;

 private:
  ExportFiles(Bucket bucket, const ExportDescription& description);

  bool is_ion() const;
  absl::Status AddLine();
  absl::Status BeginDataFile();
  absl::Status FinishDataFile();

  const Bucket bucket_;
  const ExportDescription request_;
  // These end with a slash.
  std::string folder_;
  std::string data_folder_;
  std::unique_ptr<DataFile> data_file_;
  std::vector<DataFile::Summary> data_files_;
  std::string line_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_FILES_EXPORT_FILES_H_
