// Parts of a batch that are not passed on, and are unprocessed in its answer; and those that an
// endpoint has executed.
#ifndef DYNOLITH_TOOLS_PROXY_BATCH_PARTS_H_
#define DYNOLITH_TOOLS_PROXY_BATCH_PARTS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynolith::proxy {

struct CutBatch {
  std::string request;  // without these parts
  std::string left;     // these parts, in the form of UnprocessedKeys or UnprocessedItems
  bool is_all = false;  // nothing remains
};

// The parts of a BatchGetItem or a BatchWriteItem at these positions, in the order of the body and
// counted from 0 over all tables. nullopt: the body has no such parts.
std::optional<CutBatch> CutBatchRequest(std::string_view body,
                                        const std::vector<size_t>& positions);

// The answer with more unprocessed parts.
std::string WithUnprocessed(std::string_view answer, std::string_view operation,
                            std::string_view left);
// The answer to a batch of which nothing is passed on.
std::string AnswerOfNothing(std::string_view operation, std::string_view left);

// What an endpoint has executed of a BatchExecuteStatement.
struct ExecutedStatements {
  std::string request;   // without the statements that have failed
  std::string answer;    // without their responses
  bool is_none = false;  // all have failed
};
// nullopt: the answer has not one response for each statement.
std::optional<ExecutedStatements> CutFailedStatements(std::string_view body,
                                                      std::string_view answer);

// "UnprocessedKeys" or "UnprocessedItems".
std::string_view UnprocessedMember(std::string_view operation);

}  // namespace dynolith::proxy

#endif  // DYNOLITH_TOOLS_PROXY_BATCH_PARTS_H_
