// How constraint messages print the value that they refuse: as the service's Java front end does.
#ifndef DYNOLITH_API_JSON_JAVA_TEXT_H_
#define DYNOLITH_API_JSON_JAVA_TEXT_H_

#include <string>
#include <string_view>

#include "api/json/fields.h"

namespace dynolith {

// Strings and numbers as they are, lists as "[a, b]", maps as "{k=v}", structures as
// "KeySchemaElement(attributeName=pk, keyType=HASH)", attribute values as class name and hash.
std::string JavaText(const Shape& shape, JsonValue value);

// "TableName" -> "tableName".
std::string LowerFirst(std::string_view name);

// Whether a table name is given as an ARN.
inline bool IsArn(std::string_view text) { return text.substr(0, 4) == "arn:"; }

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_JAVA_TEXT_H_
