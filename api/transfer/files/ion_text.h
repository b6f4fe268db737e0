// Attribute values as Amazon Ion text, as exports have them and imports take them:
//
//   S string   N decimal   B blob   BOOL bool   NULL null   L list   M struct
//   SS, NS, BS  a list with the annotation $dynamodb_SS, $dynamodb_NS, $dynamodb_BS
#ifndef DYNOLITH_API_TRANSFER_FILES_ION_TEXT_H_
#define DYNOLITH_API_TRANSFER_FILES_ION_TEXT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "dynolith/bulk_transfer.h"
#include "engine/value/item.h"

namespace dynolith {

// Append one line with its line break: $ion_1_0 {Item:{…}}; $ion_1_0 {Record:{Keys:{…},…}}.
void AppendIonItem(ItemView item, std::string* out);
void AppendIonChange(const ExportedChange& change, std::string* out);

// The item of {Item:{…}}, with version markers before it or not, in any layout that Ion allows.
// Requires: UTF-8. Errors: ValidationException for invalid Ion, for values that are not attribute
// values (timestamps, symbols, non-finite floats, …) and for items that the service always refuses
// (empty names, empty sets, too deep nesting, …).
absl::StatusOr<Item> ReadIonItem(std::string_view text);
// {Item:{…}} of a full export, or {Record:{Keys:{…},…}} of an incremental one: its new image, or
// without one the key of the deleted item. As ReadIonItem; a repeated name in a struct is an error,
// too.
struct IonRecord {
  Item item;
  bool is_change = false;
  bool is_deletion = false;
};
absl::StatusOr<IonRecord> ReadIonRecord(std::string_view text);
// The record of a bulk put: {Item:{…}, ConditionExpression:"…",
// ExpressionAttributeNames:{'#n':"…"}, ExpressionAttributeValues:{':v':…}}; only the item is
// required. As ReadIonItem.
absl::StatusOr<BulkPutRecord> ReadIonPut(std::string_view text);

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_FILES_ION_TEXT_H_
