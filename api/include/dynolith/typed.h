// A table's items as structs. Members, types of values and keys are checked by the compiler; the
// requests are those of database.h.
//
//   using namespace dynolith::typed;
//   Table<Song> songs(database.get(), "music");              // Song: dynolith/typed_fields.h
//   database->CreateTable(songs.Definition());
//
//   songs.Put({.artist = "Ray", .title = "Hi"});
//   absl::StatusOr<std::optional<Song>> song = songs.Get({"Ray", "Hi"});
//   absl::StatusOr<Song> played = songs.Update(
//       {"Ray", "Hi"}, {Set(At<&Song::plays>, At<&Song::plays> + 1)}, At<&Song::plays> < 100);
//
//   auto found = songs.Query({"Ray", StartsWith("H")}, {.filter = At<&Song::plays> > 10});
//   for (const Song& song : found) ...
//   if (!found.status().ok()) ...
//
//   for (const Song& song : songs.Query<"by-plays">({AtLeast(1'000)})) ...
//
// Several structs may share one table: constants and the texts in composed keys tell them apart,
// and queries and scans pass over items of others. Every call may be made from many threads at
// once.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_TYPED_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_TYPED_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dynolith/database.h"
#include "dynolith/pager.h"
#include "dynolith/requests.h"
#include "dynolith/typed_expressions.h"
#include "dynolith/typed_fields.h"

namespace dynolith::typed {

namespace internal {

// --- The attributes of keys

template <size_t n>
struct FixedText {
  constexpr FixedText(const char (&literal)[n]) {  // NOLINT: a literal is meant
    for (size_t i = 0; i < n; ++i) text[i] = literal[i];
  }
  constexpr std::string_view view() const { return {text, n - 1}; }
  char text[n] = {};
};
inline constexpr FixedText kNoIndex = "";

template <Role role, typename Entry>
constexpr auto WithRole(const Entry& entry) {
  if constexpr (kIsAttribute<Entry>) {
    if constexpr (Entry::kRole == role)
      return std::make_tuple(entry);
    else
      return std::tuple<>();
  } else {
    return std::tuple<>();
  }
}

template <FixedText index, size_t i, typename T>
constexpr auto IndexAt() {
  using Entry = std::remove_cvref_t<decltype(std::get<i>(kFields<T>.entries))>;
  if constexpr (kIsIndex<Entry>) {
    if constexpr (std::get<i>(kFields<T>.entries).name == index.view()) {
      return std::get<i>(kFields<T>.entries).keys;
    } else {
      return std::tuple<>();
    }
  } else {
    return std::tuple<>();
  }
}

// The attributes of the key of a table, or of one of its indexes, as a tuple of one or two.
template <typename T, FixedText index>
constexpr auto KeyAttributes() {
  if constexpr (index.view().empty()) {
    return std::apply(
        [](const auto&... entry) {
          return std::tuple_cat(WithRole<Role::kPartition>(entry)...,
                                WithRole<Role::kSort>(entry)...);
        },
        kFields<T>.entries);
  } else {
    constexpr size_t kEntries = std::tuple_size_v<decltype(kFields<T>.entries)>;
    return []<size_t... i>(std::index_sequence<i...>) {
      return std::tuple_cat(IndexAt<index, i, T>()...);
    }
    (std::make_index_sequence<kEntries>());
  }
}

template <typename Part>
constexpr auto MemberOfPart(const Part& part) {
  if constexpr (kIsMember<Part>)
    return std::make_tuple(MemberOf(part));
  else
    return std::tuple<>();
}
template <typename Entry>
constexpr auto MembersOf(const Entry& attribute) {
  return std::apply([](const auto&... part) { return std::tuple_cat(MemberOfPart(part)...); },
                    attribute.parts);
}
template <typename Left, typename Right>
constexpr bool AreSame(const Left& left, const Right& right) {
  if constexpr (std::same_as<Left, Right>) return left == right;
  return false;
}
constexpr bool AreDistinct() { return true; }
template <typename First, typename... Rest>
constexpr bool AreDistinct(const First& first, const Rest&... rest) {
  return (!AreSame(first, rest) && ...) && AreDistinct(rest...);
}
// The members of a key in order.
template <typename T, FixedText index>
constexpr auto KeyMembers() {
  constexpr auto kMembers =
      std::apply([](const auto&... key) { return std::tuple_cat(MembersOf(key)...); },
                 KeyAttributes<T, index>());
  static_assert(std::apply([](const auto&... member) { return AreDistinct(member...); }, kMembers),
                "a member is a part of the key twice");
  return kMembers;
}

template <typename T>
concept WithKey = Mapped<T> && std::tuple_size_v<decltype(KeyAttributes<T, kNoIndex>())> >
0;

template <typename Member>
struct MemberValue;
template <typename Owner, typename V>
struct MemberValue<V Owner::*> {
  using type = V;
};

// Stores the first members of the key.
template <typename T, FixedText index, typename... Values>
absl::Status AssignKey(T* object, const Values&... values) {
  constexpr auto kMembers = KeyMembers<T, index>();
  static_assert(sizeof...(Values) <= std::tuple_size_v<decltype(kMembers)>,
                "the key has fewer members");
  return [&]<size_t... i>(std::index_sequence<i...>) {
    absl::Status status;
    const auto assign = [object, &status](auto member, const auto& value) {
      using V = Bare<typename MemberValue<decltype(member)>::type>;
      using X = std::decay_t<decltype(value)>;
      static_assert(Holds<V, X>, "a part of the key is of another type");
      if constexpr (Holds<V, X>) status.Update(StoreIn(&(object->*member), value));
    };
    static_cast<void>(assign);
    (assign(std::get<i>(kMembers), values), ...);
    return status;
  }
  (std::make_index_sequence<sizeof...(Values)>());
}

template <typename T, FixedText index>
absl::StatusOr<Item> KeyItem(const T& object) {
  ItemBuilder& builder = ReusedBuilder();
  builder.BeginMap();
  absl::Status status;
  std::apply(
      [&](const auto&... key) {
        static_cast<void>((... && (status = WriteAttribute(key, object, &builder), status.ok())));
      },
      KeyAttributes<T, index>());
  builder.EndMap();
  if (!status.ok()) return status;
  return builder.FinishItem();
}

}  // namespace internal

// A whole key: the values of the members that it consists of, in the order of the fields.
template <internal::WithKey T>
class Key {
 public:
  // Implicit, so that a call reads Get({"Ray", "Hi"}).
  template <typename... Values>
  requires(sizeof...(Values) ==
           std::tuple_size_v<decltype(internal::KeyMembers<T, internal::kNoIndex>())>)
      Key(const Values&... values)  // NOLINT(google-explicit-constructor)
      : item_(Make(values...)) {}

