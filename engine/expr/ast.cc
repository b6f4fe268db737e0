#include "engine/expr/ast.h"

#include <utility>

namespace dynolith {

std::string Path::ToString() const {
  std::string text = "[";
  for (size_t i = 0; i < size(); ++i) {
    if (i > 0) text += ", ";
    if ((*this)[i].is_index()) {
      text += '[';
      text += std::to_string((*this)[i].index());
      text += ']';
    } else {
      text += (*this)[i].name();
    }
  }
  text += ']';
  return text;
}

Operand Ast::PathOperand(Path path) {
  paths.push_back(std::move(path));
  return {OperandKind::kPath, static_cast<uint32_t>(paths.size() - 1)};
}

Operand Ast::ValueOperand(ValueView value) {
  values.push_back(value);
  return {OperandKind::kValue, static_cast<uint32_t>(values.size() - 1)};
}

Operand Ast::SizeOfPathOperand(Path path) {
  return {OperandKind::kSizeOfPath, PathOperand(std::move(path)).index};
}

Operand Ast::SizeOfValueOperand(ValueView value) {
  return {OperandKind::kSizeOfValue, ValueOperand(value).index};
}

void Ast::AddTest(StepKind kind, absl::Span<const Operand> test_operands, Type type) {
  const auto begin = static_cast<uint32_t>(operands.size());
  operands.insert(operands.end(), test_operands.begin(), test_operands.end());
  steps.push_back({kind, type, begin, static_cast<uint32_t>(operands.size())});
}

uint32_t Ast::BeginBinary(StepKind kind, uint32_t left) {
  steps.push_back({kind, Type::kNull, left, 0});
  return static_cast<uint32_t>(steps.size() - 1);
}

void Ast::EndBinary(uint32_t step) { steps[step].end = static_cast<uint32_t>(steps.size()); }

void Ast::AddNot(uint32_t begin) {
  steps.push_back({StepKind::kNot, Type::kNull, begin, static_cast<uint32_t>(steps.size())});
}

BoundAst BoundAst::Of(Ast ast) {
  BoundAst bound;
  bound.values = std::move(ast.values);
  bound.ast = std::make_shared<const Ast>(std::move(ast));
  return bound;
}

std::string_view OperationName(StepKind kind) {
  switch (kind) {
    case StepKind::kAnd:
      return "AND";
    case StepKind::kOr:
      return "OR";
    case StepKind::kNot:
      return "NOT";
    case StepKind::kEqual:
      return "=";
    case StepKind::kNotEqual:
      return "<>";
    case StepKind::kLess:
      return "<";
    case StepKind::kLessEqual:
      return "<=";
    case StepKind::kGreater:
      return ">";
    case StepKind::kGreaterEqual:
      return ">=";
    case StepKind::kBetween:
      return "BETWEEN";
    case StepKind::kIn:
      return "IN";
    case StepKind::kAttributeExists:
      return "attribute_exists";
    case StepKind::kAttributeNotExists:
      return "attribute_not_exists";
    case StepKind::kAttributeType:
      return "attribute_type";
    case StepKind::kBeginsWith:
      return "begins_with";
    case StepKind::kContains:
      return "contains";
  }
  return {};
}

}  // namespace dynolith
