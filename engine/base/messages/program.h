// What the program `dynolith` says by itself.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_PROGRAM_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_PROGRAM_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// In front of everything on standard error.
inline std::string Failed(std::string_view reason) { return Concat("dynolith: ", reason, "\n"); }

// --- the command line

// `nearest` is empty if nothing is near.
inline std::string DidYouMean(std::string_view nearest) {
  return nearest.empty() ? std::string() : Concat("; did you mean ", nearest, "?");
}
// `command` as it was given: "dynolith serve".
inline std::string UnknownOption(std::string_view word, std::string_view command,
                                 std::string_view nearest) {
  return Concat(word, " is no option of ", command, DidYouMean(nearest), "\n");
}
// `known` are all commands that there are.
inline std::string UnknownCommand(std::string_view word, std::string_view nearest,
                                  std::string_view known) {
  return Concat(word, " is no command", DidYouMean(nearest),
                nearest.empty() ? Concat("; there are ", known) : "", "\n");
}
inline std::string CommandMissing(std::string_view known) {
  return Concat("a command is missing; there are ", known, "\n");
}
inline std::string WordTooMany(std::string_view word, std::string_view command) {
  return Concat(command, " does not know what to do with ", word, "\n");
}
inline std::string ValueMissing(std::string_view option) {
  return Concat(option, " wants a value\n");
}
inline std::string WrongUsage(std::string_view reason) { return Concat(reason, "\n"); }
inline std::string AskForHelp() { return "Run with --help for more information.\n"; }

// --- serve

inline std::string ServerUrl(std::string_view scheme, std::string_view host, uint16_t port) {
  // An IPv6 address stands in brackets in a URL.
  const bool in_brackets = host.find(':') != std::string_view::npos;
  return Concat(scheme, "://", in_brackets ? "[" : "", host, in_brackets ? "]" : "", ":", port);
}
// The one line that says that calls are answered from now on. `where` is DataIn or DataInMemory.
inline std::string Serving(std::string_view url, std::string_view where) {
  return Concat("dynolith: serving DynamoDB on ", url, " (", where, ")\n");
}
inline std::string DataIn(std::string_view folder) { return Concat("data in ", folder); }
inline std::string DataFolderWithinStore(std::string_view folder, std::string_view parent) {
  return Concat("there is no data folder ", folder, ", but ", parent,
                ", in which it would be made, is one itself: give --data ", parent,
                ", or move what is in it to ", folder);
}
inline std::string DataInMemory() { return "data in memory, gone at the end"; }
// Of an option's value; the option's name stands in front. `words` as the help shows them:
// "off|on".
inline std::string NotOneOf(std::string_view value, std::string_view words) {
  return Concat(value, " is not one of ", words);
}
inline std::string NotAScale(std::string_view value) {
  return Concat(value, " is not a number above 0");
}
inline std::string NotBetween(std::string_view value, std::string_view least,
                              std::string_view most) {
  return Concat(value, " is not a number from ", least, " to ", most);
}
inline std::string NotWholeBetween(std::string_view value, std::string_view least,
                                   std::string_view most) {
  return Concat(value, " is not a whole number from ", least, " to ", most);
}
inline std::string NotACallRate(std::string_view value) {
  return Concat(value, " is not a number of calls, 0 or more");
}
inline std::string NotASize(std::string_view value) {
  return Concat(value, " is no size; a size is a number of bytes, or one with a unit: 64MB, 4GB");
}
inline std::string MemoryBudgetOfServer(std::string_view url) {
  return Concat("the memory of ", url,
                " is its own: give --memory-budget to the server, or name its data folder while it "
                "does not run");
}
inline std::string NotNameAndValue(std::string_view value) {
  return Concat("\"", value, "\" is no NAME=VALUE");
}
inline std::string NotSeconds(std::string_view value) {
  return Concat(value, " is not a number of seconds, 0 or more");
}
inline std::string NotRegion(std::string_view value) {
  return Concat("\"", value, "\" is not a region such as us-east-1: letters, digits and hyphens");
}
inline std::string EmptyPath() { return "an empty path; leave the option out if there is none"; }
inline std::string PathLikeAnOption(std::string_view value) {
  return Concat("wants a path, and ", value, " looks like an option; ./", value, " if it is meant");
}
inline std::string NotANetwork(std::string_view value) {
  return Concat("\"", value, "\" is no network such as 10.0.0.0/8 or fd00::/8, and no address");
}
inline std::string NotAHostToAllow(std::string_view value) {
  return Concat("\"", value,
                "\" is no name such as db.example, without scheme and port, and not *");
}
inline std::string NotAnOriginToAllow(std::string_view value) {
  return Concat("\"", value,
                "\" is no origin such as https://app.example or http://app.example:3000, not null "
                "and not *");
}
inline std::string VerifyNeedsCredentials() {
  return "--auth verify needs --credentials FILE, of lines \"access_key secret_key\"";
}
inline std::string CredentialsNeedVerify() { return "--credentials is for --auth verify only"; }

// --- check

struct CheckCounts {
  uint64_t tables = 0;
  uint64_t backups = 0;
  uint64_t items = 0;  // of tables and backups
  uint64_t index_entries = 0;
  uint64_t stream_records = 0;
  uint64_t expiry_rows = 0;
  uint64_t stale_expiry_rows = 0;  // among them
  uint64_t history_records = 0;
  uint64_t stale_history_records = 0;  // among them
  uint64_t disagreements = 0;
};
inline std::string Counted(uint64_t count, std::string_view one, std::string_view many) {
  return Concat(count, " ", count == 1 ? one : many);
}
inline std::string CheckLine(std::string_view line, uint64_t times) {
  return times == 1 ? Concat(line, "\n") : Concat(line, " (", times, " times)\n");
}
inline std::string CheckSummaryLine(std::string_view folder, const CheckCounts& counts) {
  return Concat(
      folder, ": ", Counted(counts.tables, "table", "tables"), ", ",
      Counted(counts.backups, "backup", "backups"), ", ", Counted(counts.items, "item", "items"),
      ", ", Counted(counts.index_entries, "index entry", "index entries"), ", ",
      Counted(counts.stream_records, "stream record", "stream records"), ", ",
      Counted(counts.expiry_rows, "expiry row", "expiry rows"), " (", counts.stale_expiry_rows,
      " stale), ", Counted(counts.history_records, "history record", "history records"), " (",
      counts.stale_history_records, " stale), ",
      Counted(counts.disagreements, "disagreement", "disagreements"), "\n");
}

// --- dissect

inline std::string CannotRead(std::string_view file, std::string_view reason) {
  return Concat("cannot read ", file, ": ", reason);
}
inline std::string NotHex(std::string_view text) {
  return Concat("not an even number of hexadecimal digits: ", text);
}
inline std::string NoSuchTable(std::string_view table) {
  return Concat("there is no table ", table);
}
inline std::string NoSuchIndexOf(std::string_view table, std::string_view index) {
  return Concat("table ", table, " has no index ", index);
}
inline std::string KeyTextsWanted(size_t wanted, size_t given) {
  return Concat("the partition key has ", wanted, " attributes, but ", given, " were given");
}
inline std::string SortKeyTextUnwanted() { return "more sort key values than sort key attributes"; }
inline std::string RowHeading(std::string_view key_text, size_t key_bytes, size_t value_bytes) {
  return Concat("row ", key_text, ": key of ", key_bytes, " bytes, value of ", value_bytes,
                " bytes\n");
}
inline std::string RowCount(uint64_t rows) { return Counted(rows, "row", "rows") + "\n"; }

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_PROGRAM_H_
