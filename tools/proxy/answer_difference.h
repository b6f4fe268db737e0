// Whether two endpoints have given the same answer to one call.
#ifndef DYNOLITH_TOOLS_PROXY_ANSWER_DIFFERENCE_H_
#define DYNOLITH_TOOLS_PROXY_ANSWER_DIFFERENCE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynolith::proxy {

struct ComparedAnswer {
  int status = 0;
  std::string_view body;  // plain JSON
};

// JSON texts; empty: the member or the element is not there.
struct AnswerDifference {
  std::string path;  // "Items[2].title"
  std::string target;
  std::string shadow;
};

// The first of them.
inline constexpr size_t kDifferencesMax = 20;

// Empty: the answers agree. nullopt: they cannot be compared, since the pages of a scan end where
// each endpoint likes. Members of maps and elements of sets have no order, nor have the items of a
// scan and of a batch. Not compared: ConsumedCapacity, ItemCollectionMetrics, tokens of pages,
// texts of errors.
std::optional<std::vector<AnswerDifference>> CompareAnswers(std::string_view operation,
                                                            const ComparedAnswer& target,
                                                            const ComparedAnswer& shadow);

}  // namespace dynolith::proxy

#endif  // DYNOLITH_TOOLS_PROXY_ANSWER_DIFFERENCE_H_
