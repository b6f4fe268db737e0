// Finds where the records of a source end, while its bytes arrive in pieces of any size.
#ifndef DYNOLITH_API_TRANSFER_FILES_RECORD_SPLITTER_H_
#define DYNOLITH_API_TRANSFER_FILES_RECORD_SPLITTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "dynolith/requests.h"

namespace dynolith {

// Of one object. Not thread-safe.
class RecordSplitter {
 public:
  // The text of a record without what delimits it; valid during the call. A failed result ends the
  // splitting, and is its result.
  using Take = absl::FunctionRef<absl::Status(std::string_view record)>;

  // JSON: lines. CSV: lines whose quotes are closed. Ion: up to the end of a value in brackets, on
  // as many lines as it likes. Blank records are left out.
  static std::unique_ptr<RecordSplitter> Make(InputFormat format, char csv_delimiter);
  virtual ~RecordSplitter() = default;

  // Errors: those of `take`; ValidationException for a record that is too long, after which there
  // is no way to go on.
  absl::Status Feed(std::string_view bytes, Take take);
  // What stands behind the last delimiter is a record, too.
  absl::Status Finish(Take take);

  // Where the record that is being taken begins, or the next one if there is none, from 1.
  int64_t line() const { return record_line_; }

 protected:
  // Looks at the next bytes, of which the first belongs to the record: how many do, and whether it
  // ends with the last of these.
  struct Share {
    size_t bytes = 0;
    bool is_end = false;
  };
  virtual Share ShareOf(std::string_view bytes) = 0;
  // Whether there is more in the record than blanks.
  virtual bool HasContent(std::string_view record) const = 0;

 private:
  void CountLines(std::string_view bytes);
  absl::Status Emit(std::string_view record, Take take);

  std::string record_;      // what has come of it in earlier pieces
  bool has_begun_ = false;  // the record has more than blanks
  int64_t line_ = 1;        // of the next byte
  int64_t record_line_ = 1;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_FILES_RECORD_SPLITTER_H_
