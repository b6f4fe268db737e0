// What a call needs to be allowed: actions on resources, with the values of DynamoDB's condition
// keys (api/facts/iam.md §6, §7).
#ifndef DYNOLITH_TOOLS_SERVER_IAM_CALL_NEEDS_H_
#define DYNOLITH_TOOLS_SERVER_IAM_CALL_NEEDS_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/text/json_tree.h"
#include "tools/server/iam/policy/request_context.h"

namespace dynolith::iam {

// Of a table, as far as access depends on it.
struct TableFacts {
  std::vector<std::string> partition_key;  // names of its attributes
  std::map<std::string, std::vector<std::string>, std::less<>> index_keys;  // by index
  std::vector<std::pair<std::string, std::string>> tags;
  std::string policy;         // resource-based; empty: none
  std::string stream_label;   // of the stream that `stream_policy` is of
  std::string stream_policy;  // empty: none
  std::vector<std::pair<std::string, std::string>> stream_tags;
};

struct CallNeed {
  std::string action;    // "dynamodb:GetItem"
  std::string resource;  // an ARN; "*" for actions on no resource
  std::string table;     // whose resource it is; empty: of none
  RequestContext keys;
};

struct CallText {
  std::string_view operation;  // "GetItem"
  const JsonTree* body = nullptr;
  // Of ARNs of tables that are given by their names.
  std::string_view region;
  std::string_view account;
  // nullptr: there is no such table. What it returns lives until the end of the call.
  std::function<const TableFacts*(std::string_view table)> find_table;
};

// In the order of the body. None for a call that its operation refuses in any case, since it names
// no table or its statement is none.
std::vector<CallNeed> NeedsOfCall(const CallText& call);

// "a" of "arn:aws:dynamodb:us-east-1:123456789012:table/a/index/i"; a name as it is.
std::string_view TableOfArn(std::string_view name_or_arn);

}  // namespace dynolith::iam

#endif  // DYNOLITH_TOOLS_SERVER_IAM_CALL_NEEDS_H_
