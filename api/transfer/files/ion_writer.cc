#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "api/transfer/files/ion_text.h"
#include "engine/base/strings.h"
#include "engine/value/number.h"

namespace dynolith {
namespace {

void AppendItem(ItemView item, std::string* out);

void AppendQuoted(std::string_view text, char quote, std::string* out) {
  out->push_back(quote);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      out->push_back('\\');
      out->push_back(c);
    } else if (c == '\n') {
      out->append("\\n");
    } else if (byte < 0x20 || byte == 0x7f) {
      absl::StrAppendFormat(out, "\\x%02x", byte);
    } else {
      out->push_back(c);
    }
  }
  out->push_back(quote);
}

// Returns whether a field's name needs no quotes.
bool IsIdentifier(std::string_view name) {
  const auto is_first = [](char c) {
    return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$';
  };
  const auto is_next = [&](char c) {
    return is_first(c) || absl::ascii_isdigit(static_cast<unsigned char>(c));
  };
  if (name.empty() || !is_first(name[0]) || !std::all_of(name.begin(), name.end(), is_next)) {
    return false;
  }
  // $ and digits would be a symbol's number.
  return name[0] != '$' && name != "null" && name != "true" && name != "false" && name != "nan";
}

void AppendName(std::string_view name, std::string* out) {
  if (IsIdentifier(name)) {
    out->append(name);
  } else {
    AppendQuoted(name, '\'', out);
  }
  out->push_back(':');
}

// Appends a decimal: 103. 2d3 1.5
void AppendDecimal(std::string_view encoded, std::string* out) {
  std::string text;
  AppendNumberText(encoded, &text);
  const bool is_whole = text.find('.') == std::string::npos;
  const size_t digits = text.find_last_not_of('0') + 1;
  if (is_whole && digits > 0 && digits < text.size() && text != "0") {
    out->append(Concat(std::string_view(text).substr(0, digits), "d", text.size() - digits));
    return;
  }
  out->append(text);
  if (is_whole) out->push_back('.');
}

void AppendBlob(std::string_view bytes, std::string* out) {
  std::string text;
  absl::Base64Escape(ToAbsl(bytes), &text);
  out->append("{{").append(text).append("}}");
}

void AppendSet(Type type, SetView set, std::string* out) {
  out->append("$dynamodb_").append(TypeName(type)).append("::[");
  for (size_t i = 0; i < set.size(); ++i) {
    if (i > 0) out->push_back(',');
    switch (type) {
      case Type::kStringSet:
        AppendQuoted(set[i], '"', out);
        break;
      case Type::kNumberSet:
        AppendDecimal(set[i], out);
        break;
      default:
        AppendBlob(set[i], out);
    }
  }
  out->push_back(']');
}

void AppendValue(ValueView value, std::string* out) {
  switch (value.type()) {
    case Type::kNull:
      out->append("null");
      return;
    case Type::kBool:
      out->append(value.boolean() ? "true" : "false");
      return;
    case Type::kNumber:
      return AppendDecimal(value.number_bytes(), out);
    case Type::kString:
      return AppendQuoted(value.string(), '"', out);
    case Type::kBinary:
      return AppendBlob(value.binary(), out);
    case Type::kMap:
      return AppendItem(value.map(), out);
    case Type::kList:
      break;
    default:
      return AppendSet(value.type(), value.set(), out);
  }
  const ListView list = value.list();
  out->push_back('[');
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendValue(list[i], out);
  }
  out->push_back(']');
}

void AppendItem(ItemView item, std::string* out) {
  out->push_back('{');
  for (size_t i = 0; i < item.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendName(item.name(i), out);
    AppendValue(item.value(i), out);
  }
  out->push_back('}');
}

void AppendImage(std::string_view name, const std::optional<ItemView>& image, std::string* out) {
  if (!image) return;
  out->append(",").append(name).append(":");
  AppendItem(*image, out);
}

}  // namespace

void AppendIonItem(ItemView item, std::string* out) {
  out->append("$ion_1_0 {Item:");
  AppendItem(item, out);
  out->append("}\n");
}

void AppendIonChange(const ExportedChange& change, std::string* out) {
  out->append("$ion_1_0 {Record:{Keys:");
  AppendItem(change.key, out);
  out->append(Concat(",Metadata:{WriteTimestampMicros:", absl::ToUnixMicros(change.written), ".}"));
  AppendImage("OldImage", change.old_image, out);
  AppendImage("NewImage", change.new_image, out);
  out->append("}}\n");
}

}  // namespace dynolith