  static Key Of(const T& object) {
    return Key(internal::KeyItem<T, internal::kNoIndex>(object), nullptr);
  }

  // Errors: those of ToItem.
  const absl::StatusOr<Item>& item() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return item_; }

 private:
  Key(absl::StatusOr<Item> item, std::nullptr_t) : item_(std::move(item)) {}

  template <typename... Values>
  static absl::StatusOr<Item> Make(const Values&... values) {
    T object{};
    absl::Status status = internal::AssignKey<T, internal::kNoIndex>(&object, values...);
    if (!status.ok()) return status;
    return internal::KeyItem<T, internal::kNoIndex>(object);
  }

  absl::StatusOr<Item> item_;
};

// --- Ranges of the next member of a sort key

namespace internal {

enum class RangeKind { kAtLeast, kAbove, kBelow, kAtMost, kWithin };

template <typename V>
struct Range {
  using RangeValue = V;
  RangeKind kind;
  V first;
  V last;  // of kWithin
};
// Texts with a beginning.
struct Beginning {
  using RangeValue = std::string;
  std::string text;
};

// Texts are kept.
template <typename X>
using Kept = std::conditional_t<std::convertible_to<X, std::string_view>, std::string, X>;

template <typename X>
concept IsRange = requires {
  typename X::RangeValue;
};

}  // namespace internal

