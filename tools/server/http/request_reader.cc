#include "tools/server/http/request_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "engine/text/byte_scan.h"

namespace dynolith::http {
namespace {

constexpr size_t kBufferBytes = 4 << 10;
// A buffer up to this size is kept between requests until the connection is idle for a tick.
constexpr size_t kKeptBytesMax = 64 << 10;
constexpr size_t kKeptHeadersMax = 64;
constexpr size_t kRememberedHeadBytesMax = 2 << 10;
constexpr size_t kChunkLineBytesMax = 1 << 10;
// The bytes of chunks that have arrived behind the assembled body.
constexpr size_t kUndecodedBytesMax = 64 << 10;

constexpr std::array<bool, 256> MakeTokenTable() {
  std::array<bool, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[c] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[c] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[c] = true;
  for (char c : std::string_view("!#$%&'*+-.^_`|~")) table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr std::array<bool, 256> kTokenTable = MakeTokenTable();

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return kTokenTable[static_cast<unsigned char>(c)];
  });
}

bool IsControl(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

// Whether a text may be a header's value. What looks like a control character may be a tab.
bool IsValue(std::string_view text) {
  constexpr char kDelete = 0x7f;
  return !HasControlOr(text, kDelete, kDelete) || std::none_of(text.begin(), text.end(), IsControl);
}

bool IsTarget(std::string_view text) {
  return !text.empty() && std::none_of(text.begin(), text.end(), [](char c) {
    return IsControl(c) || c == ' ' || c == '\t';
  });
}

Method ParseMethod(std::string_view text) {
  static constexpr std::pair<std::string_view, Method> kMethods[] = {
      {"POST", Method::kPost}, {"GET", Method::kGet},       {"HEAD", Method::kHead},
      {"PUT", Method::kPut},   {"DELETE", Method::kDelete}, {"OPTIONS", Method::kOptions}};
  for (const auto& [name, method] : kMethods) {
    if (text == name) return method;
  }
  return Method::kOther;
}

// The whole text as a number, or false.
bool ParseSize(std::string_view text, int base, size_t* size) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *size, base);
  if (error == std::errc::result_out_of_range && stop == end) {
    *size = SIZE_MAX;
    return true;
  }
  return error == std::errc() && stop == end;
}

}  // namespace

size_t RequestReader::NextCapacity() const {
  // Memory that Space() can gain by moving the request to the front costs nothing.
  if (capacity_ > 0 && (end_ < capacity_ || begin_ > 0)) return capacity_;
  // Bytes beyond the known or largest possible length of the body do not belong to the request.
  const size_t most = stage_ == Stage::kFixedBody
                          ? head_bytes_ + content_length_
                          : limits_.head_bytes_max + limits_.body_bytes_max + kUndecodedBytesMax;
  const size_t capacity = std::max(capacity_ * 2, kBufferBytes);
  return std::min(capacity, std::max(most, capacity_ + 1));
}

