// Values in CBOR (RFC 8949), as far as the protocol smithy-rpc-v2-cbor uses it.
#ifndef DYNOLITH_TOOLS_SERVER_CLOUDWATCH_CBOR_H_
#define DYNOLITH_TOOLS_SERVER_CLOUDWATCH_CBOR_H_

#include <optional>
#include <string>
#include <string_view>

#include "tools/server/cloudwatch/value.h"

namespace dynolith::cloudwatch {

// nullopt if `bytes` is not one item of the kinds of Value, byte strings as texts, with text keys
// and at most 32 lists and maps around an item, and at most kItemsMax items in it. Integers beyond
// 64 bits with a sign are numbers; tag 1 makes a time, other tags are skipped.
std::optional<Value> ParseCbor(std::string_view bytes);

// Appends it; times with tag 1.
void AppendCbor(const Value& value, std::string* bytes);

}  // namespace dynolith::cloudwatch

#endif  // DYNOLITH_TOOLS_SERVER_CLOUDWATCH_CBOR_H_
