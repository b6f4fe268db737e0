// Structs as items: how a struct's members become attributes is described once, and the compiler
// checks what is done with it (dynolith/typed.h).
//
//   struct Song {
//     std::string artist;
//     std::string title;
//     int64_t plays = 0;
//     std::optional<double> rating;
//     std::set<std::string> tags;
//   };
//
//   // Directly after the struct.
//   template <>
//   inline constexpr auto dynolith::typed::kFields<Song> = dynolith::typed::Fields(
//       PartitionKey("pk", "ARTIST#", &Song::artist),     // composed: ARTIST#Ray
//       SortKey("sk", "SONG#", &Song::title),
//       Attribute("plays", &Song::plays),
//       Attribute("rating", &Song::rating),               // absent while it is empty
//       Attribute("tags", &Song::tags),
//       Attribute("kind", "song"));                       // a constant
//
// An attribute has one part or several:
//   * one member: its value (dynolith/typed_values.h; besides these types other structs with
//     fields, as M, and enumerations with names, as S). Absent for an empty optional or set;
//   * texts only: a constant, by which the structs of one table are told apart;
//   * several: a text composed of texts and members. Members are texts, enumerations with names, or
//     unsigned integers as Padded<digits>(&S::m), so that texts have the order of the numbers.
//     Texts stand between two members of which the first is not padded, and it is an error to write
//     a member that contains the text behind it: it could not be read back. Absent if a member is
//     an empty optional.
//
// Index("by-plays", PartitionKey("kind", "song"), SortKey("plays", &Song::plays)) describes a
// global index, and adds its attributes. A member may be part of several attributes; it is read
// from the one that it has alone, if there is one. Others(&Song::rest) keeps an item's other
// attributes in a member of type Item, so that writing the struct back does not lose them.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_TYPED_FIELDS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_TYPED_FIELDS_H_

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dynolith/typed_values.h"
#include "engine/value/item.h"
#include "engine/value/typed_value.h"
#include "engine/value/value.h"

namespace dynolith::typed {

struct NoFields {};
// The fields of a T; specialised for each struct.
template <typename T>
inline constexpr NoFields kFields{};
template <typename T>
concept Mapped = !std::same_as<std::remove_const_t<decltype(kFields<T>)>, NoFields>;

// The names of an enumeration's values, which are what is stored:
//
//   template <>
//   inline constexpr auto dynolith::typed::kNames<Genre> =
//       dynolith::typed::Names<Genre>({{Genre::kRock, "rock"}, {Genre::kJazz, "jazz"}});
struct NoNames {};
template <typename E>
inline constexpr NoNames kNames{};
template <typename E>
concept Named =
    std::is_enum_v<E> && !std::same_as<std::remove_const_t<decltype(kNames<E>)>, NoNames>;
template <typename E>
struct Name {
  E value;
  std::string_view text;
};
template <typename E, size_t n>
constexpr std::array<Name<E>, n> Names(const Name<E> (&names)[n]) {
  return std::to_array(names);
}

namespace internal {

// --- Parts of an attribute

template <typename Owner_, typename V_, size_t width_>
struct PaddedMember {
  using Owner = Owner_;
  using V = V_;
  static constexpr size_t kWidth = width_;
  V Owner::*member;
};

template <typename Part>
struct PartTraits {  // a text
  static constexpr bool kIsMember = false;
  static constexpr bool kIsPadded = false;
};
template <typename Owner_, typename V_>
struct PartTraits<V_ Owner_::*> {
  static constexpr bool kIsMember = true;
  static constexpr bool kIsPadded = false;
  using Owner = Owner_;
  using V = V_;
};
template <typename Owner_, typename V_, size_t width>
struct PartTraits<PaddedMember<Owner_, V_, width>> {
  static constexpr bool kIsMember = true;
  static constexpr bool kIsPadded = true;
  using Owner = Owner_;
  using V = V_;
};
template <typename Part>
inline constexpr bool kIsMember = PartTraits<Part>::kIsMember;
template <typename Part>
using ValueOfPart = typename PartTraits<Part>::V;

template <typename Owner, typename V>
constexpr V Owner::*MemberOf(V Owner::*member) {
  return member;
}
template <typename Owner, typename V, size_t width>
constexpr V Owner::*MemberOf(PaddedMember<Owner, V, width> padded) {
  return padded.member;
}

constexpr std::string_view AsPart(std::string_view text) {
  // Not a constant then, so the compiler says so. Nothing would stand between two members.
  return text.empty() ? throw "a text of an attribute is empty" : text;
}
template <typename Part>
requires kIsMember<Part>
constexpr Part AsPart(Part part) { return part; }

template <typename T>
struct BareOf {
  using type = T;
};
template <typename T>
struct BareOf<std::optional<T>> {
  using type = T;
};
// T, or the type within an optional.
template <typename T>
using Bare = typename BareOf<std::remove_cvref_t<T>>::type;

template <typename T>
inline constexpr bool kIsList = false;
template <typename T>
inline constexpr bool kIsList<std::vector<T>> = !std::same_as<T, std::byte>;

// --- Entries of fields

enum class Role { kNone, kPartition, kSort };

template <Role role, typename... Parts>
struct AttributeEntry {
  static constexpr Role kRole = role;
  static constexpr size_t kParts = sizeof...(Parts);
  static constexpr size_t kMembers = (size_t{kIsMember<Parts>} + ... + 0);
  // One member alone.
  static constexpr bool kIsPlain = kParts == 1 && kMembers == 1;

