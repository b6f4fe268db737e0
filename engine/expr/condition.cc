// Conditions at work: one loop over the steps, on encoded bytes.
#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/base/holds_bytes.h"
#include "engine/expr/condition_parser.h"
#include "engine/expr/expression.h"

namespace dynolith {
namespace {

// An operand at run time. A size is a number that no item holds, so it brings its own bytes; it is
// computed in place and therefore cannot be copied.
class OperandValue {
 public:
  OperandValue(const BoundAst& ast, Operand operand, ItemView item) {
    std::optional<ValueView> value;
    const bool is_path =
        operand.kind == OperandKind::kPath || operand.kind == OperandKind::kSizeOfPath;
    if (is_path) {
      value = Resolve(item, ast.paths()[operand.index]);
    } else {
      value = ast.values[operand.index];
    }
    if (operand.kind == OperandKind::kPath || operand.kind == OperandKind::kValue) {
      if (value) Hold(value->type(), value->payload());
      return;
    }
    const std::optional<size_t> size = value ? ValueSize(*value) : std::nullopt;
    comparable_ = size.has_value();
    if (!size) return;
    number_ = Number::FromInt64(static_cast<int64_t>(*size)).Encode();
    Hold(Type::kNumber, number_.view());
  }
  OperandValue(const OperandValue&) = delete;
  OperandValue& operator=(const OperandValue&) = delete;

  bool present() const { return present_; }
  // False for the size of something that has none: then even <> is false.
  bool comparable() const { return comparable_; }
  // Require: present().
  Type type() const { return type_; }
  std::string_view payload() const { return payload_; }

 private:
  void Hold(Type type, std::string_view payload) {
    present_ = true;
    type_ = type;
    payload_ = payload;
  }

  static std::optional<size_t> ValueSize(ValueView value) {
    switch (value.type()) {
      case Type::kString:
      case Type::kBinary:
        return value.payload().size();
      case Type::kList:
        return value.list().size();
      case Type::kMap:
        return value.map().size();
      case Type::kStringSet:
      case Type::kNumberSet:
      case Type::kBinarySet:
        return value.set().size();
      case Type::kNull:
      case Type::kBool:
      case Type::kNumber:
        return std::nullopt;
    }
    return std::nullopt;
  }

