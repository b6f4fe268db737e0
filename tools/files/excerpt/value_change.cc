#include "tools/files/excerpt/value_change.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/time/civil_time.h"
#include "api/remote/signature.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/value/number.h"
#include "tools/files/excerpt/fake_values.h"
#include "tools/files/excerpt/messages.h"

namespace dynolith::excerpt {
namespace {

constexpr int64_t kDaySeconds = 86'400;
constexpr size_t kDateLetters = 10;       // 2026-11-26
constexpr size_t kSecondsDigitsMax = 11;  // of a time in seconds; more are milliseconds
constexpr size_t kHashLettersMax = 64;
constexpr size_t kHashDigits = 15;  // which a double holds exactly
constexpr size_t kHashDigitsMax = 38;

__extension__ using Wide = unsigned __int128;

absl::Status Refused(const std::string& text) { return absl::InvalidArgumentError(ToAbsl(text)); }

class Change {
 public:
  Change(const Rules& rules, const Rule& rule, std::string_view shift_by,
         std::vector<std::string>* before)
      : rules_(rules), rule_(rule), shift_by_(shift_by), before_(before) {}

  absl::StatusOr<bool> Make(JsonTree* value) const {
    const std::string type(TypeOfValue(*value));
    JsonTree* const content = ContentOfValue(value);
    const bool is_replaced = rule_.kind == RuleKind::kRedact && rule_.patterns.empty();
    if (is_replaced || rule_.kind == RuleKind::kNull || rule_.kind == RuleKind::kDrop) {
      if (type == "S") before_->push_back(content->text);
      if (is_replaced) *value = rule_.value;
      if (rule_.kind == RuleKind::kNull) SetNull(value);
      return true;
    }
    if (type == "NULL") return true;
    if (type == "S" || type == "N" || type == "B") return MakeText(type, content);
    if (type == "SS" || type == "NS" || type == "BS") {
      return MakeSet(type.substr(0, 1), content);
    }
    if (type == "L" || type == "M") return Refused(messages::ExcerptInContainer());
    return Refused(messages::ExcerptWrongType(type));
  }

 private:
  static void SetNull(JsonTree* value) {
    value->members.front() = {"NULL", {}};
    value->members.front().value.text = "true";
  }

  absl::StatusOr<bool> MakeSet(std::string_view type, JsonTree* elements) const {
    bool fits = false;
    std::set<std::string> seen;
    for (JsonTree& element : elements->elements) {
      DYNOLITH_ASSIGN_OR_RETURN(const bool fits_it, MakeText(type, &element));
      fits |= fits_it;
      if (!seen.insert(element.text).second) return Refused(messages::ExcerptSetShrinks());
    }
    return fits;
  }

  absl::StatusOr<bool> MakeText(std::string_view type, JsonTree* content) const {
    if (rule_.patterns.empty()) {
      DYNOLITH_ASSIGN_OR_RETURN(content->text, Changed(type, content->text));
      return true;
    }
    if (type != "S") return false;
    for (const ValuePattern& pattern : rule_.patterns) {
      const std::optional<std::vector<TextPart>> parts = pattern.Fit(content->text);
      if (!parts) continue;
      std::string text;
      size_t at = 0;
      for (const auto& [begin, size] : *parts) {
        text += content->text.substr(at, begin - at);
        DYNOLITH_ASSIGN_OR_RETURN(const std::string part,
                                  Changed(type, content->text.substr(begin, size)));
        text += part;
        at = begin + size;
      }
      content->text = text + content->text.substr(at);
      return true;
    }
    return false;
  }

  absl::StatusOr<std::string> Changed(std::string_view type, const std::string& text) const {
    if (!IsForType(rule_, type)) return Refused(messages::ExcerptWrongType(type));
    if (type == "S" || rule_.kind == RuleKind::kHash) before_->push_back(text);
    switch (rule_.kind) {
      case RuleKind::kFake:
        return Fake(type, text);
      case RuleKind::kMask:
        return Mask(text);
      case RuleKind::kHash:
        return Hash(type, text);
      case RuleKind::kRedact:
        return ContentOfValue(rule_.value)->text;
      case RuleKind::kNull:
      case RuleKind::kDrop:
        break;
    }
    return text;
  }

  // --- fake values

  http::Digest FakeDigest(std::string_view text) const {
    // The sign between the parts is in none of them.
    return http::HmacSha256(rules_.key, Concat(rules_.seed, '\0', rule_.domain, '\0', text));
  }
  absl::StatusOr<std::string> Fake(std::string_view type, const std::string& text) const {
    std::string plain = text;
    if (type == "N") {
      DYNOLITH_ASSIGN_OR_RETURN(plain, PlainNumber(text));
    }
    if (rule_.fake == FakeKind::kNumber) {
      return std::to_string(FakeNumber(FakeDigest(plain), rule_.from, rule_.to));
    }
    if (rule_.fake != FakeKind::kDate) return FakeText(rule_.fake, FakeDigest(plain));
    const std::string by(shift_by_.empty() ? std::string_view(plain) : shift_by_);
    const int64_t shift = FakeShift(FakeDigest(by), rule_.days);
    return type == "N" ? ShiftedTime(plain, shift) : ShiftedDate(text, shift);
  }

