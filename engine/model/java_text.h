// How constraint messages print the refused value: as the service's Java front end does.
#ifndef DYNOLITH_ENGINE_MODEL_JAVA_TEXT_H_
#define DYNOLITH_ENGINE_MODEL_JAVA_TEXT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "engine/base/limits.h"
#include "engine/model/shapes.h"

namespace dynolith {

// "TableName" -> "tableName".
std::string LowerFirst(std::string_view name);
// Java's text of an attribute value: its class and a hash. The hash is of no use to a client; ours
// depends on the value's bytes alone, so that equal requests get equal messages.
std::string JavaHashed(std::string_view class_name, std::string_view bytes);

// An integer has 32 bits in Java, and a larger one becomes the largest of them (api/facts/wire.md
// §8); a long has 64.
inline int64_t JavaNumber(const Shape& shape, int64_t number) {
  using Int = std::numeric_limits<int32_t>;
  if (shape.kind != ShapeKind::kInteger) return number;
  return std::clamp<int64_t>(number, Int::min(), Int::max());
}

// Whether a text has all the bytes that a message shows of a value (ConstraintFailures truncates it
// there): a list of empty elements has seventeen times its bytes as a text, so no more elements are
// printed then.
inline bool IsFull(const std::string& text) { return text.size() >= kReportedValueBytesMax; }

// `Node` is as in constraint_checker.h. Strings and numbers as they are, lists as "[a, b]", maps as
// "{k=v}", structures as "KeySchemaElement(attributeName=pk, keyType=HASH)".
template <typename Node>
void AppendJavaText(const Shape& shape, const Node& node, std::string* text) {
  bool first = true;
  const auto separate = [&first, text] {
    if (!first) text->append(", ");
    first = false;
  };
  if (node.is_null()) {
    text->append("null");
  } else if (shape.name == "AttributeValue") {
    text->append(JavaHashed(shape.name, node.Dump(shape)));
  } else if (shape.kind == ShapeKind::kStructure) {
    const typename Node::Members members(shape, node);
    const absl::Span<const ShapeMember> all = shape.members();
    text->append(shape.name);
    text->push_back('(');
    for (size_t i = 0; i < all.size(); ++i) {
      separate();
      text->append(LowerFirst(all[i].name));
      text->push_back('=');
      const auto member = members.Find(static_cast<int>(i));
      member ? AppendJavaText(ShapeAt(all[i].shape), *member, text) : void(text->append("null"));
    }
    text->push_back(')');
  } else if (shape.kind == ShapeKind::kList) {
    text->push_back('[');
    node.ForEach([&](const Node& element) {
      if (IsFull(*text)) return;
      separate();
      AppendJavaText(ShapeAt(shape.element), element, text);
    });
    text->push_back(']');
  } else if (shape.kind == ShapeKind::kMap) {
    text->push_back('{');
    node.ForEachKeyed([&](std::string_view key, const Node& element) {
      if (IsFull(*text)) return;
      separate();
      text->append(key);
      text->push_back('=');
      AppendJavaText(ShapeAt(shape.element), element, text);
    });
    text->push_back('}');
  } else if (shape.kind == ShapeKind::kInteger || shape.kind == ShapeKind::kLong) {
    text->append(std::to_string(JavaNumber(shape, node.number())));
  } else {
    text->append(node.Dump(shape));
  }
}

template <typename Node>
std::string JavaText(const Shape& shape, const Node& node) {
  std::string text;
  AppendJavaText(shape, node, &text);
  return text;
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_MODEL_JAVA_TEXT_H_
