#include "tools/ship/target/s3_target.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "engine/base/crc32c.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/ship/target/local_file.h"
#include "tools/ship/target/messages.h"
#include "tools/ship/target/object_name.h"
#include "tools/ship/target/s3_answers.h"
#include "tools/ship/target/s3_place.h"
#include "tools/ship/target/s3_upload.h"

namespace dynolith::ship {
namespace {

constexpr int kPartialContent = 206;
constexpr int kPreconditionFailed = 412;
constexpr int kRangeNotSatisfiable = 416;
constexpr size_t kDeletedAtOnceMax = 1'000;

bool IsGood(const absl::StatusOr<S3Answer>& answer) { return answer.ok() && answer->ok(); }
bool HasStatus(const absl::StatusOr<S3Answer>& answer, int status) {
  return answer.ok() && answer->status == status;
}

client::HttpHeaders PutHeaders(std::string_view bytes) {
  client::HttpHeaders headers = ChecksumHeaders(bytes);
  headers.push_back(CrcHeader(Crc32c(bytes)));
  return headers;
}

// Where a piece stands in its object.
struct Place {
  uint64_t begin = 0;
  uint64_t object_bytes = 0;
};

// By its Content-Range, "bytes 0-9/443"; nullopt: its body has another length.
std::optional<Place> PlaceOf(const S3Answer& piece) {
  const uint64_t bytes = piece.body.size();
  if (piece.status != kPartialContent) return Place{.begin = 0, .object_bytes = bytes};
  constexpr std::string_view kUnit = "bytes ";
  std::string_view text = piece.Header("Content-Range");
  const size_t dash = text.find('-');
  const size_t slash = text.find('/');
  const bool has_form = text.starts_with(kUnit) && dash != std::string_view::npos &&
                        slash != std::string_view::npos && dash < slash;
  if (!has_form) return std::nullopt;
  Place place;
  uint64_t last = 0;
  const bool has_numbers =
      absl::SimpleAtoi(ToAbsl(text.substr(kUnit.size(), dash - kUnit.size())), &place.begin) &&
      absl::SimpleAtoi(ToAbsl(text.substr(dash + 1, slash - dash - 1)), &last) &&
      absl::SimpleAtoi(ToAbsl(text.substr(slash + 1)), &place.object_bytes);
  if (!has_numbers || last - place.begin + 1 != bytes || last >= place.object_bytes) {
    return std::nullopt;
  }
  return place;
}

}  // namespace

absl::StatusOr<std::unique_ptr<S3Target>> S3Target::Open(std::string_view url,
                                                         const TargetOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(const S3Url parsed, ParseS3Url(url));
  DYNOLITH_ASSIGN_OR_RETURN(const S3Place place, FindS3Place(parsed, options));
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<S3Client> client,
                            S3Client::Open(parsed, place, options));
  return std::unique_ptr<S3Target>(new S3Target(std::move(client)));
}

absl::Status S3Target::Put(std::string_view name, std::string_view bytes) {
  DYNOLITH_RETURN_IF_ERROR(CheckName(name));
  const absl::StatusOr<S3Answer> answer = client_->Send(
      {.method = "PUT", .name = std::string(name), .headers = PutHeaders(bytes), .body = bytes});
  return IsGood(answer) ? absl::OkStatus() : client_->Failure("write", name, answer);
}

absl::StatusOr<bool> S3Target::PutNew(std::string_view name, std::string_view bytes) {
  DYNOLITH_RETURN_IF_ERROR(CheckName(name));
  DYNOLITH_ASSIGN_OR_RETURN(const bool is_made, PutIfNew(name, bytes));
  if (!is_made || knows_condition_) return is_made;
  DYNOLITH_ASSIGN_OR_RETURN(const bool is_made_again, PutIfNew(name, bytes));
  if (!is_made_again || knows_condition_) return true;
  return client_->Failure("write", name, absl::StatusCode::kInvalidArgument,
                          messages::ShipNoCondition());
}

