// Conditions and updates of structs with fields (dynolith/typed_fields.h), built of C++ expressions
// whose members and types the compiler checks:
//
//   using namespace dynolith::typed;
//   const Condition popular = At<&Song::plays> > 100 && !Contains(At<&Song::tags>, "live");
//   const std::vector<Change> changes = {Set(At<&Song::plays>, At<&Song::plays> + 1),
//                                        Remove(At<&Song::rating>)};
//
// At<&S::m> is the attribute that holds the member alone; At<&S::m, &Inner::n>, At<&S::list>[0] and
// At<&S::map>["key"] lie within it. Names and values become placeholders, so no name is reserved.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_TYPED_EXPRESSIONS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_TYPED_EXPRESSIONS_H_

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "dynolith/typed_fields.h"
#include "dynolith/typed_values.h"
#include "engine/value/item.h"
#include "engine/value/type.h"

namespace dynolith::typed {

// The text of an expression with names and values that have no placeholders yet. A value that could
// not be written is an error of whoever writes the expression.
class Expression {
 public:
  Expression() = default;
  explicit Expression(std::string_view text) { Text(text); }

  Expression& Text(std::string_view text);
  Expression& Name(std::string_view name);
  Expression& Operand(const absl::StatusOr<Value>& value);
  Expression& Append(const Expression& other);
  bool empty() const { return parts_.empty(); }

 private:
  friend class ExpressionWriter;

  // (kind:char length:u32 bytes)*; the bytes of a value are encoded.
  std::string parts_;
  absl::Status status_;
};

// Gives placeholders to the names and values of the expressions of one request.
class ExpressionWriter {
 public:
  // Errors: that of a value of the expression.
  absl::StatusOr<std::string> Write(const Expression& expression);
  // Stores the placeholders in a request, if there are any.
  template <typename Request>
  void Finish(Request* request) {
    if (!names_.empty()) request->expression_attribute_names = std::move(names_);
    if (!values_.empty()) request->expression_attribute_values = TakeValues();
  }

 private:
  void AppendName(std::string_view name, std::string* text);
  Item TakeValues();

  std::vector<std::pair<std::string, std::string>> names_;
  std::vector<std::string> values_;  // encoded, in the order of their placeholders
};

namespace internal {

// --- Attributes

template <auto member>
struct MemberTraits;
template <typename Owner_, typename V_, V_ Owner_::*member>
struct MemberTraits<member> {
  using Owner = Owner_;
  using V = V_;
};
template <auto member>
using OwnerOf = typename MemberTraits<member>::Owner;
template <auto member>
using ValueOf = typename MemberTraits<member>::V;

// Whether a part of an attribute is the member.
template <auto member, typename Part>
constexpr bool IsMember(const Part& part) {
  if constexpr (kIsMember<Part>) {
    if constexpr (std::same_as<std::remove_cv_t<decltype(MemberOf(part))>,
                               std::remove_cv_t<decltype(member)>>) {
      return MemberOf(part) == member;
    }
  }
  return false;
}
template <auto member, typename Entry>
constexpr bool Contains(const Entry& attribute) {
  return std::apply([](const auto&... part) { return (IsMember<member>(part) || ...); },
                    attribute.parts);
}

// The attribute of the struct itself that holds the member alone; empty if there is none.
template <auto member>
constexpr std::string_view NameOf() {
  std::string_view name;
  ForEachOwn<OwnerOf<member>>([&](const auto& attribute) {
    using Entry = std::remove_cvref_t<decltype(attribute)>;
    if (Entry::kIsPlain && Contains<member>(attribute)) name = attribute.name;
  });
  return name;
}

// Where a member is, besides attributes that hold it alone.
struct Uses {
  bool in_key = false;              // of the table
  bool in_text = false;             // in a composed one
  bool in_text_of_several = false;  // together with other members
  size_t alone = 0;                 // in how many attributes of the struct itself it is alone
};
template <auto member>
constexpr Uses UsesOf() {
  using Owner = OwnerOf<member>;
  Uses uses;
  ForEachOwn<Owner>([&](const auto& attribute) {
    using Entry = std::remove_cvref_t<decltype(attribute)>;
    uses.in_key |= Entry::kRole != Role::kNone && Contains<member>(attribute);
    uses.alone += Entry::kIsPlain && Contains<member>(attribute) ? 1 : 0;
  });
  ForEachAttribute<Owner>([&](const auto& attribute) {
    using Entry = std::remove_cvref_t<decltype(attribute)>;
    if (Entry::kIsPlain || !Contains<member>(attribute)) return;
    uses.in_text = true;
    uses.in_text_of_several |= Entry::kMembers > 1;
  });
  return uses;
}

// `simple_inside`: no other attribute repeats what lies within the first one.
template <typename Root_, auto first_, typename V_, bool simple_inside>
struct PathBase {
  using Root = Root_;
  using PathValue = V_;
  static constexpr auto kFirst = first_;
  static constexpr bool kIsSimpleInside = simple_inside;
};

template <typename T>
inline constexpr bool kIsMap = false;
template <typename T>
inline constexpr bool kIsMap<std::map<std::string, T>> = true;
template <typename T>
inline constexpr bool kIsSetOf = false;
template <typename T>
inline constexpr bool kIsSetOf<std::set<T>> = true;
template <typename V>
concept Elements = kIsList<V> || kIsMap<V>;
template <typename V>
struct ElementOf;
template <typename T>
struct ElementOf<std::vector<T>> {
  using type = T;
};
template <typename T>
struct ElementOf<std::map<std::string, T>> {
  using type = T;
};

// A place within an attribute that is known at run time: what follows the attribute's name.
template <typename Root, auto first, typename V, bool simple_inside>
struct ElementPath : PathBase<Root, first, V, simple_inside> {
  Expression behind;