// Texts that begin with this one: also of a member that is not the last one.
inline internal::Beginning StartsWith(std::string_view beginning) {
  return {std::string(beginning)};
}
template <typename X>
internal::Range<internal::Kept<X>> AtLeast(const X& least) {
  return {internal::RangeKind::kAtLeast, internal::Kept<X>(least), {}};
}
template <typename X>
internal::Range<internal::Kept<X>> Above(const X& bound) {
  return {internal::RangeKind::kAbove, internal::Kept<X>(bound), {}};
}
template <typename X>
internal::Range<internal::Kept<X>> Below(const X& bound) {
  return {internal::RangeKind::kBelow, internal::Kept<X>(bound), {}};
}
template <typename X>
internal::Range<internal::Kept<X>> AtMost(const X& greatest) {
  return {internal::RangeKind::kAtMost, internal::Kept<X>(greatest), {}};
}
// From `least` to `greatest`, both included.
template <typename X, typename Y>
internal::Range<internal::Kept<X>> Within(const X& least, const Y& greatest) {
  static_assert(std::same_as<internal::Kept<X>, internal::Kept<Y>>, "the ends are of two types");
  return {internal::RangeKind::kWithin, internal::Kept<X>(least), internal::Kept<X>(greatest)};
}

namespace internal {

// A query's key condition.
struct KeyCondition {
  Expression expression;
  // A composed sort key which the range excludes, although its condition, with BETWEEN, includes
  // it.
  std::optional<std::string> excluded;
  std::string_view sort_attribute;
  absl::Status status;
};

void AddBeginning(std::string_view attribute, std::string_view beginning, KeyCondition* to);
// The range of a composed sort key: `before` is the text before the member that it is of, `first`
// and `last` are whole texts.
void AddTextRange(std::string_view attribute, RangeKind kind, const std::string& before,
                  const std::string& first, const std::string& last, KeyCondition* to);
void AddRange(std::string_view attribute, RangeKind kind, const absl::StatusOr<Value>& first,
              const absl::StatusOr<Value>& last, KeyCondition* to);

// Whether texts of the attribute have the order of its last member.
template <typename Entry>
constexpr bool EndsInMember() {
  using Parts = decltype(Entry::parts);
  return []<size_t... i>(std::index_sequence<i...>) {
    bool ends_in_member = false;
    bool is_padded = false;
    const auto look = [&]<typename Part>(std::type_identity<Part>) {
      ends_in_member = kIsMember<Part>;
      if (kIsMember<Part>) is_padded = PartTraits<Part>::kIsPadded;
    };
    (look(std::type_identity<std::tuple_element_t<i, Parts>>()), ...);
    return ends_in_member || is_padded;
  }
  (std::make_index_sequence<Entry::kParts>());
}

// The attribute's whole text with this value of its last member.
template <typename Entry, typename T, typename V>
absl::StatusOr<std::string> TextWithLast(const Entry& attribute, T object, const V& value) {
  const auto member = std::get<Entry::kMembers - 1>(MembersOf(attribute));
  using M = Bare<typename MemberValue<std::remove_const_t<decltype(member)>>::type>;
  static_assert(Holds<M, V>, "the range is of another type than the member of the sort key");
  if constexpr (Holds<M, V>) {
    if (absl::Status status = StoreIn(&(object.*member), value); !status.ok()) return status;
  }
  std::string text;
  absl::Status status = Compose(attribute, object, Entry::kMembers, &text);
  if (!status.ok()) return status;
  return text;
}

}  // namespace internal

// The partition of a query and, after it, the first members of the sort key and a range of the next
// one. Only the last member of a composed sort key has ranges, except for StartsWith.
template <internal::WithKey T, internal::FixedText index = internal::kNoIndex>
class KeyRange {
 public:
  template <typename... Values>
  KeyRange(const Values&... values) {  // NOLINT(google-explicit-constructor)
    constexpr auto kKey = internal::KeyAttributes<T, index>();
    static_assert(std::tuple_size_v<decltype(kKey)> > 0, "the struct has no such index");
    Build(std::make_index_sequence<Plain<Values...>()>(), std::tie(values...));
  }

