// A policy and the calls of a trace: which of them it would refuse, and the least that they need.
#ifndef DYNOLITH_TOOLS_SERVER_IAM_CHECK_TRACE_CHECK_H_
#define DYNOLITH_TOOLS_SERVER_IAM_CHECK_TRACE_CHECK_H_

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/server/iam/policy/policy.h"

namespace dynolith::iam {

// What calls of one operation need of a table or an index, and how many of them get it.
struct CheckedGroup {
  std::string operation;
  std::string resource;  // an ARN
  // More than one where the trace does not tell which: of a transaction's writes, say.
  std::vector<std::string> actions;
  int64_t calls = 0;
  int64_t refused = 0;
  int64_t undecided = 0;          // it depends on keys or actions that a trace does not have
  std::string refused_key;        // the partition key of the first refused one, if it is known
  std::set<std::string> missing;  // those condition keys
};

struct TraceCheck {
  std::vector<CheckedGroup> groups;  // in the order of operations and resources
  int64_t others = 0;                // calls of operations that a trace does not name
  std::vector<std::string> warnings;
};

struct TraceCheckOptions {
  std::string trace_file;
  // Of ARNs, which a trace does not have.
  std::string region = "us-east-1";
  std::string account = "000000000000";
};

// `policy`: an identity-based one; nullptr: only the needs are wanted, and nothing is refused.
// Errors: those of trace::ReadTrace.
absl::StatusOr<TraceCheck> CheckTrace(
    const TraceCheckOptions& options, const Policy* policy,
    const std::function<absl::StatusOr<std::string>(const std::string& path)>& read);

// The policy that allows exactly the actions of the groups on their resources, in as few statements
// as there are different sets of actions. JSON with a newline at its end.
std::string LeastPolicy(const TraceCheck& check);

}  // namespace dynolith::iam

#endif  // DYNOLITH_TOOLS_SERVER_IAM_CHECK_TRACE_CHECK_H_
