// Texts of a policy that match others: wildcards, policy variables, ARNs (api/facts/iam.md §2).
#ifndef DYNOLITH_TOOLS_SERVER_IAM_POLICY_PATTERN_H_
#define DYNOLITH_TOOLS_SERVER_IAM_POLICY_PATTERN_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/server/iam/policy/request_context.h"

namespace dynolith::iam {

struct PatternRules {
  bool wildcards = true;  // '*': any characters; '?': one
  // "${aws:username}", "${aws:PrincipalTag/team, 'none'}", and "${*}", "${?}", "${$}" for the
  // characters themselves. If not, "${" is a text like any other.
  bool variables = false;
  bool ignores_case = false;  // of ASCII letters
};

class Pattern {
 public:
  // nullopt: a variable is not closed, or has no name.
  static std::optional<Pattern> Parse(std::string_view text, const PatternRules& rules);

  // The values of variables are never wildcards. A variable that has no value, or several, and no
  // default makes the pattern match nothing.
  bool Matches(std::string_view text, const RequestContext& context) const;
  // The same for two ARNs: wildcards do not reach beyond one of the six parts that colons separate,
  // of which missing last ones are "*". A pattern "*" matches all.
  bool MatchesArn(std::string_view arn, const RequestContext& context) const;

  const std::string& text() const { return text_; }

 private:
  enum class Kind { kLiteral, kRun, kOne, kVariable };
  struct Piece {
    Kind kind = Kind::kLiteral;
    std::string text;  // of a literal; of a variable its key
    std::optional<std::string> otherwise;
  };
  // A character that has to be the same, or a wildcard.
  struct Glyph {
    char character = 0;
    Kind kind = Kind::kLiteral;
  };

  bool AddVariable(std::string_view variable);
  void AddCharacter(char character);
  std::optional<std::vector<Glyph>> Expand(const RequestContext& context) const;
  static bool MatchesGlyphs(const Glyph* begin, const Glyph* end, std::string_view text);

  std::string text_;
  bool ignores_case_ = false;
  std::vector<Piece> pieces_;
};

}  // namespace dynolith::iam

#endif  // DYNOLITH_TOOLS_SERVER_IAM_POLICY_PATTERN_H_