  // Without the attribute.
  const Expression& Behind() const { return behind; }

  template <typename I>
  requires Elements<Bare<V>>
  auto operator[](const I& index) const {
    static_assert(kIsList<Bare<V>> ? std::integral<I> : std::convertible_to<I, std::string_view>,
                  "the index of a list is an integer, that of a map a text");
    using Element = typename ElementOf<Bare<V>>::type;
    ElementPath<Root, first, Element, simple_inside> element{{}, behind};
    if constexpr (kIsList<Bare<V>>) {
      element.behind.Text("[").Text(std::to_string(index)).Text("]");
    } else {
      element.behind.Text(".").Name(index);
    }
    return element;
  }
};

template <auto first, auto... rest>
struct LastOf {
  static constexpr auto kMember = LastOf<rest...>::kMember;
};
template <auto last>
struct LastOf<last> {
  static constexpr auto kMember = last;
};

template <auto member>
concept OfStructWithFields = Mapped<OwnerOf<member>>;
template <auto member>
concept HeldByOneAttributeAlone = OfStructWithFields<member> && !NameOf<member>().empty();

template <auto... members>
constexpr bool AreSimple() {
  return ((!UsesOf<members>().in_text && UsesOf<members>().alone == 1) && ...);
}

template <auto first, auto... rest>
struct MemberPath : PathBase<OwnerOf<first>, first, ValueOf<LastOf<first, rest...>::kMember>,
                             AreSimple<rest...>()> {
  static Expression Behind() {
    Expression behind;
    (behind.Text(".").Name(NameOf<rest>()), ...);
    return behind;
  }

  template <typename I>
  auto operator[](const I& index) const {
    using V = ValueOf<LastOf<first, rest...>::kMember>;
    static_assert(Elements<Bare<V>>, "only lists and maps have elements");
    return ElementPath<OwnerOf<first>, first, V, AreSimple<rest...>()>{{}, Behind()}[index];
  }
};

template <typename P>
concept Path = requires {
  typename P::PathValue;
  typename P::Root;
};

template <Path P>
Expression ExpressionOf(const P& path) {
  Expression expression;
  expression.Name(NameOf<P::kFirst>()).Append(path.Behind());
  return expression;
}

// --- Operands

// What a condition compares besides paths.
template <typename V_>
struct Measure {
  using MeasureValue = V_;
  Expression expression;
};
// What SET assigns besides paths and values, and may add to.
template <typename V_>
struct Assigned {
  using AssignedValue = V_;
  Expression expression;
};
// The same, complete.
template <typename V_>
struct Sum {
  using SumValue = V_;
  Expression expression;
};

template <typename X>
struct OperandTraits {
  using V = std::decay_t<X>;
};
template <Path X>
struct OperandTraits<X> {
  using V = Bare<typename X::PathValue>;
};
template <typename W>
struct OperandTraits<Measure<W>> {
  using V = W;
};
template <typename W>
struct OperandTraits<Assigned<W>> {
  using V = W;
};
template <typename W>
struct OperandTraits<Sum<W>> {
  using V = W;
};
template <typename X>
using ValueOfOperand = typename OperandTraits<X>::V;

template <typename X>
inline constexpr bool kIsLiteral = !Path<X>;
template <typename W>
inline constexpr bool kIsLiteral<Measure<W>> = false;
template <typename W>
inline constexpr bool kIsLiteral<Assigned<W>> = false;
template <typename W>
inline constexpr bool kIsLiteral<Sum<W>> = false;

template <typename V>
concept Ordered = value_internal::Text<V> || value_internal::Numeric<V> ||
    std::same_as<V, std::vector<std::byte>>;

template <typename V, typename X>
absl::StatusOr<Value> LiteralValue(const X& literal) {
  if constexpr (value_internal::Text<V>) {
    return ToValue(std::string_view(literal));
  } else if constexpr (value_internal::Numeric<V>) {
    return ToValue(literal);
  } else {
    return ToValue<V>(literal);
  }
}

// The operand of a change of something of type V, which must be able to hold it.
template <typename V, typename X>
Expression HeldOperandOf(const X& x);

// The operand of something of type V.
template <typename V, typename X>
Expression OperandOf(const X& x) {
  static_assert(Suits<V, ValueOfOperand<X>>, "the two sides are of different types");
  if constexpr (Path<X>) {
    return ExpressionOf(x);
  } else if constexpr (kIsLiteral<X>) {
    Expression expression;
    expression.Operand(LiteralValue<V>(x));
    return expression;
  } else {
    return x.expression;
  }
}

}  // namespace internal

// The attribute that holds a member alone, or a member of a struct within it.
template <auto member, auto... inner>
requires internal::HeldByOneAttributeAlone<member> &&
    (internal::HeldByOneAttributeAlone<inner>&&...) inline constexpr internal::MemberPath<
        member, inner...> At{};

// --- Conditions

// A condition, or none.
class Condition {
 public:
  Condition() = default;
  bool empty() const { return expression_.empty(); }
  const Expression& expression() const { return expression_; }

