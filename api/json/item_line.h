// Lines of files in DynamoDB JSON, as in exports and imports.
#ifndef DYNOLITH_API_JSON_ITEM_LINE_H_
#define DYNOLITH_API_JSON_ITEM_LINE_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "dynolith/bulk_transfer.h"
#include "engine/value/item.h"

namespace dynolith {

// Append one line with its line break: {"Item":{…}}; {"Metadata":{…},"Keys":{…},…}.
void AppendItemLine(ItemView item, std::string* out);
void AppendChangeLine(const ExportedChange& change, std::string* out);

// The item of {"Item":{…}}. Errors: the reason for which it is none; those of attribute values.
absl::StatusOr<Item> ReadItemLine(std::string_view line);

// A fast path for the simplest lines, for readers that also accept other forms: nullopt unless the
// line is exactly {"Item":{…}}, each attribute value has one member in the form of exports, no name
// is repeated in a map, and the item can be read. {"Item":{"M":{…}}} does not qualify: it may also
// be an attribute "Item".
std::optional<Item> ReadPlainItemLine(std::string_view line);

// The record of a bulk put: {"Item":{…},"ConditionExpression":"…","ExpressionAttributeNames":{…},
// "ExpressionAttributeValues":{…}}; only the item is required. Errors: as ReadItemLine.
absl::StatusOr<BulkPutRecord> ReadPutLine(std::string_view line);

bool IsUtf8(std::string_view text);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_ITEM_LINE_H_
