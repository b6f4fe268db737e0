#include "api/transfer/files/record_splitter.h"

#include <algorithm>
#include <cstdint>

#include "api/transfer/files/messages.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

int64_t LineBreaksIn(std::string_view bytes) {
  int64_t count = 0;
  for (size_t at = 0; (at = bytes.find('\n', at)) != std::string_view::npos; ++at) ++count;
  return count;
}

class LineSplitter final : public RecordSplitter {
 protected:
  RecordEnd FindEnd(std::string_view bytes) override {
    const size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return {bytes.size(), false};
    return {end + 1, true};
  }
  bool HasContent(std::string_view record) const override {
    return record.find_first_not_of(kBlanks) != std::string_view::npos;
  }
};

// A splitter for forms in which any byte may change where the record ends.
class ByteSplitter : public RecordSplitter {
 protected:
  RecordEnd FindEnd(std::string_view bytes) final {
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (EndsWith(bytes[i])) return {i + 1, true};
    }
    return {bytes.size(), false};
  }
  // Looks at the next byte, which belongs to the record; true if the record ends with it.
  virtual bool EndsWith(char byte) = 0;
};

// A quote opens a quoted field only where a field begins; elsewhere the record is wrong, and ends
// with its line.
class CsvSplitter final : public ByteSplitter {
 public:
  explicit CsvSplitter(char delimiter) : delimiter_(delimiter) {}

 protected:
  bool EndsWith(char byte) override {
    if (state_ == State::kQuoted) {
      if (byte == '"') state_ = State::kClosed;
      return false;
    }
    if (byte == '\n') {
      state_ = State::kFieldStart;
      return true;
    }
    // A quote behind a closing one is a quote inside of the field.
    const bool may_open = state_ == State::kFieldStart || state_ == State::kClosed;
    state_ = byte == '"' && may_open ? State::kQuoted
             : byte == delimiter_    ? State::kFieldStart
                                     : State::kPlain;
    return false;
  }
  bool HasContent(std::string_view record) const override {
    return record.find_first_not_of("\r\n") != std::string_view::npos;
  }

 private:
  enum class State : uint8_t { kFieldStart, kPlain, kQuoted, kClosed };
  const char delimiter_;
  State state_ = State::kFieldStart;
};

// Knows of Ion only in what a bracket may hide: texts, comments and binary values.
class IonSplitter final : public ByteSplitter {
 protected:
  bool EndsWith(char byte) override {
    if (has_ended_) has_content_ = false;
    has_ended_ = Step(byte);
    last_ = byte;
    return has_ended_;
  }
  bool HasContent(std::string_view) const override { return has_content_ || depth_ > 0; }

 private:
  enum class State : uint8_t {
    kPlain,
    kString,        // "…"
    kSymbol,        // '…'
    kTwoQuotes,     // '' : an empty symbol, or the begin of '''
    kLongString,    // '''…'''
    kLineComment,   // // …
    kBlockComment,  // /* … */
    kBinary         // {{ … }}
  };

  bool Step(char byte) {
    if (is_escaped_) {
      is_escaped_ = false;
      return false;
    }
    switch (state_) {
      case State::kPlain:
        return StepPlain(byte);
      case State::kTwoQuotes:
        if (byte != '\'') {
          state_ = State::kPlain;
          return StepPlain(byte);
        }
        state_ = State::kLongString;
        quotes_ = 0;
        return false;
      case State::kLineComment:
        if (byte == '\n') state_ = State::kPlain;
        return false;
      case State::kBlockComment:
        if (byte == '/' && last_ == '*' && !just_opened_) state_ = State::kPlain;
        just_opened_ = false;
        return false;
      case State::kBinary:
        return StepBinary(byte);
      default:
        StepText(byte);
        return false;
    }
  }

