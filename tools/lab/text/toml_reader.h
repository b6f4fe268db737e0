// Reads tables of a TOML file into plain values. For each violation it reports the place and the
// expected value. It collects all errors of a file, so that a user can correct them together.
#ifndef DYNOLITH_TOOLS_LAB_TEXT_TOML_READER_H_
#define DYNOLITH_TOOLS_LAB_TEXT_TOML_READER_H_

// Without exceptions, a parse returns its error.
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
// The library asserts what a file may break ("[=]") before it checks it and returns the error.
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/partition/tokens.h"

namespace dynolith::lab {

// The errors of one file.
class TomlErrors {
 public:
  explicit TomlErrors(std::string file) : file_(std::move(file)) {}

  // The same error twice counts once: designs share what they do not change.
  void Add(const toml::source_region& where, std::string_view text);
  // kInvalidArgument with one line for each place, in the order of the file; OK if there is none.
  absl::Status status() const;

 private:
  struct Error {
    int64_t line;
    int64_t column;
    std::string text;

    friend bool operator==(const Error&, const Error&) = default;
  };

  const std::string file_;
  std::vector<Error> errors_;
};

// Errors: where and why the text is not TOML.
absl::StatusOr<toml::table> ParseToml(std::string_view file, std::string_view text);

// One table. Each method leaves its target unchanged if the member is absent. Borrows its
// arguments.
class TomlTable {
 public:
  // `path` names the table in messages: "access.like".
  TomlTable(const toml::table& table, std::string path, TomlErrors* errors)
      : table_(table), path_(std::move(path)), errors_(errors) {}

  bool Has(std::string_view name) const { return table_.contains(name); }
  // Returns the member, which counts as known from now on, or nullptr if it is absent.
  const toml::node* Find(std::string_view name);
  // The same, but its absence is an error that contains its purpose.
  const toml::node* Need(std::string_view name, std::string_view what);
  // Returns the tables below: the one with this name, or each of an array with this name.
  std::optional<TomlTable> Table(std::string_view name);
  std::vector<TomlTable> Tables(std::string_view name);

  void Text(std::string_view name, std::string* target);
  void Flag(std::string_view name, bool* target);
  void Count(std::string_view name, int64_t* target, int64_t least = 0,
             int64_t most = std::numeric_limits<int64_t>::max());
  void Count(std::string_view name, std::optional<int64_t>* target, int64_t least);
  void Number(std::string_view name, double* target, double least, double most);
  void Number(std::string_view name, std::optional<double>* target, double least, double most);
  void Texts(std::string_view name, std::vector<std::string>* target);
  // "90s", "1h30m", "7d", or a number of seconds.
  void Time(std::string_view name, Micros* target, Micros least = 0);
  // "10GB", "300KB", or a number; 1 KB is 1,024 bytes.
  void Bytes(std::string_view name, int64_t* target, int64_t least = 0);
  template <typename Value>
  void Choice(std::string_view name,
              absl::Span<const std::pair<std::string_view, std::type_identity_t<Value>>> words,
              Value* target) {
    if (const std::optional<size_t> i = ReadWord(name, ListWords<Value>(words))) {
      *target = words[*i].second;
    }
  }

  // Adds an error for each member that no method has read.
  void RefuseUnknown();
  void Error(const toml::node& at, std::string_view text) { errors_->Add(at.source(), text); }
  // Adds an error for the whole table.
  void Error(std::string_view text) { errors_->Add(table_.source(), text); }
  // "access.like.share"
  std::string MemberPath(std::string_view name) const;
  const toml::table& table() const { return table_; }

 private:
  template <typename Value>
  static std::vector<std::string> ListWords(
      absl::Span<const std::pair<std::string_view, Value>> words) {
    std::vector<std::string> names;
    names.reserve(words.size());
    for (const auto& [word, value] : words) names.emplace_back(word);
    return names;
  }
  std::optional<size_t> ReadWord(std::string_view name, const std::vector<std::string>& words);
  std::optional<int64_t> CountAt(const toml::node& node, std::string_view name, int64_t least,
                                 int64_t most);

  const toml::table& table_;
  std::string path_;
  TomlErrors* errors_;
  std::vector<std::string> known_;
};

// In the forms of TomlTable::Time and Bytes; nullopt for other values.
std::optional<Micros> ParseTime(const toml::node& node);
std::optional<int64_t> ParseBytes(const toml::node& node);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_TEXT_TOML_READER_H_
