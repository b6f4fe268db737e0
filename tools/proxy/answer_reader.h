// The bytes of an endpoint's answers, in any pieces, as responses (RFC 9112); no sockets. A line
// ends with "\r\n"; what is not HTTP/1.0 or 1.1, or could be read in two ways, is refused: lines
// that are continued, two lengths, a length beside chunks, codings of the transfer besides chunked.
#ifndef DYNOLITH_TOOLS_PROXY_ANSWER_READER_H_
#define DYNOLITH_TOOLS_PROXY_ANSWER_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tools/server/http/response.h"

namespace dynolith::proxy {

// Of one connection. Requires for each answer: Begin, then Filled or Ended until it is not kMore.
class AnswerReader {
 public:
  static constexpr size_t kBodyBytesMax = 64 << 20;
  static constexpr size_t kHeadBytesMax = 16 << 10;

  enum class Progress : uint8_t { kMore, kLongBody, kAnswer, kRefused };

  // Borrows the response, which is empty, until the answer is complete. It gets the status, the
  // body as it was sent, and all headers but those of the connection and those that every answer
  // of this server has. `without_body`: the answer to HEAD.
  void Begin(bool without_body, http::Response* response);
  // For a success with a body of a known length beyond this, kLongBody is returned once, behind its
  // head; then more of the body may come. From then on the body may be taken out of the response
  // whenever some of it has come, and may have any length.
  static constexpr size_t kHeldBytesMax = 256 << 10;
  uint64_t body_bytes() const { return length_; }
  // Where the next bytes go; until Filled. At least one.
  std::span<char> Space();
  // So many bytes have come.
  Progress Filled(size_t count);
  // The endpoint says nothing more.
  Progress Ended();

  // Whether bytes of the answer have come.
  bool has_begun() const { return has_begun_; }
  // Of a complete answer: whether the connection can have another one.
  bool stays_open() const { return stays_open_; }
  // Of a refused one: the reason.
  const std::string& why() const { return why_; }

 private:
  enum class Stage : uint8_t {
    kStatusLine,
    kHeaderLines,
    kFixedBody,
    kChunkSize,
    kChunk,
    kChunkEnd,
    kTrailer,
    kBodyToTheEnd,
    kComplete,
    kRefused
  };
  static constexpr size_t kBufferBytes = 32 << 10;

  std::string_view Unread() const { return {buffer_.get() + begin_, end_ - begin_}; }
  Progress Advance();
  // Whether something was read: the rest needs more bytes.
  bool Step();
  // The next complete line, without its end. False: it is not complete, or is refused.
  bool TakeLine(std::string_view* line);
  bool ReadLine();
  void ReadStatusLine(std::string_view line);
  void ReadHeader(std::string_view line);
  void ReadFraming(std::string_view name, std::string_view value);
  void EndHead();
  void ReadChunkSize(std::string_view line);
  // Moves what there is of `rest_` bytes to the body.
  bool ReadBody(Stage next);
  void AddToBody(std::string_view bytes);
  void Refuse(std::string why);

  std::unique_ptr<char[]> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  Stage stage_ = Stage::kComplete;
  http::Response* response_ = nullptr;
  size_t line_bytes_ = 0;  // of the head, or the trailer, so far
  uint64_t rest_ = 0;      // of the body, or the chunk
  uint64_t length_ = 0;
  int minor_version_ = 1;
  bool without_body_ = false;
  bool is_long_ = false;  // kLongBody
  bool is_long_told_ = false;
  bool has_begun_ = false;
  bool has_length_ = false;
  bool is_chunked_ = false;
  bool is_closed_ = false;      // "Connection: close"
  bool is_kept_alive_ = false;  // "Connection: keep-alive"
  bool stays_open_ = false;
  std::string why_;
};

}  // namespace dynolith::proxy

#endif  // DYNOLITH_TOOLS_PROXY_ANSWER_READER_H_
