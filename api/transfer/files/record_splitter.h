// Finds the ends of a source's records, while its bytes arrive in pieces of any size.
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

// For one object. Not thread-safe.
class RecordSplitter {
 public:
  // The text of a record without its delimiters; valid during the call. A failed result ends the
  // splitting, and is its result.
  using Take = absl::FunctionRef<absl::Status(std::string_view record)>;

  // JSON: lines. CSV: lines whose quotes are closed. Ion: up to the end of a value in brackets, on
  // any number of lines. Blank records are left out.
  static std::unique_ptr<RecordSplitter> Make(InputFormat format, char csv_delimiter);
  virtual ~RecordSplitter() = default;

  // Errors: those of `take`; ValidationException for a record that is too long, after which it
  // cannot continue.
  absl::Status Feed(std::string_view bytes, Take take);
  // The bytes after the last delimiter are a record, too.
  absl::Status Finish(Take take);

  // The line at which the record that is being taken begins, or the next one if there is none, from
  // 1.
  int64_t line() const { return record_line_; }

 protected:
  // The part of the next bytes that belongs to the record: how many, and whether it ends with the
  // last of these. The first one always does.
  struct RecordEnd {
    size_t bytes = 0;
    bool is_end = false;
  };
  virtual RecordEnd FindEnd(std::string_view bytes) = 0;
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
