// Values in the two text protocols of CloudWatch: JSON, and the query protocol's forms and XML.
#ifndef DYNOLITH_TOOLS_SERVER_CLOUDWATCH_TEXT_FORMS_H_
#define DYNOLITH_TOOLS_SERVER_CLOUDWATCH_TEXT_FORMS_H_

#include <optional>
#include <string>
#include <string_view>

#include "tools/server/cloudwatch/value.h"

namespace dynolith::cloudwatch {

// nullopt: no JSON object, or one of more than kItemsMax items; an empty text is one without
// members.
std::optional<Value> ParseJsonForm(std::string_view text);
// Times are seconds since 1970.
std::string PrintJsonForm(const Value& value);

// "Dimensions.member.1.Name=TableName&Period=60" -> a structure of lists, structures and texts. A
// list's elements are in the order of their numbers, of which some may be missing. nullopt: no such
// form, a name that is both a text and more, more than 16 names within each other, a number above
// 10,000, or more than kItemsMax items.
std::optional<Value> ParseQueryForm(std::string_view text);
// An element with this name. An element of a list is a "member", one of a map an "entry" with "key"
// and "value"; times are in ISO 8601.
void AppendXml(std::string_view name, const Value& value, std::string* text);
// A text as the content of an XML element.
std::string EscapeXml(std::string_view text);

}  // namespace dynolith::cloudwatch

#endif  // DYNOLITH_TOOLS_SERVER_CLOUDWATCH_TEXT_FORMS_H_
