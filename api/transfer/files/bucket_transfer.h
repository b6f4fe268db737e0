// Exports to, imports and bulk puts from the subfolders of one folder. Each subfolder stands for a
// bucket.
#ifndef DYNOLITH_API_TRANSFER_FILES_BUCKET_TRANSFER_H_
#define DYNOLITH_API_TRANSFER_FILES_BUCKET_TRANSFER_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "dynolith/bulk_transfer.h"

namespace dynolith {

class BucketTransfer final : public BulkTransfer {
 public:
  using Note = std::function<void(const ImportFault&)>;

  // `note` is called for each fault of an import, from the import's thread; empty: they are only
  // counted.
  explicit BucketTransfer(std::string buckets_folder, Note note = nullptr)
      : folder_(std::move(buckets_folder)), note_(std::move(note)) {}

  absl::StatusOr<std::unique_ptr<ExportWriter>> BeginExport(
      const ExportDescription& description) override;
  absl::Status Import(const ImportTableDescription& description, ImportReceiver* receiver) override;
  absl::Status ReadBulkPut(const InputS3Configuration& input, BulkPutReceiver* receiver) override;
  absl::StatusOr<std::unique_ptr<BulkPutReport>> BeginBulkPutReport(
      const BulkOperationDescription& description) override;
  void NoteFault(const ImportFault& fault) override {
    if (note_) note_(fault);
  }

 private:
  const std::string folder_;
  const Note note_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_FILES_BUCKET_TRANSFER_H_
