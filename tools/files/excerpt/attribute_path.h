// Paths to values of an item.
//
//   path = step *( "." step / element )
//   step = "*"                                          ; any name
//        / name                                         ; without . [ ] " and *
//        / %x22 1*( any letter but " / %x22 %x22 ) %x22 ; any name in quotes, "" is one of them
//   element = "[" ( "*" / 1*DIGIT ) "]"
#ifndef DYNOLITH_TOOLS_FILES_EXCERPT_ATTRIBUTE_PATH_H_
#define DYNOLITH_TOOLS_FILES_EXCERPT_ATTRIBUTE_PATH_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "engine/text/json_tree.h"

namespace dynolith::excerpt {

// A value of an item in the service's JSON: {"S": "text"}. Its type, and what it holds. Empty and
// nullptr: it is none.
std::string_view TypeOfValue(const JsonTree& value);
const JsonTree* ContentOfValue(const JsonTree& value);
JsonTree* ContentOfValue(JsonTree* value);

class AttributePath {
 public:
  // nullopt: it is no path.
  static std::optional<AttributePath> Parse(std::string_view text);

  const std::string& text() const { return text_; }
  // The name of the attribute if the path is just that; else empty.
  std::string_view attribute() const;

  // Calls with each value at the path, in the order of the item. A failed status ends it.
  absl::Status ForEach(JsonTree* item,
                       absl::FunctionRef<absl::Status(JsonTree* value)> visit) const;

 private:
  struct Step {
    bool is_element = false;
    bool is_any = false;
    std::string name;
    size_t element = 0;
  };
  using Visit = absl::FunctionRef<absl::Status(JsonTree* value)>;

  absl::Status VisitNames(JsonTree* names, size_t step, Visit visit) const;
  absl::Status VisitValue(JsonTree* value, size_t step, Visit visit) const;

  std::string text_;
  std::vector<Step> steps_;
};

}  // namespace dynolith::excerpt

#endif  // DYNOLITH_TOOLS_FILES_EXCERPT_ATTRIBUTE_PATH_H_
