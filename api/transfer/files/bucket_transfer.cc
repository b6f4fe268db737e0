#include "api/transfer/files/bucket_transfer.h"

#include <vector>

#include "api/transfer/files/bucket.h"
#include "api/transfer/files/export_files.h"
#include "api/transfer/files/object_reader.h"
#include "engine/base/messages/transfers.h"
#include "engine/base/status_macros.h"

namespace dynolith {

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
  if (names.empty()) return TransferFailure(messages::kNoSuchKey, messages::NoSuchKey());
  for (const std::string& name : names) {
    DYNOLITH_ASSIGN_OR_RETURN(const ObjectFile object, bucket.OpenToRead(name));
    DYNOLITH_RETURN_IF_ERROR(ReadObject(name, object, description, receiver));
  }
  return absl::OkStatus();
}

}  // namespace dynolith