  std::string_view name;
  std::tuple<Parts...> parts;
};

template <typename T>
inline constexpr bool kIsAttribute = false;
template <Role role, typename... Parts>
inline constexpr bool kIsAttribute<AttributeEntry<role, Parts...>> = true;

template <typename... Keys>
struct IndexEntry {
  std::string_view name;
  std::tuple<Keys...> keys;
};
template <typename T>
inline constexpr bool kIsIndex = false;
template <typename... Keys>
inline constexpr bool kIsIndex<IndexEntry<Keys...>> = true;

template <typename Owner>
struct OthersEntry {
  Item Owner::*member;
};
template <typename T>
inline constexpr bool kIsOthers = false;
template <typename Owner>
inline constexpr bool kIsOthers<OthersEntry<Owner>> = true;

template <typename... Entries>
struct FieldList {
  std::tuple<Entries...> entries;
};

// Whether each member that is neither padded nor last has a text behind it.
template <typename... Parts>
constexpr bool AreSeparated() {
  constexpr std::array<bool, sizeof...(Parts)> is_text = {!kIsMember<Parts>...};
  constexpr std::array<bool, sizeof...(Parts)> is_padded = {PartTraits<Parts>::kIsPadded...};
  for (size_t i = 0; i + 1 < sizeof...(Parts); ++i) {
    if (!is_text[i] && !is_padded[i] && !is_text[i + 1]) return false;
  }
  return true;
}

template <typename Part>
constexpr bool IsComposable() {
  if constexpr (!kIsMember<Part> || PartTraits<Part>::kIsPadded) {
    return true;
  } else {
    using V = Bare<ValueOfPart<Part>>;
    return std::same_as<V, std::string> || Named<V>;
  }
}

template <Role role, typename... Parts>
constexpr AttributeEntry<role, Parts...> MakeAttribute(std::string_view name, Parts... parts) {
  static_assert(sizeof...(Parts) > 0, "an attribute has a member, or a text");
  static_assert(sizeof...(Parts) == 1 || (IsComposable<Parts>() && ...),
                "composed of are texts, enumerations with names, and Padded unsigned integers");
  static_assert(AreSeparated<Parts...>(), "a text has to stand between two members");
  return {name, {parts...}};
}

}  // namespace internal

template <size_t digits, typename Owner, std::unsigned_integral V>
constexpr internal::PaddedMember<Owner, V, digits> Padded(V Owner::*member) {
  return {member};
}

template <typename... Parts>
constexpr auto Attribute(std::string_view name, Parts... parts) {
  return internal::MakeAttribute<internal::Role::kNone>(name, internal::AsPart(parts)...);
}
template <typename... Parts>
constexpr auto PartitionKey(std::string_view name, Parts... parts) {
  return internal::MakeAttribute<internal::Role::kPartition>(name, internal::AsPart(parts)...);
}
template <typename... Parts>
constexpr auto SortKey(std::string_view name, Parts... parts) {
  return internal::MakeAttribute<internal::Role::kSort>(name, internal::AsPart(parts)...);
}
// A global index of all attributes.
template <typename Partition, typename... Sort>
constexpr internal::IndexEntry<Partition, Sort...> Index(std::string_view name, Partition partition,
                                                         Sort... sort) {
  static_assert(Partition::kRole == internal::Role::kPartition && sizeof...(Sort) <= 1 &&
                    ((Sort::kRole == internal::Role::kSort) && ...),
                "an index has a PartitionKey, and perhaps a SortKey");
  return {name, {partition, sort...}};
}
template <typename Owner>
constexpr internal::OthersEntry<Owner> Others(Item Owner::*member) {
  return {member};
}
template <typename... Entries>
constexpr internal::FieldList<Entries...> Fields(Entries... entries) {
  return {{entries...}};
}

namespace internal {

// --- Walks over a list of fields

// Calls `function` with each attribute of the struct itself.
template <typename T, typename Function>
constexpr void ForEachOwn(Function function) {
  std::apply(
      [&](const auto&... entry) {
        const auto visit = [&](const auto& one) {
          if constexpr (kIsAttribute<std::remove_cvref_t<decltype(one)>>) function(one);
        };
        (visit(entry), ...);
      },
      kFields<T>.entries);
}
// The same for those of its indexes.
template <typename T, typename Function>
constexpr void ForEachOfIndexes(Function function) {
  std::apply(
      [&](const auto&... entry) {
        const auto visit = [&](const auto& one) {
          if constexpr (kIsIndex<std::remove_cvref_t<decltype(one)>>) {
            std::apply([&](const auto&... key) { (function(key), ...); }, one.keys);
          }
        };
        (visit(entry), ...);
      },
      kFields<T>.entries);
}
template <typename T, typename Function>
constexpr void ForEachAttribute(Function function) {
  ForEachOwn<T>(function);
  ForEachOfIndexes<T>(function);
}

// --- Composed texts (api/database/typed_fields.cc)

// Appends a member's text. Errors: kInvalidArgument if it contains the text behind it, so that it
// could not be read back.
absl::Status AppendPart(std::string_view attribute, std::string_view member_text,
                        std::string_view text_behind, std::string* to);
// Errors: kOutOfRange for a number with more digits.
absl::Status AppendPadded(std::string_view attribute, uint64_t number, size_t digits,
                          std::string* to);

// Takes a composed text apart, from left to right. Errors name the attribute.
class ComposedText {
 public:
  // Borrows both.
  ComposedText(std::string_view attribute, std::string_view text)
      : attribute_(attribute), rest_(text) {}

