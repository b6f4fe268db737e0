// Every option of opening a database, described once: its names in JSON and on the command line,
// its values, and its texts. This makes the members of dynolith_open, the flags of `dynolith
// serve`, their help, and the list in dynolith/dynolith.h, which `DYNOLITH_REWRITE=1 service_test`
// writes.
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
  DatabaseOptions database;  // without a clock and transfers, which the opener sets
  bool manual_clock = false;
  std::optional<absl::Time> clock_start;  // of a manual clock
  std::string buckets_folder;             // empty: there are no buckets
  // The database's own first, which opens the others beside it; empty: there is only that one.
  std::vector<std::string> regions;
  // Of a service elsewhere, instead of a database. Only the next two options may be with it.
  std::string endpoint;               // its URL; empty: a database in this process
  std::string endpoint_certificates;  // a file; empty: the system's
  std::string endpoint_region;        // for signatures; empty: it is found as SDKs find it
};

// A value from a user.
struct GivenValue {
  std::string_view text;
  bool may_be_text = true;    // in JSON it is between quotes
  bool may_be_number = true;  // in JSON it is not a text: a number, true or false
  std::string shown;          // in messages
};

struct DatabaseOption {
  std::string_view name;  // in JSON: "sync"; "capacity.scale" is a member of an object
  std::string_view flag;  // of the program; empty: it has none
  // The value's form in the program's help; empty: it has none, or its words are shown.
  std::string_view value;
  std::string_view help;
  // The value's form in dynolith.h, unless that is its words or its default, and its text there.
  std::string_view form;
  std::string_view note;
  // The reason for which the value is invalid; nullopt: it has been put into the settings.
  std::optional<std::string> (*read)(const GivenValue& given, OpenSettings* settings) = nullptr;
  // nullptr: the values are not words.
  std::vector<std::string_view> (*words)() = nullptr;
  // The default's text; nullptr: it is in the help.
  std::string (*shown)(const OpenSettings& settings) = nullptr;
  std::string_view zero = {};  // the command line's word for 0
  bool is_list = false;        // each element is read
};

// In the order of display; those of one object are adjacent.
absl::Span<const DatabaseOption> AllDatabaseOptions();
// nullptr: no such option.
const DatabaseOption* FindDatabaseOption(std::string_view name);

// "exact|approximate", as messages and the help show words.
std::string OptionWords(const DatabaseOption& option);

// The options as lines of a comment in dynolith/dynolith.h.
std::string DatabaseOptionsComment();

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_DATABASE_OPTIONS_H_
