// The texts about filters, samples and rules.
#ifndef DYNOLITH_TOOLS_FILES_EXCERPT_MESSAGES_H_
#define DYNOLITH_TOOLS_FILES_EXCERPT_MESSAGES_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- filter and sample

inline std::string ExcerptFilterWrong(std::string_view reason) {
  return Concat("--filter: ", reason, " (the condition behind WHERE in PartiQL: country = 'DE')");
}
inline std::string ExcerptFilterIsMore() { return "there is more than a condition"; }
inline std::string ExcerptSampleWrong(std::string_view text) {
  return Concat("--sample: a share from above 0% to 100%, such as 1%, not ", text);
}

// --- the file of rules

inline std::string ExcerptCannotRead(std::string_view file, std::string_view reason) {
  return Concat(file, " cannot be read: ", reason);
}
inline std::string ExcerptNoRules() { return "there is no [[rule]]"; }
inline std::string ExcerptKeyOfOne() {
  return "key has one of the two: file, or variable, the name of an environment variable";
}
inline std::string ExcerptNoVariable(std::string_view name) {
  return Concat("the environment variable ", name, " of the key is not set");
}
inline std::string ExcerptKeyShort(size_t bytes, size_t least) {
  return Concat("a key of ", bytes, " bytes can be guessed; it has ", least, " or more");
}
inline std::string ExcerptKeyMissing(std::string_view kind) {
  return Concat("kind = \"", kind,
                "\" needs a key, at the beginning of the file: key = { file = \"…\" } or { "
                "variable = \"…\" }");
}
inline std::string ExcerptSeedMissing() {
  return "kind = \"fake\" needs a seed or a key, at the beginning of the file: seed = \"…\"";
}
inline std::string ExcerptAttributesMissing() {
  return "the paths of what it changes: [\"email\", \"orders[*].name\"]";
}
inline std::string ExcerptKindMissing() { return "fake, mask, hash, redact, null or drop"; }
inline std::string ExcerptFakeMissing() { return "what the fake value is, such as email"; }
inline std::string ExcerptValueMissing() { return "what stands there afterwards"; }
inline std::string ExcerptRangeMissing() { return "numbers are from this one to that one"; }
inline std::string ExcerptDaysMissing() { return "by how many days a date is shifted at most"; }
inline std::string ExcerptNotAPath(std::string_view text) {
  return Concat(text,
                " is no path; paths are such as address.street, orders[*].name, \"a.b\"[0], "
                "contacts.*.phone");
}
inline std::string ExcerptNotAPattern(std::string_view text) {
  return Concat(text,
                " is no pattern: it has {} where the value is changed, * for what stays, and "
                "letters between them");
}
inline std::string ExcerptPatternsNot(std::string_view kind) {
  return Concat("patterns are not for kind = \"", kind, "\", which takes the whole value");
}
inline std::string ExcerptPatternsNotForValue() { return "with patterns the value is a text"; }
inline std::string ExcerptMustFitWhat() { return "must_fit is for rules with patterns"; }
inline std::string ExcerptValueWrong() { return "value is a text, a number, true or false"; }
inline std::string ExcerptRangeEmpty() { return "from is above to"; }

// --- rules and items

// "rule of line 12, fake email of PK"
inline std::string ExcerptRule(size_t line, std::string_view title, std::string_view path) {
  return Concat("rule of line ", line, ", ", title, " of ", path);
}
inline std::string ExcerptItem(std::string_view item, std::string_view rule,
                               std::string_view reason) {
  return Concat("item ", item, ": ", rule, ": ", reason);
}
inline std::string ExcerptTable(std::string_view table, std::string_view rule,
                                std::string_view reason) {
  return Concat("table ", table, ": ", rule, ": ", reason);
}
inline std::string ExcerptKeyGone(std::string_view attribute) {
  return Concat(attribute, " is a key of the table or of an index, and would be gone");
}
inline std::string ExcerptKeyType(std::string_view attribute, std::string_view type) {
  return Concat(attribute, " is a key of the table or of an index, and would not be of its type ",
                type);
}
inline std::string ExcerptKeyEmpty(std::string_view attribute) {
  return Concat(attribute, " is a key of the table or of an index, and would be empty");
}
inline std::string ExcerptKeyTaken(std::string_view key) {
  return Concat("another item has become ", key, ", too, and one of them would be lost");
}
inline std::string ExcerptWrongType(std::string_view type) {
  return Concat("this is not for values of the type ", type);
}
inline std::string ExcerptInContainer() {
  return "here is a list or a map; a path names what is in it: tags[*], address.city";
}
inline std::string ExcerptNotADate(std::string_view text) {
  return Concat(
      "no date such as 2026-11-26, 2026-11-26T10:00:00Z or a time in seconds or milliseconds: ",
      text);
}
inline std::string ExcerptDateTooFar(std::string_view text) {
  return Concat("the shifted date is out of the years 1 to 9999: ", text);
}
inline std::string ExcerptNotANumber(std::string_view text) { return Concat("no number: ", text); }
inline std::string ExcerptNotBase64() { return "no base64"; }
inline std::string ExcerptSetShrinks() { return "two elements of the set become one"; }
inline std::string ExcerptFitsNone(std::string_view text) {
  return Concat("no pattern fits ", text);
}

// --- at the end

inline std::string ExcerptNeverMatched(std::string_view rule) {
  return Concat(rule, ": there was no such value");
}
inline std::string ExcerptStillThere(std::string_view rule, std::string_view attribute,
                                     std::string_view item) {
  return Concat(rule, ": what it has changed still stands in ", attribute, ", first in item ",
                item);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_FILES_EXCERPT_MESSAGES_H_
