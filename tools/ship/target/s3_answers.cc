#include "tools/ship/target/s3_answers.h"

#include <algorithm>
#include <iterator>
#include <pugixml.hpp>
#include <sstream>

#include "absl/strings/numbers.h"
#include "engine/base/strings.h"
#include "tools/ship/target/s3_signer.h"

namespace dynolith::ship {
namespace {

// A page of 1,000 keys has half a megabyte, however its texts are escaped.
constexpr size_t kXmlBytesMax = 8 << 20;

// The root of that name; empty: the body is something else.
pugi::xml_node Root(pugi::xml_document* document, std::string_view body, const char* name) {
  const bool is_xml =
      body.size() <= kXmlBytesMax &&
      document->load_buffer(body.data(), body.size(), pugi::parse_default, pugi::encoding_utf8);
  return is_xml ? document->child(name) : pugi::xml_node();
}

std::string TextOf(const pugi::xml_node& node, const char* name) {
  return node.child(name).text().get();
}

// A key, which is encoded if the answer says so.
std::string KeyOf(const pugi::xml_node& root, const pugi::xml_node& node) {
  std::string key = TextOf(node, "Key");
  return TextOf(root, "EncodingType") == "url" ? UrlDecoded(key) : key;
}

S3Error ErrorOf(const pugi::xml_node& node) {
  return {.code = TextOf(node, "Code"),
          .message = TextOf(node, "Message"),
          .region = TextOf(node, "Region")};
}

std::string Written(const pugi::xml_document& document) {
  std::ostringstream text;
  document.save(text, "", pugi::format_raw | pugi::format_no_declaration);
  return text.str();
}

template <size_t size>
bool IsAmong(std::string_view text, const std::string_view (&texts)[size]) {
  return std::find(std::begin(texts), std::end(texts), text) != std::end(texts);
}

constexpr const char* kXmlns = "http://s3.amazonaws.com/doc/2006-03-01/";

}  // namespace

S3Error ReadS3Error(std::string_view body) {
  pugi::xml_document document;
  return ErrorOf(Root(&document, body, "Error"));
}

client::FailureKind KindOfS3Failure(int status, std::string_view code) {
  // The last ones are of uploads that were damaged or cut off on the way.
  constexpr std::string_view kPassing[] = {
      "InternalError", "ConditionalRequestConflict", "OperationAborted",
      "BadDigest",     "XAmzContentSHA256Mismatch",  "IncompleteBody"};
  if (IsAmong(code, kPassing)) return client::FailureKind::kTransient;
  return client::KindOfFailure(status, code);
}

absl::StatusCode S3StatusCode(int status, std::string_view code) {
  constexpr std::string_view kNoPermission[] = {"ExpiredToken", "InvalidToken",
                                                "TokenRefreshRequired"};
  constexpr std::string_view kDamaged[] = {"BadDigest", "XAmzContentSHA256Mismatch",
                                           "IncompleteBody"};
  constexpr int kUnauthorized = 401;
  constexpr int kForbidden = 403;
  constexpr int kNotFound = 404;
  constexpr int kInsufficientStorage = 507;
  if (IsAmong(code, kNoPermission)) return absl::StatusCode::kPermissionDenied;
  if (IsAmong(code, kDamaged)) return absl::StatusCode::kDataLoss;
  const bool is_full = code.find("Quota") != std::string_view::npos ||
                       code.find("StorageFull") != std::string_view::npos ||
                       code == "EntityTooLarge" || status == kInsufficientStorage;
  if (is_full) return absl::StatusCode::kResourceExhausted;
  if (KindOfS3Failure(status, code) != client::FailureKind::kFinal) {
    return absl::StatusCode::kUnavailable;
  }
  if (status == kUnauthorized || status == kForbidden) return absl::StatusCode::kPermissionDenied;
  if (status == kNotFound) return absl::StatusCode::kNotFound;
  return absl::StatusCode::kInvalidArgument;
}

std::optional<S3Page> ReadS3Page(std::string_view body) {
  pugi::xml_document document;
  const pugi::xml_node root = Root(&document, body, "ListBucketResult");
  if (!root) return std::nullopt;
  S3Page page;
  for (const pugi::xml_node& node : root.children("Contents")) {
    ObjectInfo object{.name = KeyOf(root, node)};
    if (!absl::SimpleAtoi(TextOf(node, "Size"), &object.bytes)) return std::nullopt;
    page.objects.push_back(std::move(object));
  }
  if (TextOf(root, "IsTruncated") != "true") return page;
  page.next = TextOf(root, "NextContinuationToken");
  return page.next.empty() ? std::nullopt : std::optional(std::move(page));
}

std::optional<std::vector<S3Upload>> ReadS3Uploads(std::string_view body) {
  pugi::xml_document document;
  const pugi::xml_node root = Root(&document, body, "ListMultipartUploadsResult");
  if (!root) return std::nullopt;
  std::vector<S3Upload> uploads;
  for (const pugi::xml_node& node : root.children("Upload")) {
    uploads.push_back({.key = KeyOf(root, node),
                       .id = TextOf(node, "UploadId"),
                       .initiated = TextOf(node, "Initiated")});
  }
  return uploads;
}

std::optional<std::string> ReadS3UploadId(std::string_view body) {
  pugi::xml_document document;
  const std::string id = TextOf(Root(&document, body, "InitiateMultipartUploadResult"), "UploadId");
  return id.empty() ? std::nullopt : std::optional(id);
}

std::optional<std::string> ReadS3CompletedEtag(std::string_view body) {
  pugi::xml_document document;
  const std::string etag = TextOf(Root(&document, body, "CompleteMultipartUploadResult"), "ETag");
  return etag.empty() ? std::nullopt : std::optional(etag);
}

std::optional<std::vector<std::pair<std::string, S3Error>>> ReadS3DeleteErrors(
    std::string_view body) {
  pugi::xml_document document;
  const pugi::xml_node root = Root(&document, body, "DeleteResult");
  if (!root) return std::nullopt;
  std::vector<std::pair<std::string, S3Error>> errors;
  for (const pugi::xml_node& node : root.children("Error")) {
    errors.emplace_back(TextOf(node, "Key"), ErrorOf(node));
  }
  return errors;
}

std::string DeleteObjectsBody(const std::vector<std::string>& keys) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("Delete");
  root.append_attribute("xmlns") = kXmlns;
  for (const std::string& key : keys) {
    root.append_child("Object").append_child("Key").text() = key.c_str();
  }
  root.append_child("Quiet").text() = "true";
  return Written(document);
}

std::string CompleteUploadBody(const std::vector<std::string>& etags) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("CompleteMultipartUpload");
  root.append_attribute("xmlns") = kXmlns;
  for (size_t i = 0; i < etags.size(); ++i) {
    pugi::xml_node part = root.append_child("Part");
    part.append_child("PartNumber").text() = static_cast<uint64_t>(i + 1);
    part.append_child("ETag").text() = etags[i].c_str();
  }
  return Written(document);
}

}  // namespace dynolith::ship
