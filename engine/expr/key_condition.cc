// KeyConditionExpression: what the condition grammar allows and a key does not, then the match with
// a key schema (api/facts/expressions.md §5, api/facts/newest.md §1).
#include <algorithm>
#include <utility>

#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/expr/condition_parser.h"
#include "engine/expr/expression.h"
#include "engine/expr/messages.h"
#include "engine/expr/range_operator.h"
#include "engine/value/messages.h"

namespace dynolith {
namespace {

using Clause = ParsedKeyCondition::Clause;

// `:v < pk` says `pk > :v`.
RangeOperator Mirrored(RangeOperator comparison) {
  switch (comparison) {
    case RangeOperator::kLess:
      return RangeOperator::kGreater;
    case RangeOperator::kLessEqual:
      return RangeOperator::kGreaterEqual;
    case RangeOperator::kGreater:
      return RangeOperator::kLess;
    case RangeOperator::kGreaterEqual:
      return RangeOperator::kLessEqual;
    default:
      return comparison;
  }
}

// The outermost OR or NOT whose steps begin at `begin`, as the tree would be walked from its root.
const Step* OutermostForbidden(const BoundAst& ast, size_t begin) {
  const Step* outermost = nullptr;
  for (const Step& step : ast.steps()) {
    const bool forbidden = step.kind == StepKind::kOr || step.kind == StepKind::kNot;
    if (!forbidden || step.begin != begin) continue;
    if (outermost == nullptr || step.end > outermost->end) outermost = &step;
  }
  return outermost;
}

absl::Status CheckOperands(const BoundAst& ast, const Step& step, int* path_operand) {
  int paths = 0;
  for (uint32_t i = step.begin; i < step.end; ++i) {
    const OperandKind kind = ast.operands()[i].kind;
    if (kind == OperandKind::kSizeOfPath || kind == OperandKind::kSizeOfValue) {
      return ValidationError(messages::KeyConditionNestedOperation());
    }
    if (kind != OperandKind::kPath) continue;
    if (paths++ == 0) *path_operand = static_cast<int>(i - step.begin);
  }
  const bool needs_path_first =
      step.kind == StepKind::kBetween || step.kind == StepKind::kBeginsWith;
  if (needs_path_first && (paths == 0 || *path_operand != 0)) {
    return ValidationError(messages::KeyConditionFirstOperand(OperationName(step.kind)));
  }
  if (paths > 1) return ValidationError(messages::KeyConditionManyNames());
  if (paths == 0) return ValidationError(messages::KeyConditionNoName());
  return absl::OkStatus();
}

absl::StatusOr<Clause> MakeClause(const BoundAst& ast, const Step& step) {
  const std::optional<RangeOperator> comparison = ToRangeOperator(step.kind);
  if (!comparison) return ValidationError(messages::InvalidKeyOperator(OperationName(step.kind)));
  int path_operand = 0;
  DYNOLITH_RETURN_IF_ERROR(CheckOperands(ast, step, &path_operand));
  const Path& path = ast.paths()[ast.operands()[step.begin + path_operand].index];
  if (!path.is_top_level()) return ValidationError(messages::KeyConditionNestedPath());
  const auto literal = [&](uint32_t i) { return ast.values[ast.operands()[step.begin + i].index]; };
  Clause clause = {path.attribute(), *comparison, literal(path_operand == 0 ? 1 : 0), std::nullopt};
  if (path_operand == 1) clause.comparison = Mirrored(*comparison);
  if (step.kind == StepKind::kBetween) clause.high = literal(2);
  return clause;
}

absl::Status CheckNotEmpty(const KeyAttribute& attribute, ValueView value) {
  if (!value.payload().empty()) return absl::OkStatus();
  return ValidationError(attribute.type == Type::kString
                             ? messages::EmptyStringInQueryKey(attribute.name)
                             : messages::EmptyBinaryInQueryKey(attribute.name));
}

absl::Status CheckOperandType(const KeyAttribute& attribute, const Clause& clause) {
  const bool matches = clause.low.type() == attribute.type &&
                       (!clause.high || clause.high->type() == attribute.type);
  if (!matches) return ValidationError(messages::KeyConditionTypeMismatch());
  DYNOLITH_RETURN_IF_ERROR(CheckNotEmpty(attribute, clause.low));
  return clause.high ? CheckNotEmpty(attribute, *clause.high) : absl::OkStatus();
}

// What no key can hold (api/facts/values.md §8).
absl::Status CheckOperandSize(const Clause& clause, bool is_hash) {
  const size_t bytes_max = is_hash ? kPartitionKeyBytesMax : kSortKeyBytesMax;
  const auto fits = [&](ValueView value) {
    return value.type() == Type::kNumber || value.payload().size() <= bytes_max;
  };
  if (fits(clause.low) && (!clause.high || fits(*clause.high))) return absl::OkStatus();
  return ValidationError(is_hash ? messages::PartitionKeyTooLong() : messages::SortKeyTooLong());
}

const Clause* FindClause(const std::vector<Clause>& clauses, std::string_view attribute) {
  for (const Clause& clause : clauses) {
    if (clause.attribute == attribute) return &clause;
  }
  return nullptr;
}

std::string JoinNames(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

// Types and contents of what the key's attributes are compared with.
absl::Status CheckOperandsAgainst(const KeySchema& key, const std::vector<Clause>& clauses) {
  for (const std::vector<KeyAttribute>* attributes : {&key.hash, &key.range}) {
    for (const KeyAttribute& attribute : *attributes) {
      const Clause* clause = FindClause(clauses, attribute.name);
      if (clause != nullptr) DYNOLITH_RETURN_IF_ERROR(CheckOperandType(attribute, *clause));
    }
  }
  for (const Clause& clause : clauses) {
    const bool is_hash = std::any_of(
        key.hash.begin(), key.hash.end(),
        [&](const KeyAttribute& attribute) { return attribute.name == clause.attribute; });
    DYNOLITH_RETURN_IF_ERROR(CheckOperandSize(clause, is_hash));
  }
  return absl::OkStatus();
}

// Clauses on attributes that are no key attributes: they take the place of the range attributes.
absl::Status CheckNoStrangers(const KeySchema& key, const std::vector<Clause>& clauses) {
  for (const Clause& clause : clauses) {
    if (key.Contains(clause.attribute)) continue;
    if (key.range.empty()) return ValidationError(messages::KeyConditionNotSupported());
    for (const KeyAttribute& attribute : key.range) {
      if (FindClause(clauses, attribute.name) == nullptr) {
        return ValidationError(messages::MissedKeyElement(attribute.name));
      }
    }
  }
  return absl::OkStatus();
}

// Comparisons that an index can serve; legacy ones may be others.
absl::Status CheckIndexable(const KeySchema& key, const std::vector<Clause>& clauses) {
  const bool all_indexable = std::all_of(clauses.begin(), clauses.end(), [](const Clause& clause) {
    return clause.comparison != RangeOperator::kNone;
  });
  if (all_indexable) return absl::OkStatus();
  const std::string_view hash = key.hash[0].name;
  if (key.hash.size() == 1 && FindClause(clauses, hash) == nullptr) {
    return ValidationError(messages::MissedKeyElement(hash));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckNoStrangers(key, clauses));
  return ValidationError(messages::NotIndexable());
}

// Equality on every hash attribute.
absl::Status BindHash(const KeySchema& key, const std::vector<Clause>& clauses,
                      KeyCondition* bound) {
  std::vector<std::string_view> unequal;
  for (const KeyAttribute& attribute : key.hash) {
    const Clause* clause = FindClause(clauses, attribute.name);
    if (clause == nullptr && key.hash.size() == 1) {
      return ValidationError(messages::MissedKeyElement(attribute.name));
    }
    if (clause == nullptr || clause->comparison != RangeOperator::kEqual) {
      unequal.push_back(attribute.name);
      continue;
    }
    bound->hash_equals.push_back(clause->low);
  }
  if (unequal.empty()) return absl::OkStatus();
  if (key.hash.size() == 1) return ValidationError(messages::KeyConditionNotSupported());
  return ValidationError(messages::HashKeysNeedEquality(JoinNames(unequal)));
}

// Equalities on the first range attributes, then at most one other condition, then nothing.
absl::Status BindRange(const KeySchema& key, const std::vector<Clause>& clauses,
                       KeyCondition* bound) {
  std::vector<std::string_view> not_equal;
  for (const KeyAttribute& attribute : key.range) {
    const Clause* clause = FindClause(clauses, attribute.name);
    if (clause == nullptr) {
      not_equal.push_back(attribute.name);
      continue;
    }
    if (!not_equal.empty()) {
      return ValidationError(messages::RangeKeysNeedEquality(JoinNames(not_equal), attribute.name));
    }
    if (clause->comparison == RangeOperator::kEqual) {
      bound->range_equals.push_back(clause->low);
      continue;
    }
    bound->range_operator = clause->comparison;
    bound->low = clause->low;
    bound->high = clause->high;
    not_equal.push_back(attribute.name);
  }
  return absl::OkStatus();
}

}  // namespace

std::optional<RangeOperator> ToRangeOperator(StepKind test) {
  switch (test) {
    case StepKind::kEqual:
      return RangeOperator::kEqual;
    case StepKind::kLess:
      return RangeOperator::kLess;
    case StepKind::kLessEqual:
      return RangeOperator::kLessEqual;
    case StepKind::kGreater:
      return RangeOperator::kGreater;
    case StepKind::kGreaterEqual:
      return RangeOperator::kGreaterEqual;
    case StepKind::kBetween:
      return RangeOperator::kBetween;
    case StepKind::kBeginsWith:
      return RangeOperator::kBeginsWith;
    default:
      return std::nullopt;
  }
}

absl::StatusOr<ParsedKeyCondition> ParsedKeyCondition::Parse(std::string_view text,
                                                             Placeholders* placeholders) {
  absl::StatusOr<BoundAst> parsed =
      ParseCondition(text, ExpressionKind::kKeyCondition, placeholders);
  if (!parsed.ok()) return std::move(parsed).status();
  const BoundAst& ast = *parsed;
  ParsedKeyCondition condition;
  condition.text_ = ast.ast;
  for (size_t i = 0; i < ast.steps().size(); ++i) {
    if (const Step* forbidden = OutermostForbidden(ast, i)) {
      return ValidationError(messages::InvalidKeyOperator(OperationName(forbidden->kind)));
    }
    if (!IsTest(ast.steps()[i].kind)) continue;
    absl::StatusOr<Clause> clause = MakeClause(ast, ast.steps()[i]);
    if (!clause.ok()) return std::move(clause).status();
    condition.clauses_.push_back(*clause);
  }
  for (const Clause& clause : condition.clauses_) {
    if (FindClause(condition.clauses_, clause.attribute) == &clause) continue;
    return ValidationError(messages::InvalidExpression(
        ExpressionName(ExpressionKind::kKeyCondition), messages::KeyConditionSameKeyTwice()));
  }
  return condition;
}

ParsedKeyCondition ParsedKeyCondition::FromClauses(std::vector<Clause> clauses) {
  ParsedKeyCondition condition;
  condition.clauses_ = std::move(clauses);
  return condition;
}

absl::StatusOr<KeyCondition> ParsedKeyCondition::Bind(const KeySchema& key) const {
  const bool one_too_many_on_hash_only = key.size() == 1 && clauses_.size() == 2;
  if (clauses_.size() > key.size() && !one_too_many_on_hash_only) {
    return ValidationError(messages::TooManyKeyConditions(clauses_.size(), key.size()));
  }
  KeyCondition bound;
  DYNOLITH_RETURN_IF_ERROR(CheckIndexable(key, clauses_));
  DYNOLITH_RETURN_IF_ERROR(BindHash(key, clauses_, &bound));
  DYNOLITH_RETURN_IF_ERROR(CheckNoStrangers(key, clauses_));
  DYNOLITH_RETURN_IF_ERROR(BindRange(key, clauses_, &bound));
  DYNOLITH_RETURN_IF_ERROR(CheckOperandsAgainst(key, clauses_));
  return bound;
}

}  // namespace dynolith
