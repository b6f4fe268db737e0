#include "api/table/shown_schema.h"

#include <string_view>

namespace dynolith {
namespace {

// The only type of encryption that descriptions show.
constexpr std::string_view kKmsEncryption = "KMS";

}  // namespace

std::vector<AttributeDefinition> ShownDefinitions(const std::vector<KeyAttribute>& attributes) {
  std::vector<AttributeDefinition> shown;
  shown.reserve(attributes.size());
  for (const KeyAttribute& attribute : attributes) {
    shown.push_back({.attribute_name = attribute.name, .attribute_type = attribute.type});
  }
  return shown;
}

std::vector<KeySchemaElement> ShownKeySchema(const KeySchema& key) {
  std::vector<KeySchemaElement> shown;
  for (const KeyAttribute& attribute : key.hash) shown.push_back({attribute.name, KeyType::kHash});
  for (const KeyAttribute& attribute : key.range) {
    shown.push_back({attribute.name, KeyType::kRange});
  }
  return shown;
}

IndexProjection ShownProjection(const IndexSchema& index) {
  IndexProjection shown;
  shown.projection_type = index.projection;
  if (!index.non_key_attributes.empty()) shown.non_key_attributes = index.non_key_attributes;
  return shown;
}

ProvisionedThroughput ShownUnits(const Throughput& throughput) {
  return {.read_capacity_units = throughput.read_units,
          .write_capacity_units = throughput.write_units};
}

StreamSpecification ShownStream(const StreamState& stream) {
  return {.stream_enabled = true, .stream_view_type = stream.view_type};
}

SseSpecification ShownEncryption(const ServerSideEncryption& encryption) {
  SseSpecification shown;
  shown.enabled = encryption.enabled;
  if (encryption.enabled) shown.sse_type = kKmsEncryption;
  if (!encryption.kms_key_arn.empty()) shown.kms_master_key_id = encryption.kms_key_arn;
  return shown;
}

SseDescription DescribeEncryption(const std::optional<ServerSideEncryption>& encryption,
                                  SseStatus status) {
  SseDescription shown;
  shown.status = status;
  shown.sse_type = kKmsEncryption;
  const bool has_key = encryption && encryption->enabled && !encryption->kms_key_arn.empty();
  if (has_key) shown.kms_master_key_arn = encryption->kms_key_arn;
  return shown;
}

std::optional<std::vector<SearchSchemaElement>> ShownSearchSchema(const IndexSchema& index) {
  std::vector<SearchSchemaElement> shown;
  for (const KeyAttribute& attribute : index.key.hash) {
    shown.push_back({attribute.name, SearchSchemaElementType::kHash});
  }
  for (const KeyAttribute& attribute : index.vector->inline_filters) {
    shown.push_back({attribute.name, SearchSchemaElementType::kInlineFilter});
  }
  if (shown.empty()) return std::nullopt;
  return shown;
}

}  // namespace dynolith
