// The texts of `dynolith iam check`.
#ifndef DYNOLITH_TOOLS_SERVER_IAM_CHECK_MESSAGES_H_
#define DYNOLITH_TOOLS_SERVER_IAM_CHECK_MESSAGES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string IamCheckNothing() {
  return "iam check wants a POLICY, or --least FILE, or both";
}
inline std::string IamTraceEmpty(std::string_view file) {
  return Concat(file, " has no call that needs a permission, so there is no least policy");
}

// A line of the answer. `actions`: "dynamodb:GetItem", several with | between.
inline std::string IamCheckLine(std::string_view operation, std::string_view actions,
                                std::string_view resource, std::string_view verdict) {
  return Concat(verdict, "  ", operation, ": ", actions, " on ", resource, "\n");
}
inline std::string IamAllowedCalls(int64_t calls) { return Concat("allowed    ", calls); }
// `key`: a partition key of them; empty: unknown.
inline std::string IamRefusedCalls(int64_t refused, int64_t calls, std::string_view key) {
  return Concat("REFUSED    ", refused, " of ", calls, key.empty() ? "" : ", as for the key ", key);
}
// `keys`: of conditions, with commas; empty: it depends on the kind of a write.
inline std::string IamUndecidedCalls(int64_t undecided, int64_t calls, std::string_view keys) {
  return Concat("undecided  ", undecided, " of ", calls, ", by ",
                keys.empty() ? "the kind of write" : keys);
}
inline std::string IamOtherCalls(int64_t calls) {
  return Concat("not looked at: ", calls, " calls of operations that a trace does not name\n");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_SERVER_IAM_CHECK_MESSAGES_H_
