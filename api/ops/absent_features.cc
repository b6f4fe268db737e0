#include "api/ops/absent_features.h"

#include <string>

#include "api/ops/arn.h"
#include "api/ops/member_constraints.h"
#include "api/ops/table_description.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/messages/table_features.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

absl::Status CheckArnLength(std::string_view path, const std::string& arn, size_t least) {
  MemberConstraints members;
  members.Length(path, arn, least, kFeatureArnBytesMax);
  return members.status();
}

// "arn:aws:dynamodb:…:table/<name>/<kind>/<id>".
bool IsFeatureArn(std::string_view arn, std::string_view kind) {
  const ArnParts parts = SplitArn(arn);
  return arn.starts_with("arn:") && parts.service == "dynamodb" &&
         parts.resource.starts_with("table/") && parts.resource.find(kind) != std::string::npos;
}

}  // namespace

absl::Status ListExports(const ListExportsRequest& request) {
  return request.table_arn ? CheckArnLength("tableArn", *request.table_arn, 1) : absl::OkStatus();
}

absl::Status ListImports(const ListImportsRequest& request) {
  return request.table_arn ? CheckArnLength("tableArn", *request.table_arn, 1) : absl::OkStatus();
}

absl::Status DescribeExport(const DescribeExportRequest& request) {
  const std::string& arn = request.export_arn;
  DYNOLITH_RETURN_IF_ERROR(CheckArnLength("exportArn", arn, kFeatureArnBytesMin));
  if (!IsFeatureArn(arn, "/export/")) return ValidationError(messages::InvalidExportArn());
  return MakeError(ErrorKind::kExportNotFound, messages::ExportNotFound(arn));
}

absl::Status DescribeImport(const DescribeImportRequest& request) {
  const std::string& arn = request.import_arn;
  DYNOLITH_RETURN_IF_ERROR(CheckArnLength("importArn", arn, kFeatureArnBytesMin));
  if (!IsFeatureArn(arn, "/import/")) return ValidationError(messages::InvalidImportArn());
  return MakeError(ErrorKind::kImportNotFound, messages::ImportNotFound(arn));
}

absl::Status DescribeGlobalTable(const DescribeGlobalTableRequest& request) {
  MemberConstraints members;
  members.Name("globalTableName", request.global_table_name);
  DYNOLITH_RETURN_IF_ERROR(members.status());
  return MakeError(ErrorKind::kGlobalTableNotFound,
                   messages::GlobalTableNotFound(request.global_table_name));
}

}  // namespace dynolith