absl::StatusOr<bool> S3Target::PutIfNew(std::string_view name, std::string_view bytes) {
  client::HttpHeaders headers = PutHeaders(bytes);
  headers.emplace_back("If-None-Match", "*");
  const absl::StatusOr<S3Answer> answer = client_->Send(
      {.method = "PUT", .name = std::string(name), .headers = std::move(headers), .body = bytes});
  if (IsGood(answer)) return true;
  if (!HasStatus(answer, kPreconditionFailed)) return client_->Failure("write", name, answer);
  knows_condition_ = true;
  if (!answer->may_be_second) return false;
  // This object may be the one of an attempt whose answer was lost.
  const absl::StatusOr<std::string> there = Get(name);
  if (absl::IsOutOfRange(there.status())) return false;
  DYNOLITH_RETURN_IF_ERROR(there.status());
  return *there == bytes;
}

absl::Status S3Target::PutFile(std::string_view name, const std::string& path) {
  DYNOLITH_RETURN_IF_ERROR(CheckName(name));
  DYNOLITH_ASSIGN_OR_RETURN(LocalReader reader, LocalReader::Open(path));
  if (reader.bytes() <= kPartBytes) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::string bytes, reader.Read(reader.bytes()));
    if (bytes.size() != reader.bytes()) {
      return absl::InternalError(messages::ShipFileChanges(path));
    }
    return Put(name, bytes);
  }
  if (!has_removed_remains_.exchange(true)) RemoveOldUploads(client_.get());
  return UploadInParts(client_.get(), name, path);
}

absl::StatusOr<std::string> S3Target::Get(std::string_view name) {
  std::string bytes;
  const auto append = [&](std::string_view piece) {
    bytes.append(piece);
    return absl::OkStatus();
  };
  DYNOLITH_RETURN_IF_ERROR(Read(name, kGetBytesMax, append));
  return bytes;
}

absl::Status S3Target::GetFile(std::string_view name, const std::string& path) {
  DYNOLITH_RETURN_IF_ERROR(CheckName(name));
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<LocalWriter> writer, LocalWriter::Make(path));
  const auto write = [&](std::string_view piece) { return writer->Write(piece); };
  DYNOLITH_RETURN_IF_ERROR(Read(name, UINT64_MAX, write));
  return writer->Finish();
}

absl::Status S3Target::Read(std::string_view name, uint64_t bytes_max,
                            absl::FunctionRef<absl::Status(std::string_view)> take) {
  DYNOLITH_RETURN_IF_ERROR(CheckName(name));
  const auto failure = [&](absl::StatusCode code, std::string_view reason) {
    return client_->Failure("read", name, code, reason);
  };
  std::string etag;
  std::string stored_crc;
  uint32_t crc = 0;
  uint64_t object_bytes = 1;
  for (uint64_t got = 0; got < object_bytes;) {
    S3Call call{.name = std::string(name),
                .headers = {{"Range", Concat("bytes=", got, "-", got + kPartBytes - 1)}}};
    if (!etag.empty()) call.headers.emplace_back("If-Match", etag);
    absl::StatusOr<S3Answer> piece = client_->Send(call);
    if (got == 0 && HasStatus(piece, kRangeNotSatisfiable)) {
      // An object without bytes has no range.
      call.headers.clear();
      piece = client_->Send(call);
    }
    if (got > 0 && HasStatus(piece, kPreconditionFailed)) {
      return failure(absl::StatusCode::kUnavailable, messages::ShipObjectReplaced());
    }
    if (!IsGood(piece)) return client_->Failure("read", name, piece);
    const std::optional<Place> place = PlaceOf(*piece);
    const bool follows =
        place && place->begin == got && (got == 0 || place->object_bytes == object_bytes);
    if (!follows) return failure(absl::StatusCode::kDataLoss, messages::ShipPieceOdd());
    if (place->object_bytes > bytes_max) {
      return failure(absl::StatusCode::kOutOfRange, messages::ShipObjectTooLarge(bytes_max));
    }
    if (got == 0) {
      object_bytes = place->object_bytes;
      etag = piece->Header("ETag");
      stored_crc = piece->Header(CrcHeader(0).first);
    }
    got += piece->body.size();
    crc = ExtendCrc32c(crc, piece->body);
    DYNOLITH_RETURN_IF_ERROR(take(piece->body));
  }
  // An object that others have put has no checksum.
  if (stored_crc.empty() || stored_crc == CrcHeader(crc).second) return absl::OkStatus();
  return failure(absl::StatusCode::kDataLoss,
                 messages::ShipOtherCrc(stored_crc, CrcHeader(crc).second));
}