std::span<char> RequestReader::Space() {
  if (begin_ > 0) {
    std::memmove(buffer_.get(), Base(), end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == capacity_) {
    const size_t capacity = NextCapacity();
    auto larger = std::make_unique_for_overwrite<char[]>(capacity);
    if (end_ > 0) std::memcpy(larger.get(), buffer_.get(), end_);
    buffer_ = std::move(larger);
    capacity_ = capacity;
  }
  return {buffer_.get() + end_, capacity_ - end_};
}

RequestReader::Progress RequestReader::Advance() {
  for (bool again = true; again;) {
    switch (stage_) {
      case Stage::kRequestLine:
        again = ReadRequestLine();
        break;
      case Stage::kHeaderLines:
        again = ReadHeaderLine();
        break;
      case Stage::kFixedBody:
        again = ReadFixedBody();
        break;
      case Stage::kChunkSize:
        again = ReadChunkSize();
        break;
      case Stage::kChunkData:
        again = ReadChunkData();
        break;
      case Stage::kChunkEnd:
        again = ReadChunkEnd();
        break;
      case Stage::kTrailers:
        again = ReadTrailer();
        break;
      case Stage::kComplete:
        return Progress::kRequest;
      case Stage::kRefused:
        return Progress::kRefused;
    }
  }
  if (stage_ == Stage::kRefused) return Progress::kRefused;
  if (chunked_) CloseGap();
  return Progress::kMore;
}

bool RequestReader::TakeExpectation() {
  const bool body_begins = stage_ == Stage::kFixedBody || stage_ == Stage::kChunkSize;
  if (!expects_continue_ || !body_begins) return false;
  expects_continue_ = false;
  return begin_ + raw_ == end_;
}

void RequestReader::Drop() {
  RememberHead();
  begin_ += chunked_ ? raw_ : head_bytes_ + content_length_;
  if (begin_ == end_) begin_ = end_ = 0;
  if (end_ == 0 && capacity_ > kKeptBytesMax) {
    buffer_.reset();
    capacity_ = 0;
  }
  stage_ = Stage::kRequestLine;
  raw_ = searched_ = head_bytes_ = content_length_ = body_bytes_ = chunk_rest_ = trailer_bytes_ = 0;
  has_length_ = has_host_ = chunked_ = expects_continue_ = false;
  headers_.clear();
  request_.keep_alive = true;
  request_.headers.clear();
  request_.body = {};
  if (request_.headers.capacity() > kKeptHeadersMax) {
    headers_.shrink_to_fit();
    last_headers_.shrink_to_fit();
    request_.headers.shrink_to_fit();
  }
}

void RequestReader::RememberHead() {
  const bool is_small =
      head_bytes_ <= kRememberedHeadBytesMax && headers_.size() <= kKeptHeadersMax;
  last_head_.clear();
  if (is_small) last_head_.append(Base(), head_bytes_);
  last_headers_.swap(headers_);
  if (!is_small) last_headers_.clear();
}

bool RequestReader::HasSpareMemory() const { return idle() && capacity_ > kBufferBytes; }

void RequestReader::Trim() {
  if (!HasSpareMemory()) return;
  buffer_.reset();
  capacity_ = begin_ = end_ = 0;
}

void RequestReader::Abandon() {
  Refuse(400);
  buffer_.reset();
  capacity_ = begin_ = end_ = 0;
}

void RequestReader::Refuse(int status) {
  stage_ = Stage::kRefused;
  refusal_ = status;
}

bool RequestReader::TakeLine(std::string_view* line) {
  const std::string_view bytes(Base(), end_ - begin_);
  const size_t newline = bytes.find('\n', std::max(raw_, searched_));
  if (newline == std::string_view::npos) {
    searched_ = bytes.size();
    return false;
  }
  if (newline == raw_ || bytes[newline - 1] != '\r') {
    Refuse(400);
    return false;
  }
  *line = bytes.substr(raw_, newline - 1 - raw_);
  raw_ = searched_ = newline + 1;
  return true;
}

bool RequestReader::ReadRequestLine() {
  if (begin_ == end_) return false;
  // Input that does not begin like HTTP is refused at once.
  const char first = *Base();
  if (first != '\r' && !kTokenTable[static_cast<unsigned char>(first)]) {
    Refuse(400);
    return true;
  }
  std::string_view line;
  if (!TakeLine(&line)) {
    if (stage_ != Stage::kRefused && end_ - begin_ > limits_.head_bytes_max) Refuse(400);
    return false;
  }
  if (line.empty()) {  // Empty lines in front of a request are allowed (RFC 9112 §2.2).
    begin_ += raw_;
    raw_ = searched_ = 0;
    return true;
  }
  if (ParseRequestLine(line)) stage_ = Stage::kHeaderLines;
  return true;
}

bool RequestReader::ReadHeaderLine() {
  if (TakeLineAsBefore()) return true;
  std::string_view line;
  const bool found = TakeLine(&line);
  if (stage_ == Stage::kRefused) return true;
  if ((found ? raw_ : end_ - begin_) > limits_.head_bytes_max) {
    Refuse(400);
    return true;
  }
  if (!found) return false;
  if (!line.empty()) return ParseHeader(line);
  EndHead();
  return true;
}

bool RequestReader::ReadFixedBody() {
  if (end_ - begin_ < head_bytes_ + content_length_) return false;
  Complete(content_length_);
  return true;
}

bool RequestReader::ReadChunkSize() {
  std::string_view line;
  if (!TakeLine(&line)) {
    if (stage_ != Stage::kRefused && end_ - begin_ - raw_ > kChunkLineBytesMax) Refuse(400);
    return stage_ == Stage::kRefused;
  }
  const std::string_view digits = http::Trim(line.substr(0, line.find(';')));
  if (line.size() > kChunkLineBytesMax || !ParseSize(digits, 16, &chunk_rest_)) {
    Refuse(400);
  } else if (chunk_rest_ > limits_.body_bytes_max - body_bytes_) {
    Refuse(413);
  } else {
    stage_ = chunk_rest_ == 0 ? Stage::kTrailers : Stage::kChunkData;
  }
  return true;
}

bool RequestReader::ReadChunkData() {
  const size_t count = std::min(chunk_rest_, end_ - begin_ - raw_);
  if (count == 0) return false;
  std::memmove(Base() + head_bytes_ + body_bytes_, Base() + raw_, count);
  body_bytes_ += count;
  chunk_rest_ -= count;
  raw_ += count;
  searched_ = raw_;
  if (chunk_rest_ == 0) stage_ = Stage::kChunkEnd;
  return chunk_rest_ == 0;
}

bool RequestReader::ReadChunkEnd() {
  if (end_ - begin_ < raw_ + 2) return false;
  if (Base()[raw_] != '\r' || Base()[raw_ + 1] != '\n') {
    Refuse(400);
    return true;
  }
  raw_ += 2;
  searched_ = raw_;
  stage_ = Stage::kChunkSize;
  return true;
}

bool RequestReader::ReadTrailer() {
  const size_t before = raw_;
  std::string_view line;
  const bool found = TakeLine(&line);
  if (stage_ == Stage::kRefused) return true;
  trailer_bytes_ += raw_ - before;
  if (trailer_bytes_ + (found ? 0 : end_ - begin_ - raw_) > limits_.head_bytes_max) {
    Refuse(400);
    return true;
  }
  if (!found) return false;
  // Trailers mean nothing here and are dropped.
  if (line.empty()) Complete(body_bytes_);
  return true;
}

bool RequestReader::ParseRequestLine(std::string_view line) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    Refuse(400);
    return false;
  }
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (!IsToken(method) || !IsTarget(target)) {
    Refuse(400);
    return false;
  }
  method_ = ToPiece(method);
  target_ = ToPiece(target);
  request_.method = ParseMethod(method);
  return ParseVersion(line.substr(last + 1));
}