  bool present_ = false;
  bool comparable_ = true;
  Type type_ = Type::kNull;
  std::string_view payload_;
  NumberBytes number_;
};

bool Equal(const OperandValue& left, const OperandValue& right) {
  return left.present() && right.present() && left.type() == right.type() &&
         left.payload() == right.payload();
}

// Whether the service has an order between the two: the same type out of S, N and B. Their
// payloads' bytewise order is that order.
bool Ordered(const OperandValue& left, const OperandValue& right) {
  if (!left.present() || !right.present() || left.type() != right.type()) return false;
  return IsOrdered(left.type());
}

bool Compare(StepKind kind, const OperandValue& left, const OperandValue& right) {
  if (kind == StepKind::kEqual) return Equal(left, right);
  if (kind == StepKind::kNotEqual) {
    return left.comparable() && right.comparable() && !Equal(left, right);
  }
  if (!Ordered(left, right)) return false;
  const int order = left.payload().compare(right.payload());
  switch (kind) {
    case StepKind::kLess:
      return order < 0;
    case StepKind::kLessEqual:
      return order <= 0;
    case StepKind::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

bool BeginsWith(const OperandValue& text, const OperandValue& prefix) {
  if (!text.present() || !prefix.present() || text.type() != prefix.type()) return false;
  if (text.type() != Type::kString && text.type() != Type::kBinary) return false;
  return text.payload().substr(0, prefix.payload().size()) == prefix.payload();
}

bool ListContains(ListView list, const OperandValue& element) {
  for (size_t i = 0; i < list.size(); ++i) {
    const ValueView candidate = list[i];
    if (candidate.type() == element.type() && candidate.payload() == element.payload()) return true;
  }
  return false;
}

Type MemberType(Type set) {
  if (set == Type::kStringSet) return Type::kString;
  return set == Type::kNumberSet ? Type::kNumber : Type::kBinary;
}

bool Contains(const OperandValue& container, const OperandValue& element) {
  if (!container.present() || !element.present()) return false;
  switch (container.type()) {
    case Type::kString:
    case Type::kBinary:
      return container.type() == element.type() &&
             HoldsBytes(container.payload(), element.payload());
    case Type::kList:
      return ListContains(ListView(container.payload()), element);
    case Type::kStringSet:
    case Type::kNumberSet:
    case Type::kBinarySet:
      return MemberType(container.type()) == element.type() &&
             SetView(container.payload()).Contains(element.payload());
    default:
      return false;
  }
}

// What a test may look at of its first operand. Of two operands no more is compared than the
// shorter one has, and `contains` walks a text or a list to its end.
size_t BytesLookedAt(StepKind kind, const OperandValue& first, const OperandValue& second) {
  const bool both = first.present() && second.present();
  if (!both) return 0;
  return kind == StepKind::kContains ? first.payload().size()
                                     : std::min(first.payload().size(), second.payload().size());
}

// Adds to `work` what it costs, see Condition::Matches.
bool Test(const BoundAst& ast, const Step& step, ItemView item, size_t* work) {
  *work += (step.end - step.begin) * Condition::kOperandWork;
  const auto operand = [&](uint32_t i) {
    return OperandValue(ast, ast.operands()[step.begin + i], item);
  };
  const OperandValue first = operand(0);
  const auto with = [&](uint32_t i, auto holds) {
    const OperandValue other = operand(i);
    *work += BytesLookedAt(step.kind, first, other);
    return holds(first, other);
  };
  const auto compares = [](StepKind kind) {
    return [kind](const OperandValue& left, const OperandValue& right) {
      return Compare(kind, left, right);
    };
  };
  switch (step.kind) {
    case StepKind::kAttributeExists:
      return first.present();
    case StepKind::kAttributeNotExists:
      return !first.present();
    case StepKind::kAttributeType:
      return first.present() && first.type() == step.type;
    case StepKind::kBeginsWith:
      return with(1, BeginsWith);
    case StepKind::kContains:
      return with(1, Contains);
    case StepKind::kBetween:
      return with(1, compares(StepKind::kGreaterEqual)) && with(2, compares(StepKind::kLessEqual));
    case StepKind::kIn:
      for (uint32_t i = 1; i < step.end - step.begin; ++i) {
        if (with(i, Equal)) return true;
      }
      return false;
    default:
      return with(1, compares(step.kind));
  }
}

}  // namespace

absl::StatusOr<Condition> Condition::Parse(std::string_view text, ExpressionKind kind,
                                           Placeholders* placeholders) {
  absl::StatusOr<BoundAst> ast = ParseCondition(text, kind, placeholders);
  if (!ast.ok()) return std::move(ast).status();
  return Condition(*std::move(ast));
}

bool Condition::Matches(ItemView item, size_t* work, const std::atomic<bool>* interrupted) const {
  size_t done = 0;
  bool truth = true;
  for (size_t i = 0; i < ast_.steps().size();) {
    const Step& step = ast_.steps()[i];
    ++i;
    switch (step.kind) {
      case StepKind::kAnd:
        if (!truth) i = step.end;
        break;
      case StepKind::kOr:
        if (truth) i = step.end;
        break;
      case StepKind::kNot:
        truth = !truth;
        break;
      default:
        if (interrupted != nullptr && interrupted->load(std::memory_order_relaxed)) return false;
        truth = Test(ast_, step, item, &done);
    }
  }
  if (work != nullptr) *work += done;
  return truth;
}

size_t Condition::WorkAtMost(ItemView item) const {
  const auto bytes_at_most = [&](Operand operand) -> size_t {
    switch (operand.kind) {
      case OperandKind::kPath:
        return item.bytes().size();
      case OperandKind::kValue:
        return ast_.values[operand.index].payload().size();
      default:
        return sizeof(NumberBytes);
    }
  };
  size_t work = 0;
  for (const Step& step : ast_.steps()) {
    if (!IsTest(step.kind)) continue;
    work += (step.end - step.begin) * kOperandWork;
    const size_t first = bytes_at_most(ast_.operands()[step.begin]);
    for (uint32_t i = step.begin + 1; i < step.end; ++i) {
      work += step.kind == StepKind::kContains ? first
                                               : std::min(first, bytes_at_most(ast_.operands()[i]));
    }
  }
  return work;
}

void Condition::ForEachPath(absl::FunctionRef<void(const Path&)> visit) const {
  for (const Path& path : ast_.paths()) visit(path);
}

std::vector<ValueView> Condition::RequiredEquals(std::string_view attribute) const {
  std::vector<ValueView> values;
  for (uint32_t i = 0; i < ast_.steps().size(); ++i) {
    const Step& test = ast_.steps()[i];
    if (test.kind != StepKind::kEqual) continue;
    const Operand left = ast_.operands()[test.begin];
    const Operand right = ast_.operands()[test.begin + 1];
    if (left.kind != OperandKind::kPath || right.kind != OperandKind::kValue) continue;
    const Path& path = ast_.paths()[left.index];
    if (!path.is_top_level() || path.attribute() != attribute) continue;
    const bool optional =
        std::any_of(ast_.steps().begin(), ast_.steps().end(), [i](const Step& step) {
          const bool loosens = step.kind == StepKind::kOr || step.kind == StepKind::kNot;
          return loosens && step.begin <= i && i < step.end;
        });
    if (!optional) values.push_back(ast_.values[right.index]);
  }
  return values;
}

}  // namespace dynolith