  static absl::StatusOr<std::string> ShiftedTime(const std::string& plain, int64_t days) {
    const size_t begin = plain.starts_with('-') ? 1 : 0;
    const size_t digits = std::min(plain.find('.'), plain.size()) - begin;
    const int64_t seconds = days * kDaySeconds;
    const Number shift = Number::FromInt64(digits > kSecondsDigitsMax ? seconds * 1000 : seconds);
    DYNOLITH_ASSIGN_OR_RETURN(const Number time, Number::Parse(plain));
    const absl::StatusOr<Number> shifted = Add(time, shift);
    if (!shifted.ok()) return Refused(messages::ExcerptNotADate(plain));
    return shifted->ToString();
  }
  static absl::StatusOr<std::string> ShiftedDate(const std::string& text, int64_t days) {
    const auto fits = [&](size_t at) {
      const char c = text[at];
      return at == 4 || at == 7 ? c == '-' : absl::ascii_isdigit(static_cast<unsigned char>(c));
    };
    bool is_date = text.size() >= kDateLetters;
    for (size_t at = 0; is_date && at < kDateLetters; ++at) is_date = fits(at);
    is_date = is_date && (text.size() == kDateLetters || text[kDateLetters] == 'T' ||
                          text[kDateLetters] == ' ');
    if (!is_date) return Refused(messages::ExcerptNotADate(text));
    const int month = std::stoi(text.substr(5, 2));
    const absl::CivilDay day(std::stoi(text.substr(0, 4)), month, std::stoi(text.substr(8, 2)));
    if (day.month() != month) return Refused(messages::ExcerptNotADate(text));
    const absl::CivilDay shifted = day + days;
    if (shifted.year() < 1 || shifted.year() > 9999) {
      return Refused(messages::ExcerptDateTooFar(text));
    }
    const auto two = [](int number) { return Concat(number < 10 ? "0" : "", number); };
    std::string year = std::to_string(shifted.year());
    year.insert(0, 4 - year.size(), '0');
    return Concat(year, "-", two(shifted.month()), "-", two(shifted.day()),
                  text.substr(kDateLetters));
  }

  // --- mask

  // The last letters stay, and there are as many as before.
  std::string Mask(const std::string& text) const {
    const auto is_begin = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    const int64_t letters = std::count_if(text.begin(), text.end(), is_begin);
    const int64_t masked = std::max<int64_t>(letters - rule_.keep, 0);
    size_t at = 0;
    for (int64_t i = 0; at < text.size(); ++at) {
      if (is_begin(text[at]) && i++ == masked) break;
    }
    return std::string(static_cast<size_t>(masked), '*') + text.substr(at);
  }

  // --- hash

  // Without a domain the plain HMAC of the value, so that others can compute it.
  http::Digest HashDigest(std::string_view bytes) const {
    if (rule_.domain.empty()) return http::HmacSha256(rules_.key, bytes);
    return http::HmacSha256(rules_.key, Concat(rule_.domain, '\0', bytes));
  }
  size_t Length(size_t usual, size_t most) const {
    return std::min(rule_.length ? static_cast<size_t>(*rule_.length) : usual, most);
  }
  absl::StatusOr<std::string> Hash(std::string_view type, const std::string& text) const {
    if (type == "S") {
      return http::Hex(HashDigest(text)).substr(0, Length(kHashLettersMax, kHashLettersMax));
    }
    if (type == "N") {
      DYNOLITH_ASSIGN_OR_RETURN(const std::string plain, PlainNumber(text));
      const http::Digest digest = HashDigest(plain);
      Wide number = 0;
      for (size_t i = 0; i < sizeof(number); ++i) number = number << 8 | digest[i];
      std::string digits;
      for (size_t i = Length(kHashDigits, kHashDigitsMax); i > 0; --i, number /= 10) {
        digits += static_cast<char>('0' + static_cast<int>(number % 10));
      }
      return PlainNumber(digits);
    }
    std::string bytes;
    if (!absl::Base64Unescape(ToAbsl(text), &bytes)) return Refused(messages::ExcerptNotBase64());
    const http::Digest digest = HashDigest(bytes);
    const std::string hash(digest.begin(), digest.end());
    return absl::Base64Escape(ToAbsl(hash.substr(0, Length(hash.size(), hash.size()))));
  }

  const Rules& rules_;
  const Rule& rule_;
  const std::string_view shift_by_;
  std::vector<std::string>* const before_;
};

}  // namespace

absl::StatusOr<std::string> PlainNumber(std::string_view text) {
  const absl::StatusOr<Number> number = Number::Parse(text);
  if (!number.ok()) return Refused(messages::ExcerptNotANumber(text));
  return number->ToString();
}

bool IsForType(const Rule& rule, std::string_view type) {
  const std::string_view element = type.ends_with('S') ? type.substr(0, 1) : type;
  if (!rule.patterns.empty()) return element == "S";
  switch (rule.kind) {
    case RuleKind::kFake: {
      const bool is_of_number = rule.fake == FakeKind::kNumber || rule.fake == FakeKind::kDate;
      return element == "S" || (element == "N" && is_of_number);
    }
    case RuleKind::kMask:
      return element == "S";
    case RuleKind::kHash:
      return element == "S" || element == "N" || element == "B";
    case RuleKind::kRedact:
    case RuleKind::kNull:
    case RuleKind::kDrop:
      return true;
  }
  return true;
}

absl::StatusOr<bool> ChangeValue(const Rules& rules, const Rule& rule, std::string_view shift_by,
                                 JsonTree* value, std::vector<std::string>* before) {
  return Change(rules, rule, shift_by, before).Make(value);
}

}  // namespace dynolith::excerpt
