// Building items: the builder of engine/value for C, where nobody looks at what each step returns.
#include <charconv>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "api/c/error_handle.h"
#include "api/c/item_check.h"
#include "api/c/messages.h"
#include "dynolith/dynolith.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/value/item.h"
#include "engine/value/messages.h"
#include "engine/value/set_members.h"

struct dynolith_builder {
 public:
  // One step of the caller: runs `add`, unless an earlier step has failed or the `bytes` of this
  // one make the item too large.
  template <typename Add>
  void Step(size_t bytes, Add add) noexcept {
    if (!error_.ok()) return;
    try {
      Begin();
      error_ = Weigh(bytes);
      if (error_.ok()) error_ = add();
    } catch (...) {
      is_out_of_memory_ = true;
      error_ = absl::ResourceExhaustedError("");
    }
  }

  absl::Status Key(std::string_view name);
  // What a value has to be where it stands.
  absl::Status AddValue(dynolith::Type type);
  absl::Status AddText(dynolith::Type type, std::string_view payload);
  absl::Status AddNumber(std::string_view text);
  absl::Status BeginSet(int32_t type);
  absl::Status BeginContainer(dynolith::Type type);
  absl::Status End();
  absl::Status Finish(dynolith_item* item);
  void Reset();

  bool is_out_of_memory() const { return is_out_of_memory_; }
  dynolith::ItemBuilder* values() { return &values_; }

 private:
  void Begin();
  absl::Status Weigh(size_t bytes);
  absl::Status EndSet();
  bool is_in_set() const { return set_type_ != dynolith::Type::kNull; }

  dynolith::ItemBuilder values_;
  std::vector<dynolith::Type> open_;  // lists and maps, first the item
  bool has_key_ = false;
  dynolith::Type set_type_ = dynolith::Type::kNull;  // of the set that is open; else kNull
  std::string members_;                              // side by side
  std::vector<size_t> member_ends_;
  std::vector<std::string_view> member_views_;
  size_t weight_ = 0;
  absl::Status error_;
  bool is_out_of_memory_ = false;
};

namespace dynolith::c {
namespace {

// Beside the bytes of a name or a value, so that the memory of the smallest ones is bounded, too.
constexpr size_t kStepWeight = 32;

Type SetMemberType(Type set_type) { return value_internal::MemberType(set_type); }

absl::Status Misplaced(std::string_view why) { return absl::InvalidArgumentError(ToAbsl(why)); }

// As the service's error lists them.
absl::Status RepeatedMembers(Type set_type, absl::Span<const std::string_view> members) {
  std::vector<std::string> encoded;
  std::vector<std::string_view> texts(members.begin(), members.end());
  if (set_type == Type::kBinarySet) {
    encoded.reserve(members.size());
    for (std::string_view& text : texts) {
      encoded.push_back(absl::Base64Escape(ToAbsl(text)));
      text = encoded.back();
    }
  }
  return CheckDistinct(set_type, members, texts, ValueLayer::kCurrent);
}

}  // namespace
}  // namespace dynolith::c

using dynolith::Type;
using dynolith::c::Misplaced;

void dynolith_builder::Begin() {
  if (!open_.empty()) return;
  values_.Reset();
  values_.BeginMap();
  open_.push_back(Type::kMap);
}

absl::Status dynolith_builder::Weigh(size_t bytes) {
  weight_ += bytes + dynolith::c::kStepWeight;
  if (bytes <= dynolith::kRequestBytesMax && weight_ <= dynolith::kRequestBytesMax) {
    return absl::OkStatus();
  }
  return dynolith::ValidationError(dynolith::messages::ItemTooLarge());
}

absl::Status dynolith_builder::Key(std::string_view name) {
  if (is_in_set() || open_.back() != Type::kMap || has_key_) {
    return Misplaced(dynolith::messages::KeyMisplaced(name));
  }
  values_.Key(name);
  has_key_ = true;
  return absl::OkStatus();
}

absl::Status dynolith_builder::AddValue(Type type) {
  if (is_in_set()) {
    if (type == dynolith::c::SetMemberType(set_type_)) return absl::OkStatus();
    return Misplaced(dynolith::messages::NotAMember(TypeName(type), TypeName(set_type_)));
  }
  if (open_.back() == Type::kList) return absl::OkStatus();
  if (!has_key_) return Misplaced(dynolith::messages::ValueWithoutKey());
  has_key_ = false;
  return absl::OkStatus();
}

absl::Status dynolith_builder::AddText(Type type, std::string_view payload) {
  DYNOLITH_RETURN_IF_ERROR(AddValue(type));
  if (is_in_set()) {
    members_.append(payload);
    member_ends_.push_back(members_.size());
  } else if (type == Type::kString) {
    values_.String(payload);
  } else if (type == Type::kBinary) {
    values_.Binary(payload);
  } else {
    values_.NumberEncoded(payload);
  }
  return absl::OkStatus();
}

absl::Status dynolith_builder::AddNumber(std::string_view text) {
  DYNOLITH_ASSIGN_OR_RETURN(const dynolith::NumberBytes number, dynolith::EncodeNumber(text));
  return AddText(Type::kNumber, number.view());
}

absl::Status dynolith_builder::BeginSet(int32_t type) {
  if (type < DYNOLITH_STRING_SET || type > DYNOLITH_BINARY_SET) {
    return Misplaced(dynolith::messages::NotASetType(type));
  }
  const auto set_type = static_cast<Type>(type);
  if (is_in_set()) return Misplaced(dynolith::messages::NotAMember("a set", TypeName(set_type_)));
  DYNOLITH_RETURN_IF_ERROR(AddValue(set_type));
  set_type_ = set_type;
  members_.clear();
  member_ends_.clear();
  return absl::OkStatus();
}