  const internal::KeyCondition& condition() const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return condition_;
  }

 private:
  template <typename... Values>
  static constexpr size_t Plain() {
    return (size_t{!internal::IsRange<Values>} + ... + 0);
  }

  template <size_t... i, typename Tuple>
  void Build(std::index_sequence<i...>, const Tuple& values) {
    constexpr auto kKey = internal::KeyAttributes<T, index>();
    using Partition = std::tuple_element_t<0, decltype(kKey)>;
    constexpr size_t kGiven = sizeof...(i);
    static_assert(kGiven >= Partition::kMembers, "a query needs all of the partition key");
    T object{};
    condition_.status = internal::AssignKey<T, index>(&object, std::get<i>(values)...);
    AddEqual(std::get<0>(kKey), object);
    constexpr bool kHasRange = std::tuple_size_v < Tuple >> kGiven;
    if constexpr (std::tuple_size_v < decltype(kKey) >> 1) {
      constexpr size_t kOfSort = kGiven - Partition::kMembers;
      if constexpr (kHasRange) {
        static_assert(std::tuple_size_v<Tuple> == kGiven + 1, "a range is the last one");
        AddRange<kOfSort>(std::get<1>(kKey), object, std::get<kGiven>(values));
      } else {
        AddBeginning<kOfSort>(std::get<1>(kKey), object);
      }
    } else {
      static_assert(!kHasRange, "there is no sort key that a range could be of");
    }
  }

  template <typename Entry>
  absl::StatusOr<Value> ValueOf(const Entry& attribute, const T& object) {
    if constexpr (Entry::kIsPlain) {
      return ToValue(object.*internal::MemberOf(std::get<0>(attribute.parts)));
    } else {
      std::string text;
      absl::Status status = internal::Compose(attribute, object, Entry::kMembers, &text);
      if (!status.ok()) return status;
      return Value::S(text);
    }
  }

  template <typename Entry>
  void AddEqual(const Entry& attribute, const T& object) {
    if (!condition_.expression.empty()) condition_.expression.Text(" AND ");
    condition_.expression.Name(attribute.name).Text(" = ").Operand(ValueOf(attribute, object));
  }

  template <size_t of_sort, typename Entry>
  void AddBeginning(const Entry& attribute, const T& object) {
    if constexpr (of_sort == Entry::kMembers) {
      AddEqual(attribute, object);
    } else if constexpr (!Entry::kIsPlain) {
      std::string before;
      condition_.status.Update(internal::Compose(attribute, object, of_sort, &before));
      if (before.empty()) return;
      internal::AddBeginning(attribute.name, before, &condition_);
    }
  }

  template <size_t of_sort, typename Entry>
  void AddRange(const Entry& attribute, const T& object, const internal::Beginning& beginning) {
    static_assert(of_sort < Entry::kMembers, "the sort key has no member left for a range");
    std::string before;
    if constexpr (Entry::kIsPlain) {
      using M =
          internal::Bare<internal::ValueOfPart<std::tuple_element_t<0, decltype(attribute.parts)>>>;
      static_assert(value_internal::Text<M> || Named<M>, "only texts have a beginning");
    } else {
      condition_.status.Update(internal::Compose(attribute, object, of_sort, &before));
    }
    internal::AddBeginning(attribute.name, before + beginning.text, &condition_);
  }

  template <size_t of_sort, typename Entry, typename V>
  void AddRange(const Entry& attribute, const T& object, const internal::Range<V>& range) {
    static_assert(of_sort < Entry::kMembers, "the sort key has no member left for a range");
    condition_.sort_attribute = attribute.name;
    if constexpr (Entry::kIsPlain) {
      using M =
          internal::Bare<internal::ValueOfPart<std::tuple_element_t<0, decltype(attribute.parts)>>>;
      static_assert(internal::Suits<M, V>, "the range is of another type than the sort key");
      internal::AddRange(attribute.name, range.kind, internal::LiteralValue<M>(range.first),
                         internal::LiteralValue<M>(range.last), &condition_);
    } else {
      static_assert(of_sort + 1 == Entry::kMembers,
                    "only the last member of a sort key has ranges, except for StartsWith");
      static_assert(internal::EndsInMember<Entry>(),
                    "a text behind the last member changes the order: it has no ranges");
      std::string before;
      condition_.status.Update(internal::Compose(attribute, object, of_sort, &before));
      const auto first = internal::TextWithLast(attribute, object, range.first);
      absl::StatusOr<std::string> last = std::string();
      if (range.kind == internal::RangeKind::kWithin) {
        last = internal::TextWithLast(attribute, object, range.last);
      }
      condition_.status.Update(first.status());
      condition_.status.Update(last.status());
      if (!condition_.status.ok()) return;
      internal::AddTextRange(attribute.name, range.kind, before, *first, *last, &condition_);
    }
  }

  internal::KeyCondition condition_;
};

// --- Pages

