#include "tools/files/excerpt/item_filter.h"

#include <string>
#include <utility>

#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "tools/files/excerpt/messages.h"

namespace dynolith::excerpt {

ItemFilter::ItemFilter(std::unique_ptr<std::vector<Value>> parameters,
                       std::unique_ptr<partiql::Statement> statement, Condition condition)
    : parameters_(std::move(parameters)),
      statement_(std::move(statement)),
      condition_(std::move(condition)) {}

absl::StatusOr<ItemFilter> ItemFilter::Parse(std::string_view text) {
  auto parameters = std::make_unique<std::vector<Value>>();
  absl::StatusOr<std::unique_ptr<partiql::Statement>> statement =
      partiql::Parse(Concat("SELECT * FROM t WHERE\n", text), *parameters);
  if (!statement.ok()) {
    return absl::InvalidArgumentError(messages::ExcerptFilterWrong(MessageOf(statement.status())));
  }
  if (!(*statement)->has_where || !(*statement)->order_by.empty()) {
    return absl::InvalidArgumentError(
        messages::ExcerptFilterWrong(messages::ExcerptFilterIsMore()));
  }
  Condition condition = Condition::FromAst(std::move((*statement)->where));
  return ItemFilter(std::move(parameters), *std::move(statement), std::move(condition));
}

}  // namespace dynolith::excerpt
