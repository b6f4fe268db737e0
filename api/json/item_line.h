// Lines of files in DynamoDB JSON, as exports have them and imports take them.
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

// The item of {"Item":{…}}. Errors: why it is none; those of attribute values.
absl::StatusOr<Item> ReadItemLine(std::string_view line);

// The same for who takes other forms of items, too, and has another way for all but the plainest:
// nullopt unless the line is nothing but {"Item":{…}}, each attribute value has one member and that
// is as exports write it, no name stands twice in a map, and the item can be read.
// {"Item":{"M":{…}}} is not so plain: it may be an attribute "Item" as well.
std::optional<Item> ReadPlainItemLine(std::string_view line);

// The record of a bulk put: {"Item":{…},"ConditionExpression":"…","ExpressionAttributeNames":{…},
// "ExpressionAttributeValues":{…}}, of which only the item must be there. Errors: as ReadItemLine.
absl::StatusOr<BulkPutRecord> ReadPutLine(std::string_view line);

bool IsUtf8(std::string_view text);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_ITEM_LINE_H_