absl::Status dynolith_builder::BeginContainer(Type type) {
  DYNOLITH_RETURN_IF_ERROR(AddValue(type));
  open_.push_back(type);
  if (type == Type::kList) {
    values_.BeginList();
  } else {
    values_.BeginMap();
  }
  return absl::OkStatus();
}

absl::Status dynolith_builder::End() {
  if (is_in_set()) return EndSet();
  if (open_.size() == 1) return Misplaced(dynolith::messages::NothingToEnd());
  if (has_key_) return Misplaced(dynolith::messages::KeyWithoutValue());
  if (open_.back() == Type::kList) {
    values_.EndList();
  } else {
    values_.EndMap();
  }
  open_.pop_back();
  return absl::OkStatus();
}

absl::Status dynolith_builder::EndSet() {
  const Type type = std::exchange(set_type_, Type::kNull);
  if (member_ends_.empty()) return dynolith::ValidationError(dynolith::messages::EmptySet(type));
  member_views_.clear();
  size_t begin = 0;
  for (const size_t end : member_ends_) {
    member_views_.push_back(std::string_view(members_).substr(begin, end - begin));
    begin = end;
  }
  if (values_.SetIfDistinct(type, member_views_)) return absl::OkStatus();
  return dynolith::c::RepeatedMembers(type, member_views_);
}

absl::Status dynolith_builder::Finish(dynolith_item* item) {
  DYNOLITH_RETURN_IF_ERROR(error_);
  Begin();
  if (is_in_set() || open_.size() > 1) return Misplaced(dynolith::messages::SomethingLeftOpen());
  if (has_key_) return Misplaced(dynolith::messages::KeyWithoutValue());
  values_.EndMap();
  *item = dynolith::c::Lent(values_.FinishItemView());
  return absl::OkStatus();
}

void dynolith_builder::Reset() {
  open_.clear();
  has_key_ = false;
  set_type_ = Type::kNull;
  weight_ = 0;
  error_ = absl::OkStatus();
  is_out_of_memory_ = false;
}

dynolith_builder* dynolith_builder_new(void) {
  try {
    return new dynolith_builder;
  } catch (...) {
    return nullptr;
  }
}

void dynolith_builder_free(dynolith_builder* builder) { delete builder; }

void dynolith_builder_key(dynolith_builder* builder, const char* name, size_t name_size) {
  builder->Step(name_size, [&] { return builder->Key({name, name_size}); });
}

void dynolith_builder_null(dynolith_builder* builder) {
  builder->Step(0, [&]() -> absl::Status {
    DYNOLITH_RETURN_IF_ERROR(builder->AddValue(Type::kNull));
    builder->values()->Null();
    return absl::OkStatus();
  });
}

void dynolith_builder_bool(dynolith_builder* builder, int32_t is_true) {
  builder->Step(0, [&]() -> absl::Status {
    DYNOLITH_RETURN_IF_ERROR(builder->AddValue(Type::kBool));
    builder->values()->Bool(is_true != 0);
    return absl::OkStatus();
  });
}

void dynolith_builder_string(dynolith_builder* builder, const char* text, size_t size) {
  builder->Step(size, [&] { return builder->AddText(Type::kString, {text, size}); });
}

void dynolith_builder_binary(dynolith_builder* builder, const char* bytes, size_t size) {
  builder->Step(size, [&] { return builder->AddText(Type::kBinary, {bytes, size}); });
}

void dynolith_builder_number(dynolith_builder* builder, const char* text, size_t size) {
  builder->Step(size, [&] { return builder->AddNumber({text, size}); });
}

void dynolith_builder_int64(dynolith_builder* builder, int64_t number) {
  builder->Step(0, [&] {
    const dynolith::NumberBytes encoded = dynolith::Number::FromInt64(number).Encode();
    return builder->AddText(Type::kNumber, encoded.view());
  });
}

void dynolith_builder_double(dynolith_builder* builder, double number) {
  builder->Step(0, [&] {
    char text[32];  // the longest is -2.2250738585072014e-308
    const char* const end = std::to_chars(text, text + sizeof text, number).ptr;
    return builder->AddNumber({text, static_cast<size_t>(end - text)});
  });
}

void dynolith_builder_value(dynolith_builder* builder, const dynolith_value* value) {
  builder->Step(value->size, [&]() -> absl::Status {
    const dynolith::ValueView view = dynolith::c::ToView(*value);
    if (dynolith::IsOrdered(view.type())) return builder->AddText(view.type(), view.payload());
    DYNOLITH_RETURN_IF_ERROR(builder->AddValue(view.type()));
    builder->values()->Copy(view);
    return absl::OkStatus();
  });
}

void dynolith_builder_begin_list(dynolith_builder* builder) {
  builder->Step(0, [&] { return builder->BeginContainer(Type::kList); });
}

void dynolith_builder_begin_map(dynolith_builder* builder) {
  builder->Step(0, [&] { return builder->BeginContainer(Type::kMap); });
}

void dynolith_builder_begin_set(dynolith_builder* builder, int32_t type) {
  builder->Step(0, [&] { return builder->BeginSet(type); });
}

void dynolith_builder_end(dynolith_builder* builder) {
  builder->Step(0, [&] { return builder->End(); });
}

dynolith_error* dynolith_builder_finish(dynolith_builder* builder, dynolith_item* item) {
  *item = {nullptr, 0};
  if (builder->is_out_of_memory()) {
    builder->Reset();
    return dynolith::c::OutOfMemory();
  }
  dynolith_error* const error = dynolith::c::Guarded([&] { return builder->Finish(item); });
  builder->Reset();
  return error;
}

void dynolith_builder_reset(dynolith_builder* builder) { builder->Reset(); }
