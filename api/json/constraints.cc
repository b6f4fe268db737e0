#include "api/json/constraints.h"

#include <optional>
#include <string>
#include <string_view>

#include "engine/model/constraint_checker.h"

namespace dynolith {
namespace {

// A JSON value, as ConstraintChecker sees it.
class JsonNode {
 public:
  class Members {
   public:
    Members(const Shape& shape, const JsonNode& node)
        : own_(std::in_place, shape, ObjectOf(node.value_)), fields_(&*own_) {}
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
  std::string_view text() const { return TextOf(value_); }
  int64_t number() const { return WholeNumberOf(value_); }
  size_t size() const {
    return value_.is_array() ? ArrayOf(value_).size() : ObjectOf(value_).size();
  }
  template <typename F>
  void ForEach(F f) const {
    for (const JsonValue element : ArrayOf(value_)) f(JsonNode(element));
  }
  template <typename F>
  void ForEachKeyed(F f) const {
    for (const auto field : ObjectOf(value_)) f(field.key, JsonNode(field.value));
  }
  std::string Dump(const Shape&) const {
    return value_.is_string() ? std::string(text()) : simdjson::minify(value_);
  }

 private:
  JsonValue value_;
};

}  // namespace

absl::Status CheckConstraints(const Fields& fields) {
  return ConstraintChecker<JsonNode>::Check(fields.shape(), JsonNode::Members(fields));
}

}  // namespace dynolith