struct ReadOptions {
  bool consistent_read = false;
};

struct QueryOptions {
  Condition filter;
  bool forward = true;
  bool consistent_read = false;
  std::optional<int64_t> page_size;         // items that are read for a page
  std::optional<Item> exclusive_start_key;  // as page().last_evaluated_key of another pager
};

// The objects of all pages of a query or a scan, as Pager (dynolith/pager.h): a failure, also of an
// item that is a T but cannot be read as one, ends the loop early, and is to be looked at.
template <Mapped T, typename Request>
class [[nodiscard]] ObjectPager {
 public:
  ObjectPager(Database* database, Request request, std::string_view excluded_attribute,
              std::optional<std::string> excluded, absl::Status status)
      : pager_(database, std::move(request)),
        excluded_attribute_(excluded_attribute),
        excluded_(std::move(excluded)),
        status_(std::move(status)) {}
  ObjectPager(const ObjectPager&) = delete;
  ObjectPager& operator=(const ObjectPager&) = delete;

  class Iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;

    explicit Iterator(ObjectPager* pager) : pager_(pager) {}
    // Valid until the next increment.
    T& operator*() const { return *pager_->object_; }
    T* operator->() const { return &**this; }
    Iterator& operator++() {
      ++*pager_->position_;
      pager_->Seek();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& it, std::default_sentinel_t) { return it.IsAtEnd(); }

   private:
    bool IsAtEnd() const { return !pager_->object_.has_value(); }

    ObjectPager* pager_;
  };

  Iterator begin() ABSL_ATTRIBUTE_LIFETIME_BOUND {
    if (status_.ok() && !position_) {
      position_.emplace(pager_.begin());
      Seek();
    }
    return Iterator(this);
  }
  std::default_sentinel_t end() const { return {}; }

  // The reason for the end of the objects; OK when all of them were seen.
  const absl::Status& status() const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    const absl::Status& read = pager_.status();
    return status_.ok() ? read : status_;
  }
  const PageOutput& page() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return pager_.page(); }

 private:
  using Items = Pager<Request>;

  // Goes on to an item that is a T.
  void Seek() {
    object_.reset();
    for (; status_.ok() && *position_ != pager_.end(); ++*position_) {
      const ItemView item = (**position_).view();
      if (!Is<T>(item) || IsExcluded(item)) continue;
      absl::StatusOr<T> object = FromItem<T>(item);
      if (object.ok())
        object_ = *std::move(object);
      else
        status_ = object.status();
      return;
    }
  }
  bool IsExcluded(ItemView item) const {
    if (!excluded_) return false;
    const std::optional<ValueView> value = item.Find(excluded_attribute_);
    return value && value->type() == Type::kString && value->string() == *excluded_;
  }

  Items pager_;
  std::string_view excluded_attribute_;
  std::optional<std::string> excluded_;
  absl::Status status_;
  std::optional<typename Items::Iterator> position_;
  std::optional<T> object_;
};

// --- The table

