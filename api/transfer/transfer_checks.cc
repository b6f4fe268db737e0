#include "api/transfer/transfer_checks.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "api/request/member_constraints.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

constexpr size_t kTokenWordBytes = 16;

bool IsLetterOrDigit(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); }

// ^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$
bool IsBucketName(std::string_view name) {
  const auto is_inner = [](char c) {
    return IsLetterOrDigit(c) || c == '.' || c == '-' || c == '_';
  };
  return name.size() >= 2 && IsLetterOrDigit(name.front()) && IsLetterOrDigit(name.back()) &&
         std::all_of(name.begin(), name.end(), is_inner);
}

// ^[^\$]+$
bool IsClientToken(std::string_view token) {
  return !token.empty() && token.find('$') == std::string_view::npos;
}

bool IsDelimiter(std::string_view text) {
  return text.size() == 1 && std::string_view(",;:|\t ").find(text[0]) != std::string_view::npos;
}

bool IsAccountId(std::string_view text) {
  return text.size() == 12 && std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isdigit(static_cast<unsigned char>(c));
         });
}

// ([0-9a-f]{16})+
bool IsImportToken(std::string_view token) {
  return !token.empty() && token.size() % kTokenWordBytes == 0 &&
         std::all_of(token.begin(), token.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

void AddToken(const std::optional<std::string>& token, MemberConstraints* members) {
  if (!token) return;
  members->Pattern("clientToken", *token, IsClientToken(*token), "^[^\\$]+$");
}

void AddBucket(std::string_view path, std::string_view name, MemberConstraints* members) {
  members->Pattern(path, name, IsBucketName(name), "^[a-z0-9A-Z]+[\\.\\-\\w]*[a-z0-9A-Z]+$");
  members->Length(path, name, 0, kBucketBytesMax);
}

void AddOwner(std::string_view path, const std::optional<std::string>& owner,
              MemberConstraints* members) {
  if (owner) members->Pattern(path, *owner, IsAccountId(*owner), "[0-9]{12}");
}

void AddLength(std::string_view path, const std::optional<std::string>& text, size_t least,
               size_t most, MemberConstraints* members) {
  if (text) members->Length(path, *text, least, most);
}

void AddCsv(const CsvOptions& csv, MemberConstraints* members) {
  if (csv.delimiter) {
    members->Pattern("inputFormatOptions.csv.delimiter", *csv.delimiter,
                     IsDelimiter(*csv.delimiter), "[,;:|\\t ]");
  }
  if (!csv.header_list) return;
  members->AtLeast("inputFormatOptions.csv.headerList",
                   static_cast<int64_t>(csv.header_list->size()), 1);
  members->AtMost("inputFormatOptions.csv.headerList",
                  static_cast<int64_t>(csv.header_list->size()), kCsvHeadersMax);
  for (size_t i = 0; i < csv.header_list->size(); ++i) {
    members->Length(Concat("inputFormatOptions.csv.headerList.", i + 1, ".member"),
                    (*csv.header_list)[i], 1, kCsvHeaderBytesMax);
  }
}

}  // namespace

absl::Status CheckExportMembers(const ExportTableToPointInTimeRequest& request) {
  MemberConstraints members;
  members.Length("tableArn", request.table_arn, 1, kTableArnBytesMax);
  AddToken(request.client_token, &members);
  AddBucket("s3Bucket", request.s3_bucket, &members);
  AddOwner("s3BucketOwner", request.s3_bucket_owner, &members);
  AddLength("s3Prefix", request.s3_prefix, 0, kObjectPrefixBytesMax, &members);
  AddLength("s3SseKmsKeyId", request.s3_sse_kms_key_id, 1, kKmsKeyIdBytesMax, &members);
  return members.status();
}

absl::Status CheckImportMembers(const ImportTableRequest& request) {
  MemberConstraints members;
  AddToken(request.client_token, &members);
  AddOwner("s3BucketSource.s3BucketOwner", request.s3_bucket_source.s3_bucket_owner, &members);
  AddBucket("s3BucketSource.s3Bucket", request.s3_bucket_source.s3_bucket, &members);
  AddLength("s3BucketSource.s3KeyPrefix", request.s3_bucket_source.s3_key_prefix, 0,
            kObjectPrefixBytesMax, &members);
  if (request.csv_options) AddCsv(*request.csv_options, &members);
  return members.status();
}

absl::Status CheckListMembers(const ListExportsRequest& request) {
  MemberConstraints members;
  AddLength("tableArn", request.table_arn, 1, kTableArnBytesMax, &members);
  members.AtLeast("maxResults", request.max_results, 1);
  members.AtMost("maxResults", request.max_results, kTransfersPageMax);
  return members.status();
}

absl::Status CheckListMembers(const ListImportsRequest& request) {
  MemberConstraints members;
  AddLength("tableArn", request.table_arn, 1, kTableArnBytesMax, &members);
  members.AtLeast("pageSize", request.page_size, 1);
  members.AtMost("pageSize", request.page_size, kTransfersPageMax);
  if (request.next_token) {
    members.Pattern("nextToken", *request.next_token, IsImportToken(*request.next_token),
                    "([0-9a-f]{16})+");
    AddLength("nextToken", request.next_token, kImportTokenBytesMin, kImportTokenBytesMax,
              &members);
  }
  return members.status();
}

}  // namespace dynolith
