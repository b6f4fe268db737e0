// Exports to and imports from the subfolders of one folder, each of which stands for a bucket.
#ifndef DYNOLITH_API_TRANSFER_FILES_BUCKET_TRANSFER_H_
#define DYNOLITH_API_TRANSFER_FILES_BUCKET_TRANSFER_H_

#include <memory>
#include <string>
#include <utility>

#include "dynolith/bulk_transfer.h"

namespace dynolith {

class BucketTransfer final : public BulkTransfer {
 public:
  explicit BucketTransfer(std::string buckets_folder) : folder_(std::move(buckets_folder)) {}

  absl::StatusOr<std::unique_ptr<ExportWriter>> BeginExport(
      const ExportDescription& description) override;
  absl::Status Import(const ImportTableDescription& description, ImportReceiver* receiver) override;

 private:
  const std::string folder_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_FILES_BUCKET_TRANSFER_H_