namespace internal {

// The table with the struct's key and indexes, on demand.
struct KeyDefinition {
  std::string name;
  Type type = Type::kString;
  KeyType key_type = KeyType::kHash;
};
CreateTableRequest DefinitionOf(
    std::string table, const std::vector<KeyDefinition>& key,
    const std::vector<std::pair<std::string, std::vector<KeyDefinition>>>& indexes);

template <typename Entry>
KeyDefinition DefinitionOf(const Entry& attribute) {
  KeyDefinition definition{std::string(attribute.name)};
  if (Entry::kRole == Role::kSort) definition.key_type = KeyType::kRange;
  if constexpr (Entry::kIsPlain) {
    using V = Bare<ValueOfPart<std::tuple_element_t<0, decltype(attribute.parts)>>>;
    static_assert(value_internal::Numeric<V> || value_internal::Text<V> || Named<V> ||
                      std::same_as<V, std::vector<std::byte>>,
                  "a key is a text, a number or bytes");
    if constexpr (value_internal::Numeric<V>) definition.type = Type::kNumber;
    if constexpr (std::same_as<V, std::vector<std::byte>>) definition.type = Type::kBinary;
  }
  return definition;
}
template <typename Keys>
std::vector<KeyDefinition> DefinitionsOf(const Keys& keys) {
  return std::apply(
      [](const auto&... key) { return std::vector<KeyDefinition>{DefinitionOf(key)...}; }, keys);
}

// Gives the request its condition, and the placeholders of what has been written.
template <typename Request>
absl::Status AddCondition(const Condition& condition, ExpressionWriter* writer, Request* request) {
  if (!condition.empty()) {
    absl::StatusOr<std::string> text = writer->Write(condition.expression());
    if (!text.ok()) return text.status();
    request->condition_expression = *std::move(text);
  }
  writer->Finish(request);
  return absl::OkStatus();
}

template <typename Request>
absl::Status AddFilter(const QueryOptions& options, ExpressionWriter* writer, Request* request) {
  request->consistent_read = options.consistent_read;
  request->limit = options.page_size;
  request->exclusive_start_key = options.exclusive_start_key;
  absl::Status status;
  if (!options.filter.empty()) {
    absl::StatusOr<std::string> text = writer->Write(options.filter.expression());
    status = text.status();
    if (text.ok()) request->filter_expression = *std::move(text);
  }
  writer->Finish(request);
  return status;
}

template <typename Request>
absl::Status AddUpdate(absl::Span<const Change> changes, const Condition& condition,
                       Request* request) {
  ExpressionWriter writer;
  absl::StatusOr<std::string> text = writer.Write(Change::Join(changes));
  if (!text.ok()) return text.status();
  request->update_expression = *std::move(text);
  return AddCondition(condition, &writer, request);
}

}  // namespace internal

// Borrows the database. Errors of all calls: those of the database's own call; besides them, before
// anything is written, those of ToItem for objects, keys, and values of conditions and changes.
// What Update and Delete return has been written: their errors of FromItem come behind that.
template <internal::WithKey T>
class Table {
 public:
  Table(Database* database, std::string name) : database_(database), name_(std::move(name)) {}

  // For CreateTable: the key, the indexes, on demand.
  CreateTableRequest Definition() const {
    std::vector<std::pair<std::string, std::vector<internal::KeyDefinition>>> indexes;
    std::apply(
        [&](const auto&... entry) {
          const auto visit = [&](const auto& one) {
            if constexpr (internal::kIsIndex<std::remove_cvref_t<decltype(one)>>) {
              indexes.emplace_back(one.name, internal::DefinitionsOf(one.keys));
            }
          };
          (visit(entry), ...);
        },
        kFields<T>.entries);
    return internal::DefinitionOf(
        name_, internal::DefinitionsOf(internal::KeyAttributes<T, internal::kNoIndex>()), indexes);
  }

  absl::Status Put(const T& object, const Condition& condition = {}) const {
    absl::StatusOr<Item> item = ToItem(object);
    if (!item.ok()) return item.status();
    PutItemRequest request{.table_name = name_, .item = *std::move(item)};
    ExpressionWriter writer;
    absl::Status status = internal::AddCondition(condition, &writer, &request);
    if (status.ok()) status = database_->PutItem(request).status();
    return status;
  }
  // Unless there is one with this key: ConditionalCheckFailedException.
  absl::Status Insert(const T& object) const { return Put(object, KeyExists(false)); }

  absl::StatusOr<std::optional<T>> Get(const Key<T>& key, const ReadOptions& options = {}) const {
    if (!key.item().ok()) return key.item().status();
    std::optional<absl::StatusOr<T>> read;
    const auto found = database_->GetItem(
        {.table_name = name_, .key = *key.item(), .consistent_read = options.consistent_read},
        [&read](ItemView item) { read = FromItem<T>(item); });
    if (!found.ok()) return found.status();
    return Found(std::move(read));
  }

  // Returns what was deleted.
  absl::StatusOr<std::optional<T>> Delete(const Key<T>& key,
                                          const Condition& condition = {}) const {
    if (!key.item().ok()) return key.item().status();
    DeleteItemRequest request{
        .table_name = name_, .key = *key.item(), .return_values = ReturnValues::kAllOld};
    ExpressionWriter writer;
    if (absl::Status status = internal::AddCondition(condition, &writer, &request); !status.ok()) {
      return status;
    }
    const absl::StatusOr<WriteOutput> output = database_->DeleteItem(request);
    if (!output.ok()) return output.status();
    if (!output->attributes) return std::nullopt;
    return Found(FromItem<T>(*output->attributes));
  }

