#include "api/json/constraints.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/limits.h"
#include "engine/model/constraint_checker.h"

namespace dynolith {
namespace {

// A JSON value, as ConstraintChecker sees it.
class JsonNode {
 public:
  class Members {
   public:
    Members(const Shape& shape, const JsonNode& node)
        : own_(std::in_place, shape, AsObject(node.value_)), fields_(&*own_) {}
    explicit Members(const Fields& fields) : fields_(&fields) {}
    Members(const Members&) = delete;
    Members& operator=(const Members&) = delete;

    std::optional<JsonNode> Find(int member) const {
      const JsonValue* value = fields_->Find(member);
      if (value == nullptr) return std::nullopt;
      return JsonNode(*value);
    }

   private:
    std::optional<Fields> own_;
    const Fields* const fields_;
  };

  explicit JsonNode(JsonValue value) : value_(value) {}

  bool is_null() const { return value_.is_null(); }
  bool is_sound() const { return false; }
  std::string_view text() const { return AsText(value_); }
  int64_t number() const { return AsWholeNumber(value_); }
  size_t size() const {
    return value_.is_array() ? AsArray(value_).size() : AsObject(value_).size();
  }
  template <typename F>
  void ForEach(F f) const {
    for (const JsonValue element : AsArray(value_)) f(JsonNode(element));
  }
  template <typename F>
  void ForEachKeyed(F f) const {
    for (const auto field : AsObject(value_)) f(field.key, JsonNode(field.value));
  }
  std::string Dump(const Shape&) const {
    return value_.is_string() ? std::string(text()) : simdjson::minify(value_);
  }

 private:
  JsonValue value_;
};

// How many lists and maps of attribute values are inside of each other here.
int JsonNestingDepth(JsonValue value) {
  int deepest = 0;
  if (value.is_array()) {
    for (const JsonValue element : AsArray(value)) {
      deepest = std::max(deepest, JsonNestingDepth(element));
    }
  } else if (value.is_object()) {
    for (const auto field : AsObject(value)) {
      const bool nests = (field.key == "L" && field.value.is_array()) ||
                         (field.key == "M" && field.value.is_object());
      deepest = std::max(deepest, JsonNestingDepth(field.value) + (nests ? 1 : 0));
    }
  }
  return deepest;
}

// Single writes with a very deep value: api/facts/values.md §6.
bool AnswersInOlderWords(const Fields& fields) {
  const std::string_view input = fields.shape().name;
  if (input != "PutItemInput" && input != "UpdateItemInput" && input != "DeleteItemInput") {
    return false;
  }
  const auto all = fields.shape().members();
  for (size_t i = 0; i < all.size(); ++i) {
    const JsonValue* const value = fields.Find(static_cast<int>(i));
    if (value != nullptr && JsonNestingDepth(*value) > kCurrentWordingDepthMax) return true;
  }
  return false;
}

}  // namespace

absl::Status CheckConstraints(const Fields& fields) {
  using Checker = ConstraintChecker<JsonNode>;
  const absl::Status status = Checker::Check(fields.shape(), JsonNode::Members(fields));
  if (status.ok() || !AnswersInOlderWords(fields)) return status;
  return Checker::Check(fields.shape(), JsonNode::Members(fields), /*uses_legacy_wording=*/true);
}

}  // namespace dynolith