bool RequestReader::ParseVersion(std::string_view version) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (version.size() != 8 || !version.starts_with("HTTP/") || version[6] != '.' ||
      !is_digit(version[5]) || !is_digit(version[7])) {
    Refuse(400);
    return false;
  }
  if (version[5] != '1') {
    Refuse(505);
    return false;
  }
  request_.minor_version = version[7] - '0';
  request_.keep_alive = request_.minor_version >= 1;
  return true;
}

bool RequestReader::TakeLineAsBefore() {
  if (headers_.size() >= last_headers_.size()) return false;
  HeaderPieces header = last_headers_[headers_.size()];
  const std::string_view line(last_head_.data() + header.name.begin, header.line_bytes);
  const std::string_view bytes(Base() + raw_, end_ - begin_ - raw_);
  if (!bytes.starts_with(line) || raw_ + line.size() > limits_.head_bytes_max) return false;
  const auto moved_by = static_cast<uint32_t>(raw_) - header.name.begin;
  header.name.begin += moved_by;
  header.value.begin += moved_by;
  raw_ = searched_ = raw_ + line.size();
  headers_.push_back(header);
  NoteHeader(header.framing, View(header.value));
  return true;
}

bool RequestReader::ParseHeader(std::string_view line) {
  size_t colon = 0;
  while (colon < line.size() && kTokenTable[static_cast<unsigned char>(line[colon])]) ++colon;
  if (colon == 0 || colon == line.size() || line[colon] != ':') {
    Refuse(400);
    return true;
  }
  const std::string_view value = http::Trim(line.substr(colon + 1));
  if (!IsValue(value)) {
    Refuse(400);
    return true;
  }
  const std::string_view name = line.substr(0, colon);
  // An empty value may have been trimmed to the line's end; its position does not matter.
  const Framing framing = ParseFraming(name);
  constexpr size_t kLineEndBytes = 2;
  headers_.push_back({.name = ToPiece(name),
                      .value = ToPiece(value),
                      .line_bytes = static_cast<uint32_t>(line.size() + kLineEndBytes),
                      .framing = framing});
  return NoteHeader(framing, value) || stage_ == Stage::kRefused;
}

