#include "api/transfer/files/bucket_transfer.h"

#include <string>
#include <utility>
#include <vector>

#include "api/transfer/files/bucket.h"
#include "api/transfer/files/bulk_put_files.h"
#include "api/transfer/files/export_files.h"
#include "api/transfer/files/messages.h"
#include "api/transfer/files/object_reader.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

// The total size of a bulk put's objects. Errors: TransferFailure, also for too many objects.
absl::StatusOr<int64_t> TotalBytes(const Bucket& bucket, const std::vector<std::string>& names) {
  if (names.empty()) return TransferFailure(messages::kNoSuchKey, messages::NoSuchKey());
  if (names.size() > kBulkObjectsMax) {
    return TransferFailure(messages::kBulkInputTooLarge,
                           messages::TooManyBulkObjects(kBulkObjectsMax));
  }
  int64_t total = 0;
  for (const std::string& name : names) {
    DYNOLITH_ASSIGN_OR_RETURN(const ObjectFile object, bucket.OpenToRead(name));
    DYNOLITH_ASSIGN_OR_RETURN(const int64_t bytes, object.Size());
    if (bytes > kBulkObjectBytesMax) {
      return TransferFailure(messages::kBulkInputTooLarge,
                             messages::BulkObjectTooLarge(name, kBulkObjectBytesMax));
    }
    total += bytes;
  }
  return total;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ExportWriter>> BucketTransfer::BeginExport(
    const ExportDescription& description) {
  DYNOLITH_ASSIGN_OR_RETURN(Bucket bucket, Bucket::Open(folder_, description.s3_bucket));
  return ExportFiles::Begin(std::move(bucket), description);
}

absl::Status BucketTransfer::Import(const ImportTableDescription& description,
                                    ImportReceiver* receiver) {
  const S3BucketSource& source = description.s3_bucket_source;
  DYNOLITH_ASSIGN_OR_RETURN(const Bucket bucket, Bucket::Open(folder_, source.s3_bucket));
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                            bucket.List(source.s3_key_prefix.value_or("")));
  for (const std::string& name : names) {
    DYNOLITH_ASSIGN_OR_RETURN(const ObjectFile object, bucket.OpenToRead(name));
    DYNOLITH_RETURN_IF_ERROR(ReadObject(name, object, description, receiver));
  }
  return absl::OkStatus();
}

absl::Status BucketTransfer::ReadBulkPut(const InputS3Configuration& input,
                                         BulkPutReceiver* receiver) {
  DYNOLITH_ASSIGN_OR_RETURN(const Bucket bucket, Bucket::Open(folder_, input.s3_bucket));
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                            bucket.List(input.s3_key_prefix.value_or("")));
  DYNOLITH_ASSIGN_OR_RETURN(const int64_t bytes, TotalBytes(bucket, names));
  DYNOLITH_RETURN_IF_ERROR(receiver->Begin(bytes));
  for (const std::string& name : names) {
    DYNOLITH_ASSIGN_OR_RETURN(const ObjectFile object, bucket.OpenToRead(name));
    DYNOLITH_RETURN_IF_ERROR(ReadBulkObject(name, object, input, receiver));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<BulkPutReport>> BucketTransfer::BeginBulkPutReport(
    const BulkOperationDescription& description) {
  DYNOLITH_ASSIGN_OR_RETURN(Bucket bucket,
                            Bucket::Open(folder_, description.output.s3_bucket.value_or("")));
  return BulkPutFiles::Begin(std::move(bucket), description);
}

}  // namespace dynolith
