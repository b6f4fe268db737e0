#include "tools/proxy/answer_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include "tools/proxy/call_texts.h"
#include "tools/proxy/messages.h"
#include "tools/server/http/request.h"

namespace dynolith::proxy {
namespace {

using http::EqualsIgnoreCase;

constexpr std::array<bool, 256> kTokenBytes = [] {
  std::array<bool, 256> bytes{};
  for (size_t c = 0; c < bytes.size(); ++c) {
    bytes[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }
  for (const char c : std::string_view("!#$%&'*+-.^_`|~"))
    bytes[static_cast<unsigned char>(c)] = true;
  return bytes;
}();

bool IsToken(std::string_view text) {
  bool is_token = !text.empty();
  for (const char c : text) is_token = is_token && kTokenBytes[static_cast<unsigned char>(c)];
  return is_token;
}

// A control character, besides the tab, would end a line of our answer or be taken for something
// else by its reader.
bool IsVisible(std::string_view text) {
  // Without an early end, so that many bytes are looked at at once.
  unsigned odd = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    odd |= static_cast<unsigned>(byte < ' ') & static_cast<unsigned>(c != '\t');
    odd |= static_cast<unsigned>(byte == 0x7f);
  }
  return odd == 0;
}

bool ParseWhole(std::string_view digits, int base, uint64_t* number) {
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, *number, base);
  return error == std::errc() && stop == end && !digits.starts_with('-');
}

// "close, x" has the token "close".
bool HasListToken(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (EqualsIgnoreCase(http::Trim(list.substr(0, comma)), token)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

void AnswerReader::Begin(bool without_body, http::Response* response) {
  response_ = response;
  without_body_ = without_body;
  stage_ = Stage::kStatusLine;
  line_bytes_ = 0;
  is_long_ = is_long_told_ = false;
  has_begun_ = has_length_ = is_chunked_ = is_closed_ = is_kept_alive_ = stays_open_ = false;
}

std::span<char> AnswerReader::Space() {
  if (buffer_ == nullptr) buffer_ = std::make_unique<char[]>(kBufferBytes);
  if (begin_ == end_) begin_ = end_ = 0;
  if (begin_ > 0) {
    std::copy(buffer_.get() + begin_, buffer_.get() + end_, buffer_.get());
    end_ -= begin_;
    begin_ = 0;
  }
  return {buffer_.get() + end_, kBufferBytes - end_};
}

AnswerReader::Progress AnswerReader::Filled(size_t count) {
  end_ += count;
  has_begun_ = has_begun_ || count > 0;
  return Advance();
}

AnswerReader::Progress AnswerReader::Ended() {
  if (stage_ == Stage::kBodyToTheEnd) {
    stage_ = Stage::kComplete;
  } else if (stage_ != Stage::kComplete) {
    Refuse(has_begun_ ? messages::AnswerCutOff() : messages::NoAnswerCame());
  }
  return Advance();
}

AnswerReader::Progress AnswerReader::Advance() {
  while (stage_ != Stage::kComplete && stage_ != Stage::kRefused) {
    if (!Step()) break;
  }
  if (stage_ == Stage::kRefused) return Progress::kRefused;
  if (is_long_ && !std::exchange(is_long_told_, true)) return Progress::kLongBody;
  if (stage_ != Stage::kComplete) return Progress::kMore;
  // Bytes that nobody has asked for would be taken for the next answer.
  if (begin_ != end_) stays_open_ = false;
  return Progress::kAnswer;
}

bool AnswerReader::Step() {
  switch (stage_) {
    case Stage::kFixedBody:
      return ReadBody(Stage::kComplete);
    case Stage::kChunk:
      return ReadBody(Stage::kChunkEnd);
    case Stage::kBodyToTheEnd:
      AddToBody(Unread());
      begin_ = end_;
      return false;
    default:
      return ReadLine();
  }
}

bool AnswerReader::TakeLine(std::string_view* line) {
  const std::string_view bytes = Unread();
  const size_t newline = bytes.find('\n');
  const size_t taken = std::min(newline, bytes.size());
  if (line_bytes_ + taken > kHeadBytesMax) {
    Refuse(messages::AnswerHeadTooLong());
    return false;
  }
  if (newline == std::string_view::npos) return false;
  if (newline == 0 || bytes[newline - 1] != '\r') {
    Refuse(messages::AnswerNotHttp());
    return false;
  }
  *line = bytes.substr(0, newline - 1);
  begin_ += newline + 1;
  line_bytes_ += newline + 1;
  return true;
}

bool AnswerReader::ReadLine() {
  std::string_view line;
  if (!TakeLine(&line)) return stage_ == Stage::kRefused;
  if (stage_ == Stage::kStatusLine) {
    ReadStatusLine(line);
  } else if (stage_ == Stage::kHeaderLines) {
    line.empty() ? EndHead() : ReadHeader(line);
  } else if (stage_ == Stage::kChunkSize) {
    ReadChunkSize(line);
  } else if (stage_ == Stage::kChunkEnd) {
    line_bytes_ = 0;
    line.empty() ? static_cast<void>(stage_ = Stage::kChunkSize)
                 : Refuse(messages::AnswerNotHttp());
  } else if (line.empty()) {  // of the trailer, which is not handed on
    stage_ = Stage::kComplete;
  }
  return true;
}

// "HTTP/1.1 200 OK"
void AnswerReader::ReadStatusLine(std::string_view line) {
  constexpr std::string_view kVersion = "HTTP/1.";
  constexpr size_t kCodeBegin = kVersion.size() + 2;
  constexpr size_t kCodeEnd = kCodeBegin + 3;
  uint64_t status = 0;
  const bool is_good = line.size() >= kCodeEnd && line.starts_with(kVersion) &&
                       (line[kVersion.size()] == '0' || line[kVersion.size()] == '1') &&
                       line[kCodeBegin - 1] == ' ' &&
                       ParseWhole(line.substr(kCodeBegin, 3), 10, &status) && status >= 100 &&
                       (line.size() == kCodeEnd || line[kCodeEnd] == ' ') && IsVisible(line);
  if (!is_good) return Refuse(messages::AnswerNotHttp());
  minor_version_ = line[kVersion.size()] - '0';
  response_->status = static_cast<int>(status);
  stage_ = Stage::kHeaderLines;
}

void AnswerReader::ReadHeader(std::string_view line) {
  const size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  if (colon == std::string_view::npos || !IsToken(name) || !IsVisible(line)) {
    return Refuse(messages::AnswerNotHttp());
  }
  const std::string_view value = http::Trim(line.substr(colon + 1));
  if (!IsOfConnection(name)) return response_->AddHeader(name, value);
  ReadFraming(name, value);
}

void AnswerReader::ReadFraming(std::string_view name, std::string_view value) {
  if (EqualsIgnoreCase(name, "content-length")) {
    uint64_t length = 0;
    if (!ParseWhole(value, 10, &length) || (has_length_ && length != length_)) {
      return Refuse(messages::AnswerNotHttp());
    }
    has_length_ = true;
    length_ = length;
  } else if (EqualsIgnoreCase(name, "transfer-encoding")) {
    if (is_chunked_ || !EqualsIgnoreCase(value, "chunked")) {
      return Refuse(messages::AnswerFramingUnknown(value));
    }
    is_chunked_ = true;
  } else if (EqualsIgnoreCase(name, "connection")) {
    is_closed_ = is_closed_ || HasListToken(value, "close");
    is_kept_alive_ = is_kept_alive_ || HasListToken(value, "keep-alive");
  }
}

void AnswerReader::EndHead() {
  if (is_chunked_ && has_length_) return Refuse(messages::AnswerNotHttp());
  constexpr int kFirstFinal = 200;
  constexpr int kSwitching = 101;
  if (response_->status == kSwitching) return Refuse(messages::AnswerNotHttp());
  if (response_->status < kFirstFinal) {
    const bool closes = is_closed_;
    response_->Clear();
    http::Response* const response = response_;
    Begin(without_body_, response);
    has_begun_ = true;
    is_closed_ = closes;
    return;
  }
  line_bytes_ = 0;
  stays_open_ = !is_closed_ && (minor_version_ == 1 || is_kept_alive_);
  const bool is_without = without_body_ || response_->status == 204 || response_->status == 304;
  if (is_without) {
    stage_ = Stage::kComplete;
  } else if (is_chunked_) {
    stage_ = Stage::kChunkSize;
  } else if (has_length_) {
    is_long_ = response_->status == 200 && length_ > kHeldBytesMax;
    if (length_ > kBodyBytesMax && !is_long_) return Refuse(messages::AnswerTooLong());
    if (!is_long_) response_->body.reserve(length_);
    rest_ = length_;
    stage_ = Stage::kFixedBody;
  } else {
    stays_open_ = false;
    stage_ = Stage::kBodyToTheEnd;
  }
}

void AnswerReader::ReadChunkSize(std::string_view line) {
  const std::string_view digits = http::Trim(line.substr(0, line.find(';')));
  if (!ParseWhole(digits, 16, &rest_)) return Refuse(messages::AnswerNotHttp());
  if (rest_ > kBodyBytesMax) return Refuse(messages::AnswerTooLong());
  line_bytes_ = 0;
  stage_ = rest_ > 0 ? Stage::kChunk : Stage::kTrailer;
}

bool AnswerReader::ReadBody(Stage next) {
  const std::string_view bytes = Unread().substr(0, rest_);
  AddToBody(bytes);
  if (stage_ == Stage::kRefused) return true;
  begin_ += bytes.size();
  rest_ -= bytes.size();
  if (rest_ > 0) return false;
  stage_ = next;
  return true;
}

void AnswerReader::AddToBody(std::string_view bytes) {
  if (!is_long_ && response_->body.size() + bytes.size() > kBodyBytesMax) {
    return Refuse(messages::AnswerTooLong());
  }
  response_->body.append(bytes);
}

void AnswerReader::Refuse(std::string why) {
  why_ = std::move(why);
  stage_ = Stage::kRefused;
  stays_open_ = false;
}

}  // namespace dynolith::proxy
