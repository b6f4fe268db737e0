#include "api/ops/policy_document.h"

#include <string>

#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/messages/table_features.h"

namespace dynolith {
namespace {

// Real policies are six levels deep; the bound keeps the recursion small.
constexpr int kDepthMax = 64;

// Is a text JSON? Builds nothing. (api/json cannot be asked: it is above this room.)
class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text) : text_(text) {}

  bool IsObject() {
    SkipSpace();
    if (Peek() != '{' || !Value(0)) return false;
    SkipSpace();
    return at_ == text_.size();
  }

 private:
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Take(char c) {
    if (Peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void SkipSpace() {
    while (Peek() == ' ' || Peek() == '\t' || Peek() == '\n' || Peek() == '\r') ++at_;
  }

  bool Value(int depth) {
    if (depth > kDepthMax) return false;
    SkipSpace();
    switch (Peek()) {
      case '{':
        return Sequence('}', [&] { return Member(depth); });
      case '[':
        return Sequence(']', [&] { return Value(depth + 1); });
      case '"':
        return String();
      case 't':
        return Word("true");
      case 'f':
        return Word("false");
      case 'n':
        return Word("null");
      default:
        return Number();
    }
  }

  // What stands between two brackets, with commas.
  template <typename Element>
  bool Sequence(char end, Element element) {
    ++at_;
    SkipSpace();
    if (Take(end)) return true;
    do {
      if (!element()) return false;
      SkipSpace();
    } while (Take(','));
    return Take(end);
  }

  bool Member(int depth) {
    SkipSpace();
    if (Peek() != '"' || !String()) return false;
    SkipSpace();
    return Take(':') && Value(depth + 1);
  }

  bool String() {
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c == '\\' && !Escape()) return false;
    }
    return false;
  }

  bool Escape() {
    constexpr std::string_view kEscapes = "\"\\/bfnrt";
    const char c = Peek();
    ++at_;
    if (c != 'u') return kEscapes.find(c) != std::string_view::npos;
    for (int i = 0; i < 4; ++i, ++at_) {
      constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
      if (kDigits.find(Peek()) == std::string_view::npos) return false;
    }
    return true;
  }

  bool Word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  bool Digits() {
    const size_t begin = at_;
    while (Peek() >= '0' && Peek() <= '9') ++at_;
    return at_ > begin;
  }

  bool Number() {
    Take('-');
    if (!Take('0') && !Digits()) return false;
    if (Take('.') && !Digits()) return false;
    if (!Take('e') && !Take('E')) return true;
    if (!Take('+')) Take('-');
    return Digits();
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

absl::Status CheckPolicyDocument(std::string_view document) {
  if (document.size() > kPolicyBytesMax) {
    return ValidationError(messages::PolicyTooLarge(kPolicyBytesMax));
  }
  if (!JsonScanner(document).IsObject()) return ValidationError(messages::PolicyIsNotJson());
  return absl::OkStatus();
}

ResourcePolicy BuildPolicy(std::string_view document, absl::Time now) {
  return {std::string(document), std::to_string(absl::ToUnixMillis(now)), now};
}

}  // namespace dynolith
