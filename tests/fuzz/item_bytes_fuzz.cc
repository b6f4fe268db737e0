// Any bytes go into Parse; what it accepts must be readable to the last byte and be the one form of
// its value: rebuilding it attribute by attribute gives the same bytes, and so does its JSON.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "engine/value/dissect.h"
#include "engine/value/item.h"
#include "engine/value/item_json.h"
#include "engine/value/value.h"

namespace {

using dynolith::ItemBuilder;
using dynolith::ItemView;
using dynolith::Type;
using dynolith::ValueView;

void Require(bool holds) {
  if (!holds) std::abort();
}

void RebuildScalar(ValueView value, ItemBuilder* builder) {
  switch (value.type()) {
    case Type::kNull:
      return builder->Null();
    case Type::kBool:
      return builder->Bool(value.boolean());
    case Type::kNumber: {
      // Through the text and through the decoded number.
      std::string text;
      dynolith::AppendNumberText(value.number_bytes(), &text);
      Require(builder->NumberText(text).ok());
      Require(value.number().Encode().view() == value.number_bytes());
      return;
    }
    case Type::kString:
      return builder->String(value.string());
    case Type::kBinary:
      return builder->Binary(value.binary());
    default:
      break;
  }
  const dynolith::SetView set = value.set();
  std::vector<std::string_view> members;
  for (size_t i = set.size(); i > 0; --i) {
    members.push_back(set[i - 1]);
    Require(set.Contains(set[i - 1]));
  }
  Require(builder->SetIfDistinct(value.type(), members));
}

// What is left to do of a rebuild: a list's or map's elements from `next` on, or its end.
struct Open {
  ValueView value;
  size_t next;
};

void Rebuild(ValueView root, ItemBuilder* builder) {
  absl::InlinedVector<Open, 8> open;
  const auto begin = [&](ValueView value) {
    if (value.type() == Type::kMap) {
      builder->BeginMap();
      open.push_back({value, 0});
    } else if (value.type() == Type::kList) {
      builder->BeginList();
      open.push_back({value, 0});
    } else {
      RebuildScalar(value, builder);
    }
  };
  begin(root);
  while (!open.empty()) {
    Open& innermost = open.back();
    const bool is_map = innermost.value.type() == Type::kMap;
    const size_t count = is_map ? innermost.value.map().size() : innermost.value.list().size();
    if (innermost.next == count) {
      is_map ? builder->EndMap() : builder->EndList();
      open.pop_back();
      continue;
    }
    const size_t i = innermost.next++;
    if (!is_map) {
      begin(innermost.value.list()[i]);
      continue;
    }
    // Backwards, so that the builder has to sort.
    const ItemView map = innermost.value.map();
    builder->Key(map.name(count - 1 - i));
    begin(map.value(count - 1 - i));
  }
}

void RequireSameThroughJson(ItemView item, ValueView map) {
  // NestingDepth counts the item too.
  if (dynolith::NestingDepth(map) > dynolith::kNestingDepthMax + 1) return;
  std::string json;
  dynolith::AppendJsonItem(item, &json);
  const auto tree = dynolith::ParseJson(json, dynolith::kItemJsonDepthMax);
  Require(tree.has_value());
  const auto again = dynolith::ItemOfJson(*tree);
  Require(again.has_value() && again->view() == item);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // The bytes as an item, and behind a tag as a map value.
  const auto item = ItemView::Parse(bytes);
  const auto value = ValueView::Parse(bytes);
  Require(!dynolith::DissectItem(bytes).empty() && !dynolith::DissectValue(bytes).empty());
  if (item.ok()) {
    for (size_t i = 0; i < item->size(); ++i) {
      const auto found = item->Find(item->name(i));
      Require(found && *found == item->value(i));
    }
    const std::string tagged = std::string(1, static_cast<char>(Type::kMap)).append(bytes);
    const auto map = ValueView::Parse(tagged);
    Require(map.ok());
    ItemBuilder builder;
    Rebuild(*map, &builder);
    Require(builder.FinishItemView().bytes() == bytes);
    RequireSameThroughJson(*item, *map);
    Require(!dynolith::DebugString(*item).empty());
    static_cast<void>(dynolith::BilledBytes(*item));
  }
  if (value.ok()) {
    ItemBuilder builder;
    Rebuild(*value, &builder);
    const dynolith::Value rebuilt = builder.FinishValue();
    Require(rebuilt.view().bytes() == bytes);
    Require(dynolith::NestingDepth(*value) >= 0);
    static_cast<void>(dynolith::BilledBytes(*value));
  }
  // The bytes as a number's text: both encoders agree, and the printed text is the same number.
  const auto encoded = dynolith::EncodeNumber(bytes);
  const auto number = dynolith::Number::Parse(bytes);
  Require(encoded.ok() == number.ok());
  if (number.ok()) {
    Require(number->Encode().view() == encoded->view());
    Require(dynolith::IsEncodedNumber(encoded->view()));
    const auto again = dynolith::Number::Parse(number->ToString());
    Require(again.ok() && *again == *number);
  }
  return 0;
}
