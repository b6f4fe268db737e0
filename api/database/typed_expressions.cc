#include "dynolith/typed_expressions.h"

#include <cstdint>
#include <cstring>
#include <utility>

namespace dynolith::typed {
namespace {

enum Kind : char { kText, kName, kValue };
constexpr size_t kLengthBytes = sizeof(uint32_t);

void AppendPart(Kind kind, std::string_view bytes, std::string* parts) {
  const auto length = static_cast<uint32_t>(bytes.size());
  char prefix[1 + kLengthBytes] = {kind};
  std::memcpy(prefix + 1, &length, kLengthBytes);
  parts->append(prefix, sizeof prefix).append(bytes);
}

struct Part {
  Kind kind;
  std::string_view bytes;
};
Part TakePart(std::string_view* parts) {
  uint32_t length = 0;
  std::memcpy(&length, parts->data() + 1, kLengthBytes);
  const Part part = {static_cast<Kind>(parts->front()), parts->substr(1 + kLengthBytes, length)};
  parts->remove_prefix(1 + kLengthBytes + length);
  return part;
}

std::string ValuePlaceholder(size_t position) { return ":v" + std::to_string(position); }

}  // namespace

Expression& Expression::Text(std::string_view text) {
  AppendPart(kText, text, &parts_);
  return *this;
}

Expression& Expression::Name(std::string_view name) {
  AppendPart(kName, name, &parts_);
  return *this;
}

Expression& Expression::Operand(const absl::StatusOr<Value>& value) {
  status_.Update(value.status());
  if (value.ok()) AppendPart(kValue, value->bytes(), &parts_);
  return *this;
}

Expression& Expression::Append(const Expression& other) {
  parts_.append(other.parts_);
  status_.Update(other.status_);
  return *this;
}

void ExpressionWriter::AppendName(std::string_view name, std::string* text) {
  for (const auto& [placeholder, of] : names_) {
    if (of == name) {
      text->append(placeholder);
      return;
    }
  }
  text->append(names_.emplace_back("#n" + std::to_string(names_.size()), name).first);
}

absl::StatusOr<std::string> ExpressionWriter::Write(const Expression& expression) {
  if (!expression.status_.ok()) return expression.status_;
  std::string text;
  for (std::string_view parts = expression.parts_; !parts.empty();) {
    const Part part = TakePart(&parts);
    if (part.kind == kText) {
      text.append(part.bytes);
    } else if (part.kind == kName) {
      AppendName(part.bytes, &text);
    } else {
      text.append(ValuePlaceholder(values_.size()));
      values_.emplace_back(part.bytes);
    }
  }
  return text;
}

Item ExpressionWriter::TakeValues() {
  ItemBuilder builder;
  builder.BeginMap();
  for (size_t i = 0; i < values_.size(); ++i) {
    builder.Key(ValuePlaceholder(i));
    builder.Copy(ValueView::Unchecked(values_[i]));
  }
  builder.EndMap();
  return builder.FinishItem();
}

Expression Condition::Within(Binding binding) const {
  if (binding_ >= binding) return expression_;
  Expression parenthesised("(");
  return parenthesised.Append(expression_).Text(")");
}

Condition operator&&(const Condition& left, const Condition& right) {
  if (left.empty() || right.empty()) return left.empty() ? right : left;
  Expression both = left.Within(Condition::Binding::kAnd);
  both.Text(" AND ").Append(right.Within(Condition::Binding::kAnd));
  return {std::move(both), Condition::Binding::kAnd};
}

Condition operator||(const Condition& left, const Condition& right) {
  if (left.empty() || right.empty()) return left.empty() ? right : left;
  Expression either = left.Within(Condition::Binding::kOr);
  either.Text(" OR ").Append(right.Within(Condition::Binding::kOr));
  return {std::move(either), Condition::Binding::kOr};
}

Condition operator!(const Condition& negated) {
  Expression expression("NOT ");
  expression.Append(negated.Within(Condition::Binding::kPrimary));
  return {std::move(expression), Condition::Binding::kNot};
}

Expression Change::Join(absl::Span<const Change> changes) {
  struct Section {
    Change::Section section;
    std::string_view keyword;
  };
  static constexpr Section kSections[] = {{Change::Section::kSet, "SET "},
                                          {Change::Section::kRemove, "REMOVE "},
                                          {Change::Section::kAdd, "ADD "},
                                          {Change::Section::kDelete, "DELETE "}};
  Expression joined;
  for (const auto& [section, keyword] : kSections) {
    bool is_first = true;
    for (const Change& change : changes) {
      for (const Clause& clause : change.clauses_) {
        if (clause.section != section) continue;
        if (is_first && !joined.empty()) joined.Text(" ");
        joined.Text(is_first ? keyword : ", ").Append(clause.expression);
        is_first = false;
      }
    }
  }
  return joined;
}

}  // namespace dynolith::typed
