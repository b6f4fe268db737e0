// The condition of --filter: which items are taken.
#ifndef DYNOLITH_TOOLS_FILES_EXCERPT_ITEM_FILTER_H_
#define DYNOLITH_TOOLS_FILES_EXCERPT_ITEM_FILTER_H_

#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/expr/expression.h"
#include "engine/partiql/statement.h"
#include "engine/value/item.h"
#include "engine/value/value.h"

namespace dynolith::excerpt {

class ItemFilter {
 public:
  // `text`: what stands behind WHERE in PartiQL. Errors: kInvalidArgument.
  static absl::StatusOr<ItemFilter> Parse(std::string_view text);

  bool Takes(ItemView item) const { return condition_.Matches(item); }

 private:
  ItemFilter(std::unique_ptr<std::vector<Value>> parameters,
             std::unique_ptr<partiql::Statement> statement, Condition condition);

  // What the condition borrows from.
  std::unique_ptr<std::vector<Value>> parameters_;
  std::unique_ptr<partiql::Statement> statement_;
  Condition condition_;
};

}  // namespace dynolith::excerpt

#endif  // DYNOLITH_TOOLS_FILES_EXCERPT_ITEM_FILTER_H_
