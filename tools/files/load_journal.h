// The progress of a load, in a file, so that the next run continues there.
#ifndef DYNOLITH_TOOLS_FILES_LOAD_JOURNAL_H_
#define DYNOLITH_TOOLS_FILES_LOAD_JOURNAL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "engine/text/json_tree.h"

namespace dynolith::designs {

// A position in the input of a load: the n-th record of the n-th list or file of items. Counts from
// 0.
struct LoadPosition {
  uint64_t part = 0;
  uint64_t record = 0;
  friend bool operator<(const LoadPosition& left, const LoadPosition& right) {
    return std::tie(left.part, left.record) < std::tie(right.part, right.record);
  }
};

// The file is
//   {"load": input and target; "made": ["music", …]; "whole": ["music", …]; "part": 2,
//    "record": 4711}
// without the last two as long as tables are being made. "whole" are those of "made" that were made
// with all of their items, and may be absent. The file is written beside itself and renamed.
class LoadJournal {
 public:
  // A journal without a file, whose calls except Open do nothing.
  LoadJournal() = default;

  // Continues the journal of an earlier run in `file`, if it exists; else begins a new one. `load`
  // must be the same in all runs. Errors: kInvalidArgument: the file is not a journal, or that of
  // another load; or it cannot be read or written.
  absl::Status Open(std::string file, JsonTree load);

  bool HasMade(std::string_view table) const;
  // Whether its items are complete, too.
  bool IsWhole(std::string_view table) const;
  // Whether all tables were made: items come next.
  bool is_at_items() const { return is_at_items_; }
  // Everything before is done.
  const LoadPosition& position() const { return position_; }

  // Error of all: kInvalidArgument: the file cannot be written.
  absl::Status AddMade(const std::string& table, bool is_whole);
  absl::Status SetPosition(const LoadPosition& position);
  // Call it when the load is complete.
  void Remove();

 private:
  absl::Status Read(std::string_view text);
  absl::Status Write() const;

  std::string file_;  // empty: none
  JsonTree load_;
  std::vector<std::string> made_;
  std::vector<std::string> whole_;
  bool is_at_items_ = false;
  LoadPosition position_;
};

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_LOAD_JOURNAL_H_
