// A bucket of S3's protocol as a target: an object is the one of its name behind the prefix.
//
// What is put has its CRC-32C in the metadata of the object (`x-amz-meta-crc32c`, 8 hexadecimal
// digits), since the ETag of a bucket is no checksum where objects are put in parts or encrypted;
// what is got is compared with it. Uploads have a Content-MD5, besides the SHA-256 that is signed,
// so that the server refuses damaged ones.
#ifndef DYNOLITH_TOOLS_SHIP_TARGET_S3_TARGET_H_
#define DYNOLITH_TOOLS_SHIP_TARGET_S3_TARGET_H_

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "tools/ship/target/s3_client.h"
#include "tools/ship/target/ship_target.h"

namespace dynolith::ship {

class S3Target final : public ShipTarget {
 public:
  // Nothing is asked of the server yet. Errors: those of ParseS3Url and FindS3Place.
  static absl::StatusOr<std::unique_ptr<S3Target>> Open(std::string_view url,
                                                        const TargetOptions& options);

  std::string Describe() const override { return client_->Describe(); }
  absl::Status Put(std::string_view name, std::string_view bytes) override;
  // If the answer of an attempt was lost, an object with the same bytes counts as made here. Before
  // the first object is made known, the server is asked once more to make it: one that does not
  // know the condition, and would replace objects, is refused with kInvalidArgument.
  absl::StatusOr<bool> PutNew(std::string_view name, std::string_view bytes) override;
  // In one call up to 16 MB, else in parts of 16 MB, or more where they would be over 10,000. The
  // first upload in parts removes those that others began below the prefix more than a day ago.
  absl::Status PutFile(std::string_view name, const std::string& path) override;
  absl::StatusOr<std::string> Get(std::string_view name) override;
  absl::Status GetFile(std::string_view name, const std::string& path) override;
  absl::StatusOr<std::vector<ObjectInfo>> List(std::string_view prefix,
                                               std::string_view after) override;
  absl::Status Delete(const std::vector<std::string>& names) override;

 private:
  explicit S3Target(std::unique_ptr<S3Client> client) : client_(std::move(client)) {}
  absl::StatusOr<bool> PutIfNew(std::string_view name, std::string_view bytes);
  // The bytes of an object, in pieces of 16 MB.
  absl::Status Read(std::string_view name, uint64_t bytes_max,
                    absl::FunctionRef<absl::Status(std::string_view)> take);
  absl::Status DeleteSome(const std::vector<std::string>& keys);

  const std::unique_ptr<S3Client> client_;
  std::atomic<bool> knows_condition_ = false;  // the server has refused to replace an object
  std::atomic<bool> has_removed_remains_ = false;
};

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_TARGET_S3_TARGET_H_