  bool StepPlain(char byte) {
    switch (byte) {
      case '"':
        state_ = State::kString;
        break;
      case '\'':
        state_ = State::kSymbol;
        is_first_ = true;
        break;
      case '/':
        if (last_ == '/') state_ = State::kLineComment;
        return false;
      case '*':
        if (last_ == '/') {
          state_ = State::kBlockComment;
          just_opened_ = true;
          return false;
        }
        break;
      case '{':
        if (last_ == '{' && depth_ > 0) {
          state_ = State::kBinary;
          return false;
        }
        ++depth_;
        break;
      case '[':
      case '(':
        ++depth_;
        break;
      case '}':
      case ']':
      case ')':
        has_content_ = true;
        if (depth_ > 0) --depth_;
        return depth_ == 0;
      default:
        if (kBlanks.find(byte) != std::string_view::npos) return false;
    }
    has_content_ = true;
    return false;
  }

  // Its first bracket has been counted, its second one not.
  bool StepBinary(char byte) {
    if (byte == '"') {
      resume_ = State::kBinary;
      state_ = State::kString;
      return false;
    }
    if (byte != '}' || last_ != '}') return false;
    state_ = State::kPlain;
    return --depth_ == 0;
  }

  void StepText(char byte) {
    if (byte == '\\') {
      is_escaped_ = true;
      quotes_ = 0;
      is_first_ = false;
      return;
    }
    if (state_ == State::kString && byte == '"') {
      state_ = resume_;
      resume_ = State::kPlain;
    } else if (state_ == State::kSymbol && byte == '\'') {
      state_ = is_first_ ? State::kTwoQuotes : State::kPlain;
    } else if (state_ == State::kLongString) {
      quotes_ = byte == '\'' ? quotes_ + 1 : 0;
      if (quotes_ == 3) state_ = State::kPlain;
    }
    is_first_ = false;
  }

  State state_ = State::kPlain;
  State resume_ = State::kPlain;  // behind a string
  char last_ = '\0';
  int depth_ = 0;
  int quotes_ = 0;
  bool is_escaped_ = false;
  bool is_first_ = false;
  bool just_opened_ = false;
  bool has_content_ = false;
  bool has_ended_ = false;
};

}  // namespace

std::unique_ptr<RecordSplitter> RecordSplitter::Make(InputFormat format, char csv_delimiter) {
  switch (format) {
    case InputFormat::kCsv:
      return std::make_unique<CsvSplitter>(csv_delimiter);
    case InputFormat::kIon:
      return std::make_unique<IonSplitter>();
    case InputFormat::kDynamoDbJson:
      break;
  }
  return std::make_unique<LineSplitter>();
}

absl::Status RecordSplitter::Feed(std::string_view bytes, Take take) {
  while (!bytes.empty()) {
    const RecordEnd share = FindEnd(bytes);
    const std::string_view piece = bytes.substr(0, share.bytes);
    bytes.remove_prefix(share.bytes);
    CountLines(piece);
    if (record_.size() + piece.size() > kImportRecordBytesMax) {
      return ValidationError(messages::RecordTooLong());
    }
    // Most records lie in one piece, and are not copied.
    if (!share.is_end || !record_.empty()) record_ += piece;
    if (share.is_end) DYNOLITH_RETURN_IF_ERROR(Emit(record_.empty() ? piece : record_, take));
  }
  return absl::OkStatus();
}

void RecordSplitter::CountLines(std::string_view bytes) {
  size_t blanks = 0;
  if (!has_begun_) {
    blanks = std::min(bytes.find_first_not_of(kBlanks), bytes.size());
    line_ += LineBreaksIn(bytes.substr(0, blanks));
    record_line_ = line_;
    has_begun_ = blanks < bytes.size();
  }
  line_ += LineBreaksIn(bytes.substr(blanks));
}

absl::Status RecordSplitter::Finish(Take take) { return Emit(record_, take); }

absl::Status RecordSplitter::Emit(std::string_view record, Take take) {
  has_begun_ = false;
  absl::Status status;
  if (!record.empty() && HasContent(record)) {
    if (record.ends_with('\n')) record.remove_suffix(1);
    if (record.ends_with('\r')) record.remove_suffix(1);
    status = take(record);
  }
  record_.clear();
  return status;
}

}  // namespace dynolith
