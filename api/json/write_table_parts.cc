#include "api/json/write_table_parts.h"

#include <string>

#include "api/json/write_members.h"
namespace dynolith {
namespace {

std::string_view Word(ProjectionType projection) {
  switch (projection) {
    case ProjectionType::kKeysOnly:
      return "KEYS_ONLY";
    case ProjectionType::kInclude:
      return "INCLUDE";
    default:
      return "ALL";
  }
}

std::string_view Word(DistanceFunction distance) {
  switch (distance) {
    case DistanceFunction::kDotProduct:
      return "DOT_PRODUCT";
    case DistanceFunction::kEuclidean:
      return "EUCLIDEAN";
    default:
      return "COSINE";
  }
}

// What a vector index has in place of a key schema.
void WriteVector(const IndexSchema& index, JsonWriter* writer) {
  const auto write = [writer](const KeyAttribute& attribute, std::string_view type) {
    writer->BeginObject();
    Text("AttributeName", attribute.name, writer);
    Text("SearchSchemaElementType", type, writer);
    writer->EndObject();
  };
  const VectorSchema& vector = *index.vector;
  if (!index.key.hash.empty() || !vector.inline_filters.empty()) {
    writer->Key("SearchSchema");
    writer->BeginArray();
    for (const KeyAttribute& attribute : index.key.hash) write(attribute, "HASH");
    for (const KeyAttribute& attribute : vector.inline_filters) write(attribute, "INLINE_FILTER");
    writer->EndArray();
  }
  writer->Key("VectorAttribute");
  writer->BeginObject();
  Text("AttributeName", vector.attribute, writer);
  writer->EndObject();
  Integer("Dimensions", vector.dimensions, writer);
  Text("DistanceFunction", Word(vector.distance), writer);
}

void WriteProjection(const IndexSchema& index, JsonWriter* writer) {
  writer->Key("Projection");
  writer->BeginObject();
  Text("ProjectionType", Word(index.projection), writer);
  if (!index.non_key_attributes.empty()) {
    writer->Key("NonKeyAttributes");
    writer->BeginArray();
    for (const std::string& name : index.non_key_attributes) writer->String(name);
    writer->EndArray();
  }
  writer->EndObject();
}

}  // namespace

std::string_view StreamViewTypeWord(StreamViewType type) {
  switch (type) {
    case StreamViewType::kNewImage:
      return "NEW_IMAGE";
    case StreamViewType::kOldImage:
      return "OLD_IMAGE";
    case StreamViewType::kNewAndOldImages:
      return "NEW_AND_OLD_IMAGES";
    default:
      return "KEYS_ONLY";
  }
}

std::string_view BillingModeWord(BillingMode mode) {
  return mode == BillingMode::kPayPerRequest ? "PAY_PER_REQUEST" : "PROVISIONED";
}

void WriteKeySchema(const KeySchema& key, JsonWriter* writer) {
  const auto write = [writer](const KeyAttribute& attribute, std::string_view key_type) {
    writer->BeginObject();
    Text("AttributeName", attribute.name, writer);
    Text("KeyType", key_type, writer);
    writer->EndObject();
  };
  writer->Key("KeySchema");
  writer->BeginArray();
  for (const KeyAttribute& attribute : key.hash) write(attribute, "HASH");
  for (const KeyAttribute& attribute : key.range) write(attribute, "RANGE");
  writer->EndArray();
}

void WriteUnits(const Throughput& throughput, JsonWriter* writer) {
  writer->Key("ProvisionedThroughput");
  writer->BeginObject();
  Integer("ReadCapacityUnits", throughput.read_units, writer);
  Integer("WriteCapacityUnits", throughput.write_units, writer);
  writer->EndObject();
}

void WriteOnDemand(const std::optional<OnDemandThroughput>& on_demand, JsonWriter* writer) {
  if (!on_demand) return;
  writer->Key("OnDemandThroughput");
  writer->BeginObject();
  if (const auto& most = on_demand->max_read_units) Integer("MaxReadRequestUnits", *most, writer);
  if (const auto& most = on_demand->max_write_units) Integer("MaxWriteRequestUnits", *most, writer);
  writer->EndObject();
}

void WriteIndexSchema(const IndexSchema& index, JsonWriter* writer) {
  Text("IndexName", index.name, writer);
  if (index.vector) {
    WriteVector(index, writer);
  } else {
    WriteKeySchema(index.key, writer);
  }
  WriteProjection(index, writer);
}

void WriteStreamSpecification(std::string_view key, const StreamState& stream, JsonWriter* writer) {
  writer->Key(key);
  writer->BeginObject();
  writer->Key("StreamEnabled");
  writer->Bool(true);
  Text("StreamViewType", StreamViewTypeWord(stream.view_type), writer);
  writer->EndObject();
}

}  // namespace dynolith
