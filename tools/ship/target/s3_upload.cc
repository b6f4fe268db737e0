#include "tools/ship/target/s3_upload.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/base/crc32c.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/ship/target/local_file.h"
#include "tools/ship/target/messages.h"
#include "tools/ship/target/object_name.h"

namespace dynolith::ship {
namespace {

constexpr uint64_t kPartsMax = 10'000;
constexpr size_t kCrcPieceBytes = 1 << 20;
constexpr absl::Duration kOldUpload = absl::Hours(24);

class Upload {
 public:
  Upload(S3Client* client, std::string_view name, const std::string& path)
      : client_(client), name_(name), path_(path) {}

  absl::Status Run() {
    DYNOLITH_RETURN_IF_ERROR(Measure());
    DYNOLITH_RETURN_IF_ERROR(Begin());
    absl::Status status = PutParts();
    if (status.ok()) status = Complete();
    if (!status.ok()) Abort();
    return status;
  }

 private:
  // The checksum of the object is told before its bytes.
  absl::Status Measure() {
    DYNOLITH_ASSIGN_OR_RETURN(LocalReader reader, LocalReader::Open(path_));
    bytes_ = reader.bytes();
    for (uint64_t left = bytes_; left > 0;) {
      if (client_->IsInterrupted())
        return Failure(absl::StatusCode::kUnavailable, messages::ShipInterrupted());
      DYNOLITH_ASSIGN_OR_RETURN(const std::string piece,
                                reader.Read(std::min<uint64_t>(left, kCrcPieceBytes)));
      if (piece.empty()) return absl::InternalError(messages::ShipFileChanges(path_));
      crc_ = ExtendCrc32c(crc_, piece);
      left -= piece.size();
    }
    return absl::OkStatus();
  }

  absl::Status Begin() {
    const absl::StatusOr<S3Answer> answer = client_->Send({.method = "POST",
                                                           .name = name_,
                                                           .query = {{"uploads", ""}},
                                                           .headers = {CrcHeader(crc_)}});
    if (!answer.ok() || !answer->ok()) return client_->Failure("write", name_, answer);
    const std::optional<std::string> id = ReadS3UploadId(answer->body);
    if (!id)
      return Failure(absl::StatusCode::kDataLoss, messages::ShipAnswerOdd("CreateMultipartUpload"));
    id_ = *id;
    return absl::OkStatus();
  }

  absl::Status PutParts() {
    DYNOLITH_ASSIGN_OR_RETURN(LocalReader reader, LocalReader::Open(path_));
    uint32_t crc = 0;
    for (uint64_t sent = 0; sent < bytes_;) {
      DYNOLITH_ASSIGN_OR_RETURN(const std::string part, reader.Read(std::min<uint64_t>(
                                                            bytes_ - sent, PartBytesOf(bytes_))));
      if (part.empty()) break;
      crc = ExtendCrc32c(crc, part);
      sent += part.size();
      const absl::StatusOr<S3Answer> answer =
          client_->Send({.method = "PUT",
                         .name = name_,
                         .query = {{"partNumber", Concat(etags_.size() + 1)}, {"uploadId", id_}},
                         .headers = ChecksumHeaders(part),
                         .body = part});
      if (!answer.ok() || !answer->ok()) return client_->Failure("write", name_, answer);
      etags_.emplace_back(answer->Header("ETag"));
      if (etags_.back().empty()) {
        return Failure(absl::StatusCode::kDataLoss, messages::ShipAnswerOdd("UploadPart"));
      }
    }
    return crc == crc_ ? absl::OkStatus() : absl::InternalError(messages::ShipFileChanges(path_));
  }

  absl::Status Complete() {
    const std::string body = CompleteUploadBody(etags_);
    const absl::StatusOr<S3Answer> answer = client_->Send({.method = "POST",
                                                           .name = name_,
                                                           .query = {{"uploadId", id_}},
                                                           .headers = ChecksumHeaders(body),
                                                           .body = body,
                                                           .may_fail_late = true});
    const bool may_be_done = answer.ok() && answer->may_be_second && answer->status == 404;
    if (may_be_done && IsThere()) return absl::OkStatus();
    if (!answer.ok() || !answer->ok()) return client_->Failure("write", name_, answer);
    if (!ReadS3CompletedEtag(answer->body)) {
      return Failure(absl::StatusCode::kDataLoss,
                     messages::ShipAnswerOdd("CompleteMultipartUpload"));
    }
    return absl::OkStatus();
  }

  // Whether the object is the one of this upload.
  bool IsThere() {
    const absl::StatusOr<S3Answer> answer = client_->Send({.method = "HEAD", .name = name_});
    if (!answer.ok() || !answer->ok()) return false;
    const auto& [header, crc] = CrcHeader(crc_);
    return answer->Header(header) == crc && answer->Header("Content-Length") == Concat(bytes_);
  }

  void Abort() {
    // What cannot be aborted now is for RemoveOldUploads.
    (void)client_->Send(
        {.method = "DELETE", .name = name_, .query = {{"uploadId", id_}}, .is_last = true});
  }

  absl::Status Failure(absl::StatusCode code, std::string_view reason) const {
    return client_->Failure("write", name_, code, reason);
  }

  S3Client* const client_;
  const std::string name_;
  const std::string path_;
  uint64_t bytes_ = 0;
  uint32_t crc_ = 0;
  std::string id_;
  std::vector<std::string> etags_;
};

}  // namespace

size_t PartBytesOf(uint64_t bytes) {
  constexpr uint64_t kStep = 1 << 20;
  const uint64_t least = (bytes + kPartsMax - 1) / kPartsMax;
  return std::max<uint64_t>(kPartBytes, (least + kStep - 1) / kStep * kStep);
}

client::HttpHeaders ChecksumHeaders(std::string_view body) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  // A library whose owner has forbidden MD5 computes none; the SHA-256 that is signed remains.
  if (EVP_Digest(body.data(), body.size(), digest.data(), &size, EVP_md5(), nullptr) != 1)
    return {};
  return {{"Content-MD5", absl::Base64Escape(absl::string_view(
                              reinterpret_cast<const char*>(digest.data()), size))}};
}

std::pair<std::string, std::string> CrcHeader(uint32_t crc) {
  return {"x-amz-meta-crc32c", absl::StrCat(absl::Hex(crc, absl::kZeroPad8))};
}

absl::Status UploadInParts(S3Client* client, std::string_view name, const std::string& path) {
  return Upload(client, name, path).Run();
}

void RemoveOldUploads(S3Client* client) {
  S3Query query = {{"uploads", ""}, {"encoding-type", "url"}};
  if (!client->prefix().empty()) query.emplace_back("prefix", client->prefix());
  const absl::StatusOr<S3Answer> answer = client->Send({.query = std::move(query)});
  if (!answer.ok() || !answer->ok()) return;
  const std::optional<std::vector<S3Upload>> uploads = ReadS3Uploads(answer->body);
  if (!uploads) return;
  for (const S3Upload& upload : *uploads) {
    absl::Time initiated;
    if (!upload.key.starts_with(client->prefix()) ||
        !absl::ParseTime(absl::RFC3339_full, upload.initiated, &initiated, nullptr)) {
      continue;
    }
    const std::string name = upload.key.substr(client->prefix().size());
    if (absl::Now() - initiated < kOldUpload || !CheckName(name).ok()) continue;
    (void)client->Send({.method = "DELETE", .name = name, .query = {{"uploadId", upload.id}}});
  }
}

}  // namespace dynolith::ship
