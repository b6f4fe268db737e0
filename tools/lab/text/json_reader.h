// Reads members of JSON objects, and reports errors with line and column.
#ifndef DYNOLITH_TOOLS_LAB_TEXT_JSON_READER_H_
#define DYNOLITH_TOOLS_LAB_TEXT_JSON_READER_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/text/json_tree.h"

namespace dynolith::lab {

class JsonErrors {
 public:
  explicit JsonErrors(std::string file) : file_(std::move(file)) {}
  void Add(const JsonTree& at, std::string_view text);
  // kInvalidArgument with a line for each error; OK if there is none.
  absl::Status status() const;

 private:
  const std::string file_;
  std::string lines_;
};

// Parses a text that must be a JSON object. Returns nullopt and adds an error if it is not.
std::optional<JsonTree> ParseJsonObject(std::string_view text, JsonErrors* errors);

// Reads an object's members and ignores the others. A member that is null counts as absent; a
// member of a wrong kind is an error.
class JsonObject {
 public:
  // `path`: the object's name in errors. Borrows the tree and `errors`.
  JsonObject(const JsonTree& tree, std::string path, JsonErrors* errors)
      : tree_(&tree), path_(std::move(path)), errors_(errors) {}

  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  std::string Text(std::string_view name) const;
  // The same for a member that must be present and not empty.
  std::string NeededText(std::string_view name) const;
  std::optional<double> Number(std::string_view name, double least) const;
  std::vector<std::string> Texts(std::string_view name) const;
  std::vector<double> Numbers(std::string_view name) const;
  std::optional<JsonObject> Object(std::string_view name) const;
  std::vector<JsonObject> Objects(std::string_view name) const;
  // One of these words; the first one if the member is absent.
  std::string Choice(std::string_view name, const std::vector<std::string>& words) const;

  void Error(std::string_view text) const { errors_->Add(*tree_, text); }
  void ErrorAt(std::string_view name, std::string_view text) const;
  std::string MemberPath(std::string_view name) const;
  const JsonTree& tree() const { return *tree_; }

 private:
  const JsonTree* Find(std::string_view name) const;

  const JsonTree* tree_;
  std::string path_;
  JsonErrors* errors_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_TEXT_JSON_READER_H_