  absl::Status Skip(std::string_view text);
  // A member's text, up to the text behind it; empty: to the end.
  absl::StatusOr<std::string_view> TakePart(std::string_view text_behind);
  absl::StatusOr<uint64_t> TakePadded(size_t digits, uint64_t greatest);
  absl::Status CheckEnd() const;

 private:
  const std::string_view attribute_;
  std::string_view rest_;
};

// Errors: kInvalidArgument for a value of the enumeration without a name, or no name of a value.
absl::Status UnnamedValue(int64_t value);
absl::Status UnknownName(std::string_view text);

// Errors: kOutOfRange, for a number that a member cannot hold.
absl::Status DoesNotFitMember();

// Whether a value of type X can become one of type V unchanged, but for the range of integers.
// Texts for texts, numbers for numbers; no other conversions of built-in types.
template <typename V, typename X>
concept Suits = (value_internal::Text<V> && std::convertible_to<X, std::string_view>) ||
                (value_internal::Numeric<V> && value_internal::Numeric<X>) ||
                (!value_internal::Text<V> && !value_internal::Numeric<V> &&
                 (std::same_as<V, X> || (std::is_class_v<V> && std::convertible_to<X, V>)));
template <typename V, typename X>
concept Holds = Suits<V, X> &&
    (!value_internal::Integer<V> || value_internal::Integer<X>)&&(!std::same_as<V, Number> ||
                                                                  std::same_as<X, Number>);

template <typename V, typename X>
bool Fits(const X& value) {
  if constexpr (value_internal::Integer<V>) {
    return std::in_range<V>(value);
  } else {
    return true;
  }
}

// Stores a value in a member. Errors: DoesNotFitMember.
template <typename V, typename X>
requires Holds<Bare<V>, X> absl::Status StoreIn(V* member, const X& value) {
  if (!Fits<Bare<V>>(value)) return DoesNotFitMember();
  if constexpr (value_internal::Text<Bare<V>>) {
    *member = std::string(value);
  } else {
    *member = static_cast<Bare<V>>(value);
  }
  return absl::OkStatus();
}

template <Named E>
absl::StatusOr<std::string_view> TextOfName(E value) {
  for (const Name<E>& name : kNames<E>) {
    if (name.value == value) return name.text;
  }
  return UnnamedValue(static_cast<int64_t>(value));
}
template <Named E>
absl::StatusOr<E> ValueOfName(std::string_view text) {
  for (const Name<E>& name : kNames<E>) {
    if (name.text == text) return name.value;
  }
  return UnknownName(text);
}

// The text behind part `i`; empty if there is none.
template <size_t i, typename... Parts>
constexpr std::string_view TextBehind(const std::tuple<Parts...>& parts) {
  if constexpr (i + 1 < sizeof...(Parts)) {
    if constexpr (!kIsMember<std::tuple_element_t<i + 1, std::tuple<Parts...>>>) {
      return std::get<i + 1>(parts);
    }
  }
  return {};
}

template <typename V>
const Bare<V>& BareValue(const V& value) {
  if constexpr (value_internal::kIsOptional<V>) {
    return *value;
  } else {
    return value;
  }
}

// Appends part `i` of the object's composed text.
template <size_t i, typename Entry, typename T>
absl::Status ComposePart(const Entry& attribute, const T& object, std::string* to) {
  using Part = std::tuple_element_t<i, decltype(attribute.parts)>;
  const auto& part = std::get<i>(attribute.parts);
  if constexpr (!kIsMember<Part>) {
    to->append(part);
    return absl::OkStatus();
  } else {
    const auto& value = BareValue(object.*MemberOf(part));
    const std::string_view behind = TextBehind<i>(attribute.parts);
    if constexpr (PartTraits<Part>::kIsPadded) {
      return AppendPadded(attribute.name, value, Part::kWidth, to);
    } else if constexpr (Named<std::remove_cvref_t<decltype(value)>>) {
      const absl::StatusOr<std::string_view> name = TextOfName(value);
      if (!name.ok()) return value_internal::WithName(name.status(), attribute.name);
      return AppendPart(attribute.name, *name, behind, to);
    } else {
      return AppendPart(attribute.name, value, behind, to);
    }
  }
}

// Composes the attribute's text from its first parts: up to the member behind the first `members`
// ones, so with the texts before it.
template <typename Entry, typename T>
absl::Status Compose(const Entry& attribute, const T& object, size_t members, std::string* to) {
  return [&]<size_t... i>(std::index_sequence<i...>) {
    absl::Status status;
    size_t left = members;
    const auto append = [&]<size_t at>(std::integral_constant<size_t, at>) {
      if constexpr (kIsMember<std::tuple_element_t<at, decltype(attribute.parts)>>) {
        if (left == 0) return false;
        --left;
      }
      status = ComposePart<at>(attribute, object, to);
      return status.ok();
    };
    static_cast<void>((append(std::integral_constant<size_t, i>()) && ...));
    return status;
  }
  (std::make_index_sequence<Entry::kParts>());
}

// Whether a member that the attribute consists of is absent.
template <typename Entry, typename T>
bool IsAttributeAbsent(const Entry& attribute, const T& object) {
  const auto is_absent = [&](const auto& part) {
    if constexpr (kIsMember<std::remove_cvref_t<decltype(part)>>) {
      return value_internal::IsAbsent(object.*MemberOf(part));
    } else {
      return false;
    }
  };
  return std::apply([&](const auto&... part) { return (is_absent(part) || ...); }, attribute.parts);
}

// Adds the attribute's name and value.
template <typename Entry, typename T>
absl::Status WriteAttribute(const Entry& attribute, const T& object, ItemBuilder* to) {
  if (IsAttributeAbsent(attribute, object)) return absl::OkStatus();
  if constexpr (Entry::kIsPlain) {
    to->Key(attribute.name);
    const absl::Status status =
        value_internal::WriteTyped(object.*MemberOf(std::get<0>(attribute.parts)), to);
    return status.ok() ? status : value_internal::WithName(status, attribute.name);
  } else {
    std::string text;
    absl::Status status = Compose(attribute, object, Entry::kMembers, &text);
    if (!status.ok()) return status;
    to->Key(attribute.name);
    to->String(text);
    return status;
  }
}

// Reads part `i` into the object.
template <size_t i, typename Entry, typename T>
absl::Status TakePart(const Entry& attribute, ComposedText* text, T* object) {
  using Part = std::tuple_element_t<i, decltype(attribute.parts)>;
  const auto& part = std::get<i>(attribute.parts);
  if constexpr (!kIsMember<Part>) {
    return text->Skip(part);
  } else {
    using V = Bare<ValueOfPart<Part>>;
    auto& member = object->*MemberOf(part);
    if constexpr (PartTraits<Part>::kIsPadded) {
      const absl::StatusOr<uint64_t> number =
          text->TakePadded(Part::kWidth, std::numeric_limits<V>::max());
      if (!number.ok()) return number.status();
      member = static_cast<V>(*number);
    } else {
      const absl::StatusOr<std::string_view> taken = text->TakePart(TextBehind<i>(attribute.parts));
      if (!taken.ok()) return taken.status();
      if constexpr (Named<V>) {
        const absl::StatusOr<V> value = ValueOfName<V>(*taken);
        if (!value.ok()) return value_internal::WithName(value.status(), attribute.name);
        member = *value;
      } else {
        member = std::string(*taken);
      }
    }
    return absl::OkStatus();
  }
}

template <typename Entry>
constexpr bool HasOptionalMember(const Entry& attribute) {
  const auto is_optional = [](const auto& part) {
    using Part = std::remove_cvref_t<decltype(part)>;
    if constexpr (kIsMember<Part>) {
      return value_internal::kIsOptional<ValueOfPart<Part>>;
    } else {
      return false;
    }
  };
  return std::apply([&](const auto&... part) { return (is_optional(part) || ...); },
                    attribute.parts);
}

// Checks a constant, or takes a composed text apart into the object.
template <typename Entry, typename T>
absl::Status ReadComposed(const Entry& attribute, ItemView item, bool may_be_absent, T* object) {
  const std::optional<ValueView> value = item.Find(attribute.name);
  if (!value) {
    return may_be_absent || HasOptionalMember(attribute) ? absl::OkStatus()
                                                         : value_internal::Absent(attribute.name);
  }
  const absl::StatusOr<std::string_view> whole = value->As<std::string_view>();
  if (!whole.ok()) return value_internal::WithName(whole.status(), attribute.name);
  ComposedText text(attribute.name, *whole);
  return [&]<size_t... i>(std::index_sequence<i...>) {
    absl::Status status;
    static_cast<void>((... && (status = TakePart<i>(attribute, &text, object), status.ok())));
    return status.ok() ? text.CheckEnd() : status;
  }
  (std::make_index_sequence<Entry::kParts>());
}

template <typename Entry, typename T>
absl::Status ReadPlain(const Entry& attribute, ItemView item, bool may_be_absent, T* object) {
  auto& member = object->*MemberOf(std::get<0>(attribute.parts));
  using V = std::remove_cvref_t<decltype(member)>;
  const std::optional<ValueView> value = item.Find(attribute.name);
  if (!value) {
    // A composed attribute may have said what it is.
    const bool is_empty = value_internal::kIsOptional<V> || value_internal::IsAbsent(V());
    return may_be_absent || is_empty ? absl::OkStatus() : value_internal::Absent(attribute.name);
  }
  if constexpr (kIsList<Bare<V>>) {
    // A set that was read would be written back as a list.
    const absl::Status status = value_internal::CheckType(*value, Type::kList);
    if (!status.ok()) return value_internal::WithName(status, attribute.name);
  }
  absl::StatusOr<V> read = value->As<V>();
  if (!read.ok()) return value_internal::WithName(read.status(), attribute.name);
  member = *std::move(read);
  return absl::OkStatus();
}

// First the composed attributes, then the plain ones, whose members count more. What an index needs
// may be absent.
template <typename T>
absl::Status ReadAttributes(ItemView item, T* object) {
  absl::Status status;
  const auto pass = [&](bool plain, bool may_be_absent) {
    return [&status, item, object, plain, may_be_absent](const auto& attribute) {
      using Entry = std::remove_cvref_t<decltype(attribute)>;
      if (!status.ok() || Entry::kIsPlain != plain) return;
      if constexpr (Entry::kIsPlain) {
        status = ReadPlain(attribute, item, may_be_absent, object);
      } else {
        status = ReadComposed(attribute, item, may_be_absent, object);
      }
    };
  };
  ForEachOfIndexes<T>(pass(false, true));
  ForEachOwn<T>(pass(false, false));
  ForEachOfIndexes<T>(pass(true, true));
  ForEachOwn<T>(pass(true, false));
  return status;
}

// Whether an attribute of that name is described.
template <typename T>
bool IsDescribed(std::string_view name) {
  bool is_described = false;
  ForEachAttribute<T>([&](const auto& attribute) { is_described |= attribute.name == name; });
  return is_described;
}

// Calls `function` with the member for all other attributes, if there is one.
template <typename T, typename Function>
void WithOthers(Function function) {
  std::apply(
      [&](const auto&... entry) {
        const auto visit = [&](const auto& one) {
          if constexpr (kIsOthers<std::remove_cvref_t<decltype(one)>>) function(one.member);
        };
        (visit(entry), ...);
      },
      kFields<T>.entries);
}

// The calling thread's builder, empty. It keeps the memory of the largest item that it has built.
ItemBuilder& ReusedBuilder();

template <typename T>
absl::Status WriteObject(const T& object, ItemBuilder* to) {
  to->BeginMap();
  WithOthers<T>([&](Item T::*member) {
    for (const auto& [name, value] : object.*member) {
      if (IsDescribed<T>(name)) continue;
      to->Key(name);
      to->Copy(value);
    }
  });
  absl::Status status;
  ForEachAttribute<T>([&](const auto& attribute) {
    if (status.ok()) status = WriteAttribute(attribute, object, to);
  });
  to->EndMap();
  return status;
}

template <typename T>
absl::StatusOr<T> ReadObject(ItemView item) {
  T object{};
  if (absl::Status status = ReadAttributes(item, &object); !status.ok()) return status;
  WithOthers<T>([&](Item T::*member) {
    ItemBuilder others;
    others.BeginMap();
    for (const auto& [name, value] : item) {
      if (IsDescribed<T>(name)) continue;
      others.Key(name);
      others.Copy(value);
    }
    others.EndMap();
    object.*member = others.FinishItem();
  });
  return object;
}

}  // namespace internal

// The item that stands for the object. Errors: kInvalidArgument or kOutOfRange naming the attribute
// whose composed text could not be read back; the service's ValidationException for a number beyond
// its range.
template <Mapped T>
absl::StatusOr<Item> ToItem(const T& object) {
  ItemBuilder& builder = internal::ReusedBuilder();
  if (absl::Status status = internal::WriteObject(object, &builder); !status.ok()) return status;
  return builder.FinishItem();
}

// The object for which the item stands; attributes that are not described are passed over. Errors,
// which name the attribute: kNotFound if it is absent; those of ValueView::As; kInvalidArgument for
// another constant or text.
template <Mapped T>
absl::StatusOr<T> FromItem(ItemView item) {
  return internal::ReadObject<T>(item);
}
template <Mapped T>
absl::StatusOr<T> FromItem(const Item& item) {
  return internal::ReadObject<T>(item.view());
}

// Whether the item is a T and not another struct of the same table: constants and composed texts
// are as described. An item whose other attributes are damaged is one, too.
template <Mapped T>
bool Is(ItemView item) {
  bool is = true;
  T object{};
  internal::ForEachOwn<T>([&](const auto& attribute) {
    using Entry = std::remove_cvref_t<decltype(attribute)>;
    if constexpr (!Entry::kIsPlain) {
      is = is && internal::ReadComposed(attribute, item, false, &object).ok();
    }
  });
  return is;
}
template <Mapped T>
bool Is(const Item& item) {
  return Is<T>(item.view());
}

}  // namespace dynolith::typed

namespace dynolith::value_internal {

template <typed::Mapped T>
struct TypedReader<T> {
  static absl::StatusOr<T> Read(ValueView value) {
    if (const absl::Status status = CheckType(value, Type::kMap); !status.ok()) return status;
    return typed::internal::ReadObject<T>(value.map());
  }
};

template <typed::Mapped T>
struct TypedWriter<T> {
  static absl::Status Write(const T& object, ItemBuilder* to) {
    return typed::internal::WriteObject(object, to);
  }
};

template <typed::Named E>
struct TypedReader<E> {
  static absl::StatusOr<E> Read(ValueView value) {
    const absl::StatusOr<std::string_view> text = value.As<std::string_view>();
    if (!text.ok()) return text.status();
    return typed::internal::ValueOfName<E>(*text);
  }
};

template <typed::Named E>
struct TypedWriter<E> {
  static absl::Status Write(E value, ItemBuilder* to) {
    const absl::StatusOr<std::string_view> text = typed::internal::TextOfName(value);
    if (!text.ok()) return text.status();
    to->String(*text);
    return absl::OkStatus();
  }
};

}  // namespace dynolith::value_internal

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_TYPED_FIELDS_H_
