// From the description of a table to the call that makes one like it.
#ifndef DYNOLITH_TOOLS_PROXY_TABLE_DEFINITION_TEXT_H_
#define DYNOLITH_TOOLS_PROXY_TABLE_DEFINITION_TEXT_H_

#include <string>
#include <string_view>

namespace dynolith::proxy {

// The input of CreateTable with the keys, local and global indexes and throughput of the table that
// an output of DescribeTable shows; empty: it shows none.
std::string DefinitionOf(std::string_view description);

}  // namespace dynolith::proxy

#endif  // DYNOLITH_TOOLS_PROXY_TABLE_DEFINITION_TEXT_H_