  // What is empty is left out: the other side is the result.
  friend Condition operator&&(const Condition& left, const Condition& right);
  friend Condition operator||(const Condition& left, const Condition& right);
  // Requires: not empty.
  friend Condition operator!(const Condition& negated);

  // For the functions below.
  enum class Binding { kOr, kAnd, kNot, kPrimary };
  Condition(Expression expression, Binding binding)
      : expression_(std::move(expression)), binding_(binding) {}

 private:
  // In parentheses if what surrounds it binds more.
  Expression Within(Binding binding) const;

  Expression expression_;
  Binding binding_ = Binding::kPrimary;
};

namespace internal {

template <typename L>
concept Comparable = Path<L> || requires {
  typename L::MeasureValue;
};

template <bool ordered, Comparable L, typename X>
Condition Compare(const L& left, std::string_view comparator, const X& right) {
  using V = ValueOfOperand<L>;
  static_assert(!ordered || Ordered<V>, "only texts, numbers and bytes have an order");
  Expression expression;
  if constexpr (Path<L>) {
    expression = ExpressionOf(left);
  } else {
    expression = left.expression;
  }
  expression.Text(comparator).Append(OperandOf<V>(right));
  return Condition(std::move(expression), Condition::Binding::kPrimary);
}

template <Path P, typename... X>
Condition Call(std::string_view function, const P& path, const X&... arguments) {
  Expression expression(function);
  expression.Text("(").Append(ExpressionOf(path));
  (expression.Text(", ").Append(arguments), ...);
  expression.Text(")");
  return Condition(std::move(expression), Condition::Binding::kPrimary);
}

template <Comparable L, typename X>
Condition operator==(const L& left, const X& right) {
  return Compare<false>(left, " = ", right);
}
template <Comparable L, typename X>
Condition operator!=(const L& left, const X& right) {
  return Compare<false>(left, " <> ", right);
}
template <Comparable L, typename X>
Condition operator<(const L& left, const X& right) {
  return Compare<true>(left, " < ", right);
}
template <Comparable L, typename X>
Condition operator<=(const L& left, const X& right) {
  return Compare<true>(left, " <= ", right);
}
template <Comparable L, typename X>
Condition operator>(const L& left, const X& right) {
  return Compare<true>(left, " > ", right);
}
template <Comparable L, typename X>
Condition operator>=(const L& left, const X& right) {
  return Compare<true>(left, " >= ", right);
}

}  // namespace internal

template <internal::Path P>
Condition Exists(const P& path) {
  return internal::Call("attribute_exists", path);
}
template <internal::Path P>
Condition NotExists(const P& path) {
  return internal::Call("attribute_not_exists", path);
}
template <internal::Path P>
Condition HasType(const P& path, Type type) {
  return internal::Call("attribute_type", path, Expression().Operand(Value::S(TypeName(type))));
}
template <internal::Path P, typename X>
Condition BeginsWith(const P& path, const X& beginning) {
  using V = internal::ValueOfOperand<P>;
  static_assert(internal::Ordered<V> && !value_internal::Numeric<V>, "only texts and bytes begin");
  return internal::Call("begins_with", path, internal::OperandOf<V>(beginning));
}
// A text or bytes within another, a member of a set, or an element of a list.
template <internal::Path P, typename X>
Condition Contains(const P& path, const X& part) {
  using V = internal::ValueOfOperand<P>;
  if constexpr (internal::kIsSetOf<V> || internal::kIsList<V>) {
    return internal::Call("contains", path,
                          internal::OperandOf<internal::Bare<typename V::value_type>>(part));
  } else {
    static_assert(internal::Ordered<V> && !value_internal::Numeric<V>,
                  "only texts, bytes, sets and lists contain something");
    return internal::Call("contains", path, internal::OperandOf<V>(part));
  }
}
template <internal::Comparable L, typename X, typename Y>
Condition Between(const L& operand, const X& least, const Y& greatest) {
  using V = internal::ValueOfOperand<L>;
  static_assert(internal::Ordered<V>, "only texts, numbers and bytes have an order");
  Expression expression = internal::OperandOf<V>(operand);
  expression.Text(" BETWEEN ").Append(internal::OperandOf<V>(least));
  expression.Text(" AND ").Append(internal::OperandOf<V>(greatest));
  return Condition(std::move(expression), Condition::Binding::kPrimary);
}
// Whether it is equal to one of them, at most 100.
template <internal::Comparable L, typename First, typename... X>
Condition In(const L& operand, const First& first, const X&... others) {
  using V = internal::ValueOfOperand<L>;
  Expression expression = internal::OperandOf<V>(operand);
  expression.Text(" IN (").Append(internal::OperandOf<V>(first));
  (expression.Text(", ").Append(internal::OperandOf<V>(others)), ...);
  expression.Text(")");
  return Condition(std::move(expression), Condition::Binding::kPrimary);
}
// The size of a text or of bytes in bytes, the number of the elements of a set, list or map: to be
// compared.
template <internal::Path P>
internal::Measure<uint64_t> SizeOf(const P& path) {
  using V = internal::ValueOfOperand<P>;
  static_assert(!value_internal::Numeric<V> && !std::same_as<V, bool>, "numbers have no size");
  Expression expression("size(");
  expression.Append(internal::ExpressionOf(path)).Text(")");
  return {std::move(expression)};
}

// --- Updates

// What an update does with one member: one clause, or more if several attributes hold it.
class Change {
 public:
  enum class Section { kSet, kRemove, kAdd, kDelete };

