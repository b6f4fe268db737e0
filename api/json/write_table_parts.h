// Parts of JSON that the descriptions of tables and of their backups share.
#ifndef DYNOLITH_API_JSON_WRITE_TABLE_PARTS_H_
#define DYNOLITH_API_JSON_WRITE_TABLE_PARTS_H_

#include <optional>
#include <string_view>

#include "api/json/json_writer.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// "PROVISIONED".
std::string_view BillingModeWord(BillingMode mode);
// "NEW_IMAGE".
std::string_view StreamViewTypeWord(StreamViewType type);

// Each writes one member with its key, or several.
void WriteKeySchema(const KeySchema& key, JsonWriter* writer);
// ProvisionedThroughput as a request gives it: without its history.
void WriteUnits(const Throughput& throughput, JsonWriter* writer);
// Nothing if there are no maxima.
void WriteOnDemand(const std::optional<OnDemandThroughput>& on_demand, JsonWriter* writer);
// Its name, its key or what a vector index has instead, and its projection.
void WriteIndexSchema(const IndexSchema& index, JsonWriter* writer);
// Requires: the stream is enabled.
void WriteStreamSpecification(std::string_view key, const StreamState& stream, JsonWriter* writer);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_WRITE_TABLE_PARTS_H_
