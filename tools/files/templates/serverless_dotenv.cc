#include "tools/files/templates/serverless_dotenv.h"

#include <algorithm>
#include <boost/regex.hpp>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "tools/files/table/json_parts.h"
#include "tools/files/templates/messages.h"

namespace dynolith::designs {
namespace {

// No process accepts a longer variable; a variable that contains variables may grow with each of
// them.
constexpr size_t kVariableBytesMax = size_t{128} << 10;
// The bytes that are searched in all; a value is searched again for each variable in it.
constexpr size_t kWorkBytesMax = size_t{64} << 20;
constexpr size_t kWorkOfOne = 256;

struct Assignment {
  std::string name;
  std::string value;
  size_t line = 0;
};

// Removes the quotes; in double quotes \n and \r have their usual meaning.
std::string Unquoted(std::string_view written) {
  written = WithoutSpaces(written);
  const char quote = written.empty() ? '\0' : written.front();
  const bool is_quote = quote == '\'' || quote == '"' || quote == '`';
  const bool is_quoted = is_quote && written.size() >= 2 && written.back() == quote;
  std::string value(is_quoted ? written.substr(1, written.size() - 2) : written);
  if (quote == '"') absl::StrReplaceAll({{"\\n", "\n"}, {"\\r", "\r"}}, &value);
  return value;
}

// An assignment with the comment behind it: the library's expression, from the start of a line.
const boost::regex& AssignmentPattern() {
  static const boost::regex pattern(
      R"(\s*(?:export\s+)?([\w.-]+)(?:\s*=\s*?|:\s+?))"
      R"((\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?)"
      R"(\s*(?:#[^\r\n]*)?$)",
      boost::regex::perl);
  return pattern;
}

class Assignments {
 public:
  Assignments(const std::string& file, const std::string& text, Findings* findings)
      : file_(file), text_(text), findings_(findings) {}

  std::vector<Assignment> Read() {
    while (at_ < text_.size()) {
      const size_t end = std::min(text_.find('\n', at_), text_.size());
      const std::string_view line = WithoutSpaces(std::string_view(text_).substr(at_, end - at_));
      if (line.empty() || line.front() == '#') {
        Advance(end + 1);
      } else if (!Take()) {
        findings_->Fail({file_, line_}, messages::DotenvNoAssignment());
        Advance(end + 1);
      }
    }
    return std::move(found_);
  }

 private:
  // Returns whether an assignment begins in this line.
  bool Take() {
    boost::smatch match;
    try {
      const auto begin = text_.begin() + static_cast<std::ptrdiff_t>(at_);
      if (!boost::regex_search(begin, text_.end(), match, AssignmentPattern(),
                               boost::match_continuous)) {
        return false;
      }
    } catch (const std::runtime_error&) {
      return false;
    }
    found_.push_back({match[1].str(), Unquoted(match[2].str()), line_});
    Advance(at_ + static_cast<size_t>(match.length(0)));
    return true;
  }
  void Advance(size_t to) {
    to = std::min(to, text_.size());
    line_ += static_cast<size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                            text_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
    at_ = to;
  }

  const std::string& file_;
  const std::string& text_;
  Findings* const findings_;
  size_t at_ = 0;
  size_t line_ = 1;
  std::vector<Assignment> found_;
};

// The last $ that is not escaped; npos: none.
size_t LastDollar(std::string_view text) {
  size_t at = text.rfind('$');
  while (at != std::string_view::npos && at > 0 && text[at - 1] == '\\')
    at = text.rfind('$', at - 1);
  return at;
}

// Expands the last variable of the value each time. A text behind :- precedes the file's value, as
// in the library. nullopt: the result is too long, or takes too much work.
std::optional<std::string> Expanded(std::string value,
                                    const std::map<std::string, std::string>& known, size_t* work) {
  static const boost::regex pattern(R"(\$\{?(\w+)(?::-([^}\\]*))?\}?)", boost::regex::perl);
  for (; *work <= kWorkBytesMax && value.size() <= kVariableBytesMax;
       *work += value.size() + kWorkOfOne) {
    const size_t at = LastDollar(value);
    boost::smatch match;
    if (at == std::string::npos ||
        !boost::regex_search(value.cbegin() + static_cast<std::ptrdiff_t>(at), value.cend(), match,
                             pattern, boost::match_continuous)) {
      absl::StrReplaceAll({{"\\$", "$"}}, &value);
      return value;
    }
    const auto meant = known.find(match[1].str());
    std::string with =
        meant != known.end() ? meant->second : OfProcess(match[1].str()).value_or("");
    if (with.empty()) with = match[2].str();
    value.replace(at, static_cast<size_t>(match.length(0)), with);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> OfProcess(const std::string& name) {
  const char* const value =
      std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::map<std::string, std::string> ReadDotenv(const std::string& file, const std::string& text,
                                              Findings* findings) {
  const std::vector<Assignment> assignments = Assignments(file, text, findings).Read();
  std::map<std::string, std::string> known;
  for (const Assignment& assignment : assignments) {
    known[assignment.name] = OfProcess(assignment.name).value_or(assignment.value);
  }
  std::map<std::string, std::string> expanded;
  size_t work = 0;
  for (const Assignment& assignment : assignments) {
    if (expanded.count(assignment.name) > 0) continue;
    std::optional<std::string> value = Expanded(known[assignment.name], known, &work);
    if (value) {
      expanded[assignment.name] = *std::move(value);
      continue;
    }
    findings->Fail({file, assignment.line}, messages::DotenvCircle(assignment.name));
    if (work > kWorkBytesMax) break;
  }
  return expanded;
}

}  // namespace dynolith::designs