  void Add(Section section, Expression clause) { clauses_.push_back({section, std::move(clause)}); }

  // All clauses of an UpdateExpression.
  static Expression Join(absl::Span<const Change> changes);

 private:
  struct Clause {
    Section section;
    Expression expression;
  };
  std::vector<Clause> clauses_;
};

namespace internal {

template <typename V, typename X>
Expression HeldOperandOf(const X& x) {
  static_assert(Holds<V, ValueOfOperand<X>>, "the member cannot hold this");
  if constexpr (kIsLiteral<X>) {
    Expression expression;
    if (!Fits<V>(x)) return expression.Operand(DoesNotFitMember());
    return expression.Operand(LiteralValue<V>(x));
  } else {
    return OperandOf<V>(x);
  }
}

template <Path P>
constexpr void CheckMayChange() {
  static_assert(!UsesOf<P::kFirst>().in_key,
                "a part of the key cannot be changed: delete the item, and put another one");
  static_assert(P::kIsSimpleInside,
                "another attribute of the inner struct repeats this member: put the whole item");
}

// Adds a clause for each attribute that holds the path's member alone: `finish` appends to what
// names the path there.
template <Path P, typename Finish>
void AddClauses(const P& path, Change::Section section, Change* change, Finish finish) {
  std::vector<std::string_view> seen;
  ForEachAttribute<typename P::Root>([&](const auto& attribute) {
    using Entry = std::remove_cvref_t<decltype(attribute)>;
    if (!Entry::kIsPlain || !Contains<P::kFirst>(attribute)) return;
    if (std::find(seen.begin(), seen.end(), attribute.name) != seen.end()) return;
    seen.push_back(attribute.name);
    Expression clause;
    clause.Name(attribute.name).Append(path.Behind());
    finish(&clause);
    change->Add(section, std::move(clause));
  });
}

// The same for the composed attributes of which the member is a part: `finish` is given the
// attribute, too.
template <Path P, typename Finish>
void AddTextClauses(Change::Section section, Change* change, Finish finish) {
  std::vector<std::string_view> seen;
  ForEachAttribute<typename P::Root>([&](const auto& attribute) {
    using Entry = std::remove_cvref_t<decltype(attribute)>;
    if constexpr (!Entry::kIsPlain && Entry::kMembers > 0) {
      if (!Contains<P::kFirst>(attribute)) return;
      if (std::find(seen.begin(), seen.end(), attribute.name) != seen.end()) return;
      seen.push_back(attribute.name);
      Expression clause;
      clause.Name(attribute.name);
      finish(attribute, &clause);
      change->Add(section, std::move(clause));
    }
  });
}

// The composed text after the member has been set.
template <auto member, typename Entry, typename X>
absl::StatusOr<Value> TextWith(const Entry& attribute, const X& literal) {
  OwnerOf<member> object{};
  if (absl::Status status = StoreIn(&(object.*member), literal); !status.ok()) return status;
  std::string text;
  absl::Status status = Compose(attribute, object, Entry::kMembers, &text);
  if (!status.ok()) return status;
  return Value::S(text);
}

template <typename L>
concept Addable = Path<L> || requires {
  typename L::AssignedValue;
};

template <Addable L, typename X>
Sum<ValueOfOperand<L>> Calculate(const L& left, std::string_view sign, const X& right) {
  using V = ValueOfOperand<L>;
  static_assert(value_internal::Numeric<V>, "only numbers are added and subtracted");
  Expression expression = OperandOf<V>(left);
  expression.Text(sign).Append(OperandOf<V>(right));
  return {std::move(expression)};
}

template <Addable L, typename X>
auto operator+(const L& left, const X& right) {
  return Calculate(left, " + ", right);
}
template <Addable L, typename X>
auto operator-(const L& left, const X& right) {
  return Calculate(left, " - ", right);
}

}  // namespace internal

// The operand is a value, another attribute, a sum or difference of two of them, IfNotExists(...)
// or Appended(...). A composed attribute of an index that consists of this member is set, too,
// which takes a value.
template <internal::Path P, typename X>
Change Set(const P& path, const X& operand) {
  using V = internal::ValueOfOperand<P>;
  internal::CheckMayChange<P>();
  static_assert(
      !requires { typename X::MeasureValue; }, "the size of an attribute is no operand");
  static_assert(!internal::UsesOf<P::kFirst>().in_text_of_several,
                "composed of this and other members is another attribute: put the whole item");
  static_assert(!internal::UsesOf<P::kFirst>().in_text || internal::kIsLiteral<X>,
                "composed of this member is another attribute: set a value");
  Change change;
  internal::AddClauses(path, Change::Section::kSet, &change, [&](Expression* clause) {
    clause->Text(" = ").Append(internal::HeldOperandOf<V>(operand));
  });
  if constexpr (internal::UsesOf<P::kFirst>().in_text && internal::kIsLiteral<X>) {
    internal::AddTextClauses<P>(
        Change::Section::kSet, &change, [&](const auto& attribute, Expression* clause) {
          clause->Text(" = ").Operand(internal::TextWith<P::kFirst>(attribute, operand));
        });
  }
  return change;
}

// The attribute becomes absent, with the composed ones of which it is a part.
template <internal::Path P>
Change Remove(const P& path) {
  using V = typename P::PathValue;
  internal::CheckMayChange<P>();
  static_assert(
      value_internal::kIsOptional<V> || internal::kIsSetOf<V> || requires { path.behind; },
      "a struct without this member could not be read back: make it an optional");
  Change change;
  internal::AddClauses(path, Change::Section::kRemove, &change, [](Expression*) {});
  internal::AddTextClauses<P>(Change::Section::kRemove, &change, [](const auto&, Expression*) {});
  return change;
}

// Adds a number to a number, or members to a set. What is absent counts as zero, or empty.
template <internal::Path P, typename X>
Change Add(const P& path, const X& value) {
  using V = internal::ValueOfOperand<P>;
  internal::CheckMayChange<P>();
  static_assert(value_internal::Numeric<V> || internal::kIsSetOf<V>,
                "only numbers and sets can be added to");
  static_assert(internal::kIsLiteral<X>, "ADD takes a value");
  static_assert(!internal::UsesOf<P::kFirst>().in_text,
                "composed of this member is another attribute: set a value");
  Change change;
  internal::AddClauses(path, Change::Section::kAdd, &change, [&](Expression* clause) {
    clause->Text(" ").Append(internal::HeldOperandOf<V>(value));
  });
  return change;
}

// Takes members out of a set.
template <internal::Path P, typename X>
Change Erase(const P& path, const X& members) {
  using V = internal::ValueOfOperand<P>;
  internal::CheckMayChange<P>();
  static_assert(internal::kIsSetOf<V> && internal::kIsLiteral<X>, "members are erased from a set");
  Change change;
  internal::AddClauses(path, Change::Section::kDelete, &change, [&](Expression* clause) {
    clause->Text(" ").Append(internal::OperandOf<V>(members));
  });
  return change;
}

// For Set: the attribute's value, or another one where it is absent.
template <internal::Path P, typename X>
auto IfNotExists(const P& path, const X& value) {
  using V = internal::ValueOfOperand<P>;
  Expression expression("if_not_exists(");
  expression.Append(internal::ExpressionOf(path)).Text(", ");
  expression.Append(internal::HeldOperandOf<V>(value)).Text(")");
  return internal::Assigned<V>{std::move(expression)};
}

// For Set: a list with the elements of another one behind its own.
template <internal::Addable L, typename X>
auto Appended(const L& list, const X& elements) {
  using V = internal::ValueOfOperand<L>;
  static_assert(internal::kIsList<V>, "only lists are appended to");
  Expression expression("list_append(");
  expression.Append(internal::OperandOf<V>(list)).Text(", ");
  expression.Append(internal::OperandOf<V>(elements)).Text(")");
  return internal::Assigned<V>{std::move(expression)};
}

}  // namespace dynolith::typed

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_TYPED_EXPRESSIONS_H_
