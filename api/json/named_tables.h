// The tables that the body of a call names, for a line in a log.
#ifndef DYNOLITH_API_JSON_NAMED_TABLES_H_
#define DYNOLITH_API_JSON_NAMED_TABLES_H_

#include <string>
#include <string_view>

namespace dynolith {

// Names, or ARNs, in the order of the body and separated by commas, each once and ten at most:
// those of TableName, of the names of RequestItems, and of the actions of TransactItems. Empty if
// there are none or the body is no JSON. Parses the body again: not for calls that succeed.
std::string TablesNamedIn(std::string_view body);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_NAMED_TABLES_H_
