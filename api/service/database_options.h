// Every option that a database is opened with, described once: what it is called in JSON and on the
// command line, what values it has, and what is said of it. From here are the members that
// dynolith_open takes, the flags of `dynolith serve`, their help, and the list in
// dynolith/dynolith.h, which `DYNOLITH_REWRITE=1 service_test` writes.
#ifndef DYNOLITH_API_SERVICE_DATABASE_OPTIONS_H_
#define DYNOLITH_API_SERVICE_DATABASE_OPTIONS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "dynolith/database.h"

namespace dynolith {

struct OpenSettings {
  DatabaseOptions database;  // without a clock and transfers, which are whoever's who opens it
  bool manual_clock = false;
  std::optional<absl::Time> clock_start;  // of a manual clock
  std::string buckets_folder;             // empty: there are no buckets
};

// A value as somebody has given it.
struct GivenValue {
  std::string_view text;
  bool may_be_text = true;    // in JSON it is between quotes
  bool may_be_number = true;  // in JSON it is not: a number, true or false
  std::string shown;          // in messages
};

struct DatabaseOption {
  std::string_view name;  // in JSON: "sync"; "capacity.scale" is a member of an object
  std::string_view flag;  // of the program; empty: it has none
  // How the program's help shows the value; empty: it has none, or its words are shown.
  std::string_view value;
  std::string_view help;
  // How dynolith.h shows the value, unless that are its words or its default, and what it says.
  std::string_view form;
  std::string_view note;
  // Why the value is none; nullopt: it has been put into the settings.
  std::optional<std::string> (*read)(const GivenValue& given, OpenSettings* settings) = nullptr;
  // nullptr: it is not one of some words.
  std::vector<std::string_view> (*words)() = nullptr;
  // The default as it is shown; nullptr: the help says it.
  std::string (*shown)(const OpenSettings& settings) = nullptr;
  std::string_view zero = {};  // a word of the command line for 0
  bool is_list = false;        // each element is read
};

// In the order in which they are shown; those of an object stand together.
absl::Span<const DatabaseOption> AllDatabaseOptions();
// nullptr: there is none of that name.
const DatabaseOption* FindDatabaseOption(std::string_view name);

// "exact|approximate", as messages and the help show words.
std::string WordsOf(const DatabaseOption& option);

// The options as lines of a comment in dynolith/dynolith.h.
std::string DatabaseOptionsComment();

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_DATABASE_OPTIONS_H_