RequestReader::Framing RequestReader::ParseFraming(std::string_view name) {
  static constexpr std::pair<std::string_view, Framing> kNames[] = {
      {"content-length", Framing::kContentLength},
      {"transfer-encoding", Framing::kTransferEncoding},
      {"connection", Framing::kConnection},
      {"expect", Framing::kExpect},
      {"host", Framing::kHost}};
  for (const auto& [framing_name, framing] : kNames) {
    if (EqualsIgnoreCase(name, framing_name)) return framing;
  }
  return Framing::kNothing;
}

bool RequestReader::NoteHeader(Framing framing, std::string_view value) {
  switch (framing) {
    case Framing::kNothing:
      return true;
    case Framing::kContentLength:
      return NoteContentLength(value);
    case Framing::kTransferEncoding:
      if (chunked_ || !EqualsIgnoreCase(value, "chunked")) Refuse(chunked_ ? 400 : 501);
      chunked_ = true;
      break;
    case Framing::kConnection:
      NoteConnection(value);
      break;
    case Framing::kExpect:
      if (!EqualsIgnoreCase(value, "100-continue")) Refuse(417);
      expects_continue_ = request_.minor_version >= 1;
      break;
    case Framing::kHost:
      if (has_host_) Refuse(400);
      has_host_ = true;
      break;
  }
  return stage_ != Stage::kRefused;
}

bool RequestReader::NoteContentLength(std::string_view value) {
  size_t length = 0;
  if (!ParseSize(value, 10, &length) || (has_length_ && length != content_length_)) {
    Refuse(400);
    return false;
  }
  has_length_ = true;
  content_length_ = length;
  return true;
}

void RequestReader::NoteConnection(std::string_view value) {
  while (!value.empty()) {
    const size_t comma = std::min(value.find(','), value.size());
    const std::string_view option = http::Trim(value.substr(0, comma));
    if (EqualsIgnoreCase(option, "close")) request_.keep_alive = false;
    if (EqualsIgnoreCase(option, "keep-alive") && request_.minor_version == 0) {
      request_.keep_alive = true;
    }
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
}

void RequestReader::EndHead() {
  head_bytes_ = raw_;
  if (chunked_ && (has_length_ || request_.minor_version == 0)) {
    Refuse(400);
  } else if (content_length_ > limits_.body_bytes_max) {
    Refuse(413);
  } else {
    stage_ = chunked_ ? Stage::kChunkSize : Stage::kFixedBody;
  }
}

void RequestReader::Complete(size_t body_size) {
  stage_ = Stage::kComplete;
  request_.method_text = View(method_);
  request_.target = View(target_);
  request_.headers.clear();
  request_.marks = 0;
  for (const HeaderPieces& header : headers_) {
    const std::string_view name = View(header.name);
    request_.headers.push_back({name, View(header.value)});
    request_.marks |= Request::HeaderMark(name);
  }
  request_.body = {Base() + head_bytes_, body_size};
}

void RequestReader::CloseGap() {
  const size_t body_end = head_bytes_ + body_bytes_;
  const size_t gap = raw_ - body_end;
  if (head_bytes_ == 0 || gap == 0) return;
  std::memmove(Base() + body_end, Base() + raw_, end_ - begin_ - raw_);
  end_ -= gap;
  raw_ -= gap;
  searched_ -= gap;
}

}  // namespace dynolith::http