  // Changes an object that exists, and returns the new one. Else: ConditionalCheckFailedException.
  absl::StatusOr<T> Update(const Key<T>& key, const std::vector<Change>& changes,
                           const Condition& condition = {}) const {
    if (!key.item().ok()) return key.item().status();
    UpdateItemRequest request{
        .table_name = name_, .key = *key.item(), .return_values = ReturnValues::kAllNew};
    absl::Status status = internal::AddUpdate(changes, KeyExists(true) && condition, &request);
    if (!status.ok()) return status;
    const absl::StatusOr<WriteOutput> output = database_->UpdateItem(request);
    if (!output.ok()) return output.status();
    return FromItem<T>(output->attributes.value());
  }

  // The objects of a partition, or of a range in it, in the order of the sort key.
  template <internal::FixedText index = internal::kNoIndex>
  ObjectPager<T, QueryRequest> Query(const KeyRange<T, index>& range,
                                     const QueryOptions& options = {}) const {
    const internal::KeyCondition& condition = range.condition();
    QueryRequest request{.table_name = name_, .scan_index_forward = options.forward};
    if (!index.view().empty()) request.index_name = index.view();
    ExpressionWriter writer;
    absl::Status status = condition.status;
    if (absl::StatusOr<std::string> text = writer.Write(condition.expression); text.ok()) {
      request.key_condition_expression = *std::move(text);
    } else {
      status.Update(text.status());
    }
    status.Update(internal::AddFilter(options, &writer, &request));
    return {database_, std::move(request), condition.sort_attribute, condition.excluded, status};
  }
  // All objects, in no order.
  ObjectPager<T, ScanRequest> Scan(const QueryOptions& options = {}) const {
    ScanRequest request{.table_name = name_};
    ExpressionWriter writer;
    const absl::Status status = internal::AddFilter(options, &writer, &request);
    return {database_, std::move(request), {}, std::nullopt, status};
  }

  // --- Parts of a TransactWriteItemsRequest

  absl::StatusOr<TransactWriteItem> ToPut(const T& object, const Condition& condition = {}) const {
    return Action(&TransactWriteItem::put, ToItem(object), condition);
  }
  absl::StatusOr<TransactWriteItem> ToDelete(const Key<T>& key,
                                             const Condition& condition = {}) const {
    return Action(&TransactWriteItem::delete_item, key.item(), condition);
  }
  absl::StatusOr<TransactWriteItem> ToCheck(const Key<T>& key, const Condition& condition) const {
    return Action(&TransactWriteItem::condition_check, key.item(), condition);
  }
  absl::StatusOr<TransactWriteItem> ToUpdate(const Key<T>& key, const std::vector<Change>& changes,
                                             const Condition& condition = {}) const {
    if (!key.item().ok()) return key.item().status();
    TransactAction action{.table_name = name_, .item = *key.item()};
    absl::Status status = internal::AddUpdate(changes, KeyExists(true) && condition, &action);
    if (!status.ok()) return status;
    TransactWriteItem one;
    one.update = std::move(action);
    return one;
  }

  const std::string& name() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return name_; }

 private:
  static absl::StatusOr<std::optional<T>> Found(std::optional<absl::StatusOr<T>> read) {
    if (!read) return std::nullopt;
    if (!read->ok()) return read->status();
    return std::optional<T>(**std::move(read));
  }

  static Condition KeyExists(bool exists) {
    Expression expression(exists ? "attribute_exists(" : "attribute_not_exists(");
    expression.Name(std::get<0>(internal::KeyAttributes<T, internal::kNoIndex>()).name).Text(")");
    return Condition(std::move(expression), Condition::Binding::kPrimary);
  }

  absl::StatusOr<TransactWriteItem> Action(std::optional<TransactAction> TransactWriteItem::*kind,
                                           const absl::StatusOr<Item>& item,
                                           const Condition& condition) const {
    if (!item.ok()) return item.status();
    TransactAction action{.table_name = name_, .item = *item};
    ExpressionWriter writer;
    if (absl::Status status = internal::AddCondition(condition, &writer, &action); !status.ok()) {
      return status;
    }
    TransactWriteItem one;
    one.*kind = std::move(action);
    return one;
  }

  Database* const database_;
  const std::string name_;
};

}  // namespace dynolith::typed

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_TYPED_H_
