// Lines of items in the form of exports, parsed on a thread of their own while earlier ones are
// processed.
#ifndef DYNOLITH_TOOLS_FILES_ITEMS_PLAIN_LINES_H_
#define DYNOLITH_TOOLS_FILES_ITEMS_PLAIN_LINES_H_

#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "engine/value/item.h"

namespace dynolith::designs {

// Not thread-safe.
class PlainLines {
 public:
  struct Line {
    std::string_view text;
    size_t number = 0;
    std::optional<Item> item;  // nullopt: the line is not in the form of exports
  };
  // Gets the lines in their order, on the thread that calls Add and Finish; a failed status is
  // their result, and afterwards nothing more may be added. Texts are valid during the call.
  using Take = absl::FunctionRef<absl::Status(const Line& line)>;

  PlainLines() = default;
  PlainLines(const PlainLines&) = delete;
  PlainLines& operator=(const PlainLines&) = delete;

  absl::Status Add(std::string_view text, size_t number, Take take);
  // After the last line.
  absl::Status Finish(Take take);

 private:
  struct Batch {
    std::string texts;  // one after the other
    std::vector<size_t> begins;
    std::vector<Line> lines;
  };
  static std::shared_ptr<Batch> Read(std::shared_ptr<Batch> batch);
  // Begins to parse the added lines, and passes on the previous ones.
  absl::Status Advance(Take take);

  std::shared_ptr<Batch> added_ = std::make_shared<Batch>();
  // Its destructor waits for the thread.
  std::future<std::shared_ptr<Batch>> reading_;
};

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_ITEMS_PLAIN_LINES_H_
