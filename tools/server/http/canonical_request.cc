#include "tools/server/http/canonical_request.h"

#include <algorithm>

namespace dynolith::http {
namespace {

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '~';
}

// RFC 3986: everything but unreserved characters (and `kept`) as %XX.
std::string PercentEncode(std::string_view text, char kept = '-') {
  constexpr std::string_view kUpperHex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (IsUnreserved(c) || c == kept) {
      encoded.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded.append({'%', kUpperHex[byte >> 4], kUpperHex[byte & 15]});
    }
  }
  return encoded;
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string PercentDecode(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() && HexValue(text[i + 1]) >= 0 &&
                        HexValue(text[i + 2]) >= 0;
    if (!escape) {
      decoded.push_back(text[i]);
      continue;
    }
    decoded.push_back(static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2])));
    i += 2;
  }
  return decoded;
}

std::string CanonicalQuery(std::string_view query) {
  auto parameters = ParseQuery(query);
  for (auto& [name, value] : parameters) {
    name = PercentEncode(name);
    value = PercentEncode(value);
  }
  std::sort(parameters.begin(), parameters.end());
  std::string text;
  for (const auto& [name, value] : parameters) {
    if (name == "X-Amz-Signature") continue;
    if (!text.empty()) text.push_back('&');
    text.append(name).append("=").append(value);
  }
  return text;
}

// Runs of spaces become one.
void AppendFolded(std::string_view value, std::string* out) {
  value = Trim(value);
  if (value.find("  ") == std::string_view::npos) {
    out->append(value);
    return;
  }
  bool after_space = false;
  for (const char c : value) {
    if (c != ' ' || !after_space) out->push_back(c);
    after_space = c == ' ';
  }
}

void AppendLowered(std::string_view text, std::string* out) {
  const size_t begin = out->size();
  out->append(text);
  for (size_t i = begin; i < out->size(); ++i) {
    char& c = (*out)[i];
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
}

void AppendCanonicalHeader(const Request& request, std::string_view name, std::string* out) {
  AppendLowered(name, out);
  out->push_back(':');
  bool first = true;
  for (const Header& header : request.headers) {
    if (!EqualsIgnoreCase(header.name, name)) continue;
    if (!first) out->push_back(',');
    first = false;
    AppendFolded(header.value, out);
  }
  out->push_back('\n');
}

}  // namespace

std::vector<std::pair<std::string, std::string>> ParseQuery(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parameters;
  while (!query.empty()) {
    const size_t ampersand = std::min(query.find('&'), query.size());
    const std::string_view parameter = query.substr(0, ampersand);
    query.remove_prefix(std::min(ampersand + 1, query.size()));
    if (parameter.empty()) continue;
    const size_t equals = std::min(parameter.find('='), parameter.size());
    parameters.emplace_back(
        PercentDecode(parameter.substr(0, equals)),
        PercentDecode(parameter.substr(std::min(equals + 1, parameter.size()))));
  }
  return parameters;
}

// More than most requests need.
constexpr size_t kCanonicalBytes = 768;

std::string CanonicalRequest(const Request& request, std::string_view signed_headers,
                             std::string_view payload_hash) {
  std::string text;
  text.reserve(kCanonicalBytes);
  text.append(request.method_text);
  const std::string_view path = request.path();
  text.append("\n");
  path.size() <= 1 ? text.append("/") : text.append(PercentEncode(path, '/'));
  text.append("\n").append(CanonicalQuery(request.query())).append("\n");
  for (std::string_view rest = signed_headers; !rest.empty();) {
    const size_t semicolon = std::min(rest.find(';'), rest.size());
    AppendCanonicalHeader(request, rest.substr(0, semicolon), &text);
    rest.remove_prefix(std::min(semicolon + 1, rest.size()));
  }
  return text.append("\n").append(signed_headers).append("\n").append(payload_hash);
}

}  // namespace dynolith::http
