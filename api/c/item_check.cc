#include "api/c/item_check.h"

#include "api/c/error_handle.h"
#include "api/c/messages.h"
#include "api/json/item_line.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/value/byte_walker.h"
#include "engine/value/messages.h"

namespace dynolith::c {
namespace {

// Checks what the walk itself does not.
class ItemRules {
 public:
  explicit ItemRules(std::string_view bytes) : bytes_(bytes) {}

  void OnTag(size_t /*begin*/, size_t depth, Type type) {
    const bool nests = type == Type::kList || type == Type::kMap;
    // The item itself is the first level.
    if (nests && depth > static_cast<size_t>(kNestingDepthMax)) is_too_deep_ = true;
  }
  void OnScalar(size_t begin, size_t end, size_t /*depth*/, Type type) {
    if (type == Type::kString) LookAt(begin, end);
  }
  void OnDirectory(size_t, size_t, size_t, Type, size_t) {}
  void OnName(size_t begin, size_t end, size_t /*depth*/) {
    if (begin == end) has_empty_name_ = true;
    LookAt(begin, end);
  }
  void OnMember(size_t begin, size_t end, size_t /*depth*/, Type set_type) {
    if (set_type == Type::kStringSet) LookAt(begin, end);
  }

  absl::Status status() const {
    if (is_no_text_) return absl::InvalidArgumentError(messages::TextIsNotUtf8(no_text_));
    if (has_empty_name_) return ValidationError(messages::EmptyAttributeName());
    if (is_too_deep_) return ValidationError(messages::NestingTooDeep());
    return absl::OkStatus();
  }

 private:
  void LookAt(size_t begin, size_t end) {
    if (is_no_text_ || IsUtf8(bytes_.substr(begin, end - begin))) return;
    is_no_text_ = true;
    no_text_ = begin;
  }

  const std::string_view bytes_;
  bool is_no_text_ = false;
  size_t no_text_ = 0;  // where it begins
  bool has_empty_name_ = false;
  bool is_too_deep_ = false;
};

}  // namespace

absl::StatusOr<ItemView> CheckItem(std::string_view bytes) {
  ItemRules rules(bytes);
  const auto damage = value_internal::ByteWalker(bytes, &rules).WalkItem();
  if (damage) {
    return absl::InvalidArgumentError(messages::Damaged(damage->what, damage->position));
  }
  if (absl::Status status = rules.status(); !status.ok()) return status;
  return ItemView::Unchecked(bytes);
}

absl::StatusOr<ItemView> CheckItem(std::string_view name, const dynolith_item* item) {
  if (item == nullptr || item->data == nullptr) {
    return absl::InvalidArgumentError(messages::ArgumentMissing(name));
  }
  return CheckItem({item->data, item->size});
}

}  // namespace dynolith::c

dynolith_error* dynolith_item_check(const char* data, size_t size, dynolith_item* item) {
  return dynolith::c::Guarded([&]() -> absl::Status {
    const auto view = dynolith::c::CheckItem(std::string_view(data, size));
    if (!view.ok()) return view.status();
    *item = dynolith::c::Lent(*view);
    return absl::OkStatus();
  });
}
