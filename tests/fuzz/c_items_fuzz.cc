// Any bytes go into the C face as an item: what its check takes is read by its readers and built
// again by its builder, to the same bytes. The same bytes then are steps of a builder, in whatever
// order: they end in an error, or in an item.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "dynolith/dynolith.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

struct FreeBuilder {
  void operator()(dynolith_builder* builder) const { dynolith_builder_free(builder); }
};
using Builder = std::unique_ptr<dynolith_builder, FreeBuilder>;

// Whether there is none. Frees it.
bool IsFine(dynolith_error* error) {
  if (error == nullptr) return true;
  Require(*dynolith_error_kind(error) != '\0');
  dynolith_error_free(error);
  return false;
}

void RebuildItem(const dynolith_item& item, dynolith_builder* builder);

void RebuildNumber(const dynolith_value& value, dynolith_builder* builder) {
  char text[DYNOLITH_NUMBER_TEXT_MAX];
  const size_t size = dynolith_value_number(&value, text);
  Require(size > 0);
  int64_t whole = 0;
  double real = 0;
  if (dynolith_value_int64(&value, &whole)) {
    dynolith_builder_int64(builder, whole);
  } else {
    dynolith_builder_number(builder, text, size);
  }
  Require(dynolith_value_double(&value, &real));
}

void RebuildSet(const dynolith_value& set, int32_t type, dynolith_builder* builder) {
  dynolith_builder_begin_set(builder, type);
  dynolith_bytes member;
  for (size_t i = dynolith_value_count(&set); i > 0; --i) {
    Require(dynolith_value_member(&set, i - 1, &member));
    char text[DYNOLITH_NUMBER_TEXT_MAX];
    if (type == DYNOLITH_STRING_SET) {
      dynolith_builder_string(builder, member.data, member.size);
    } else if (type == DYNOLITH_BINARY_SET) {
      dynolith_builder_binary(builder, member.data, member.size);
    } else {
      dynolith_builder_number(builder, text, dynolith_number_text(&member, text));
    }
  }
  dynolith_builder_end(builder);
}

// Checked items are not deep, so this may recurse.
void Rebuild(const dynolith_value& value, dynolith_builder* builder) {
  const int32_t type = dynolith_value_type(&value);
  dynolith_bytes bytes;
  dynolith_value element;
  dynolith_item map;
  int32_t is_true = 0;
  if (type == DYNOLITH_LIST) {
    dynolith_builder_begin_list(builder);
    for (size_t i = 0; dynolith_value_element(&value, i, &element); ++i) Rebuild(element, builder);
    dynolith_builder_end(builder);
  } else if (dynolith_value_map(&value, &map)) {
    dynolith_builder_begin_map(builder);
    RebuildItem(map, builder);
    dynolith_builder_end(builder);
  } else if (dynolith_value_string(&value, &bytes)) {
    dynolith_builder_string(builder, bytes.data, bytes.size);
  } else if (dynolith_value_binary(&value, &bytes)) {
    dynolith_builder_binary(builder, bytes.data, bytes.size);
  } else if (dynolith_value_bool(&value, &is_true)) {
    dynolith_builder_bool(builder, is_true);
  } else if (type == DYNOLITH_NULL) {
    dynolith_builder_null(builder);
  } else if (type == DYNOLITH_NUMBER) {
    RebuildNumber(value, builder);
  } else {
    RebuildSet(value, type, builder);
  }
}

void RebuildItem(const dynolith_item& item, dynolith_builder* builder) {
  dynolith_bytes name;
  dynolith_value value;
  dynolith_value found;
  for (size_t i = 0; dynolith_item_at(&item, i, &name, &value); ++i) {
    Require(dynolith_item_find(&item, name.data, name.size, &found) && found.data == value.data);
    dynolith_builder_key(builder, name.data, name.size);
    Rebuild(value, builder);
  }
}

void TakeSteps(std::string_view steps, dynolith_builder* builder) {
  while (!steps.empty()) {
    const auto step = static_cast<uint8_t>(steps.front());
    const std::string_view text = steps.substr(1, step >> 4);
    steps.remove_prefix(1 + text.size());
    switch (step & 15) {
      case 0:
        dynolith_builder_null(builder);
        break;
      case 1:
        dynolith_builder_bool(builder, step);
        break;
      case 2:
        dynolith_builder_string(builder, text.data(), text.size());
        break;
      case 3:
        dynolith_builder_binary(builder, text.data(), text.size());
        break;
      case 4:
        dynolith_builder_number(builder, text.data(), text.size());
        break;
      case 5:
        dynolith_builder_int64(builder, step - 100);
        break;
      case 6:
        dynolith_builder_double(builder, step / 7.0);
        break;
      case 7:
        dynolith_builder_begin_list(builder);
        break;
      case 8:
        dynolith_builder_begin_map(builder);
        break;
      case 9:
        dynolith_builder_begin_set(builder, step >> 4);
        break;
      case 10:
      case 11:
        dynolith_builder_end(builder);
        break;
      default:
        dynolith_builder_key(builder, text.data(), text.size());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto* const bytes = reinterpret_cast<const char*>(data);
  const Builder builder(dynolith_builder_new());
  dynolith_item item;
  dynolith_item built;
  if (IsFine(dynolith_item_check(bytes, size, &item))) {
    RebuildItem(item, builder.get());
    Require(IsFine(dynolith_builder_finish(builder.get(), &built)));
    Require(std::string_view(built.data, built.size) == std::string_view(bytes, size));
  }
  TakeSteps({bytes, size}, builder.get());
  if (IsFine(dynolith_builder_finish(builder.get(), &built))) {
    // Well-formed; whether it may be stored is another question.
    const std::string copy(built.data, built.size);
    static_cast<void>(IsFine(dynolith_item_check(copy.data(), copy.size(), &item)));
    Require(dynolith_item_count(&built) <= size);
  }
  return 0;
}