absl::StatusOr<std::vector<ObjectInfo>> S3Target::List(std::string_view prefix,
                                                       std::string_view after) {
  DYNOLITH_RETURN_IF_ERROR(CheckPrefix(prefix));
  const std::string& own = client_->prefix();
  std::vector<ObjectInfo> found;
  std::string next;
  do {
    S3Query query = {{"list-type", "2"}, {"encoding-type", "url"}};
    if (const std::string keys = Concat(own, prefix); !keys.empty())
      query.emplace_back("prefix", keys);
    if (!after.empty()) query.emplace_back("start-after", Concat(own, after));
    if (!next.empty()) query.emplace_back("continuation-token", next);
    const absl::StatusOr<S3Answer> answer = client_->Send({.query = std::move(query)});
    if (!IsGood(answer)) return client_->Failure("list", prefix, answer);
    std::optional<S3Page> page = ReadS3Page(answer->body);
    if (!page || (!page->next.empty() && page->next == next)) {
      return client_->Failure("list", prefix, absl::StatusCode::kDataLoss,
                              messages::ShipAnswerOdd("ListObjectsV2"));
    }
    for (ObjectInfo& object : page->objects) {
      if (!object.name.starts_with(own)) continue;
      object.name.erase(0, own.size());
      // What others have put may have other names.
      const bool is_ours = CheckName(object.name).ok() && object.name.starts_with(prefix);
      if (is_ours && object.name > after) found.push_back(std::move(object));
    }
    next = page->next;
  } while (!next.empty());
  // Not all servers keep this order.
  std::sort(found.begin(), found.end(),
            [](const ObjectInfo& left, const ObjectInfo& right) { return left.name < right.name; });
  return found;
}

absl::Status S3Target::Delete(const std::vector<std::string>& names) {
  for (const std::string& name : names) DYNOLITH_RETURN_IF_ERROR(CheckName(name));
  std::vector<std::string> keys;
  for (size_t i = 0; i < names.size(); ++i) {
    keys.push_back(client_->prefix() + names[i]);
    if (keys.size() < kDeletedAtOnceMax && i + 1 < names.size()) continue;
    DYNOLITH_RETURN_IF_ERROR(DeleteSome(keys));
    keys.clear();
  }
  return absl::OkStatus();
}

absl::Status S3Target::DeleteSome(const std::vector<std::string>& keys) {
  const std::string body = DeleteObjectsBody(keys);
  const absl::StatusOr<S3Answer> answer = client_->Send({.method = "POST",
                                                         .query = {{"delete", ""}},
                                                         .headers = ChecksumHeaders(body),
                                                         .body = body});
  const std::string first = keys.front().substr(client_->prefix().size());
  if (!IsGood(answer)) return client_->Failure("delete", first, answer);
  const auto errors = ReadS3DeleteErrors(answer->body);
  if (!errors) {
    return client_->Failure("delete", first, absl::StatusCode::kDataLoss,
                            messages::ShipAnswerOdd("DeleteObjects"));
  }
  constexpr int kServerError = 500;
  for (const auto& [key, error] : *errors) {
    if (error.code == "NoSuchKey") continue;
    const bool is_denied = error.code == "AccessDenied";
    return client_->Failure(
        "delete", key.substr(std::min(key.size(), client_->prefix().size())),
        is_denied ? absl::StatusCode::kPermissionDenied : S3StatusCode(kServerError, error.code),
        messages::ShipS3Error(answer->status, error.code, error.message));
  }
  return absl::OkStatus();
}

}  // namespace dynolith::ship
