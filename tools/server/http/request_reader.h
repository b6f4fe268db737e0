// Parses HTTP/1.x requests from a stream of bytes that arrives in arbitrary pieces. Has no sockets.
//
// clang-format off
//   request = method SP target SP "HTTP/1." digit CRLF (name ":" value CRLF)* CRLF body
//   body    = Content-Length bytes
//           | (hex-size [";" extension] CRLF data CRLF)* "0" CRLF trailer* CRLF
// clang-format on
//
// Strict where leniency lets two parties disagree on where a request ends (RFC 9112): lines end in
// CRLF, no folded lines, no space before the colon, not both lengths, no two different lengths.
#ifndef DYNOLITH_TOOLS_SERVER_HTTP_REQUEST_READER_H_
#define DYNOLITH_TOOLS_SERVER_HTTP_REQUEST_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/limits.h"
#include "tools/server/http/request.h"

namespace dynolith::http {

struct Limits {
  size_t head_bytes_max = 16 << 10;          // more: 400
  size_t body_bytes_max = kRequestBytesMax;  // more: 413
};

// Owns the connection's input buffer. It takes at most twice the received bytes of the current
// request, and a few KB when idle.
class RequestReader {
 public:
  explicit RequestReader(Limits limits) : limits_(limits) {}

  // Sets the sender of all requests, and whether it is this machine.
  void NotePeer(const AddressBytes& peer, bool on_this_machine) {
    request_.peer = peer;
    request_.from_this_machine = on_this_machine;
  }
  // Sets which of the server's ports all requests come by.
  void NoteDoor(size_t door) { request_.door = door; }

  // The memory for the next bytes; never empty. Invalidates request(). May move the buffer.
  std::span<char> Space();
  // The memory that the next Space() adds to capacity().
  size_t NextGrowth() const { return NextCapacity() - capacity_; }
  // Call after filling the first `count` bytes of Space().
  void Filled(size_t count) { end_ += count; }

  enum class Progress : uint8_t {
    kMore,     // the request is not complete
    kRequest,  // request() is complete; Advance returns this until Drop
    kRefused,  // refusal() has the reason; the rest of the stream cannot be parsed
  };
  Progress Advance();

  // Valid after kRequest, until Drop or Space.
  const Request& request() const { return request_; }
  // The HTTP status for a request that was refused: 400, 413, 417, 501 or 505.
  int refusal() const { return refusal_; }
  // Whether the client waits for "100 Continue" before it sends its body. True once per request.
  bool TakeExpectation();

  // Removes the complete request; the next one begins behind it in the buffer.
  void Drop();
  // Whether the buffer is larger than an idle connection needs.
  bool HasSpareMemory() const;
  // Frees spare memory if nothing is buffered. Invalidates Space().
  void Trim();
  // Frees all memory; the reader cannot be used any more.
  void Abandon();

  // Whether no byte of the next request has arrived.
  bool idle() const { return begin_ == end_ && stage_ == Stage::kRequestLine; }
  // Whether the next request's head has arrived, so that the client may wait for its answer.
  bool has_head() const { return stage_ > Stage::kHeaderLines; }
  size_t capacity() const { return capacity_; }

 private:
  enum class Stage : uint8_t {
    kRequestLine,
    kHeaderLines,
    kFixedBody,
    kChunkSize,
    kChunkData,
    kChunkEnd,
    kTrailers,
    kComplete,
    kRefused
  };
  // Positions from begin_, so that they survive a move of the buffer.
  struct Piece {
    uint32_t begin = 0;
    uint32_t size = 0;
  };
  // The framing of the request by its headers.
  enum class Framing : uint8_t {
    kNothing,
    kContentLength,
    kTransferEncoding,
    kConnection,
    kExpect,
    kHost
  };
  struct HeaderPieces {
    Piece name;  // at the beginning of its line
    Piece value;
    uint32_t line_bytes = 0;  // with its CRLF
    Framing framing = Framing::kNothing;
  };

  size_t NextCapacity() const;
  void Refuse(int status);
  char* Base() { return buffer_.get() + begin_; }
  std::string_view View(Piece piece) { return {Base() + piece.begin, piece.size}; }
  Piece ToPiece(std::string_view view) {
    return {static_cast<uint32_t>(view.data() - Base()), static_cast<uint32_t>(view.size())};
  }

  // Takes the next line from raw_ on, without its CRLF. False: it is incomplete, or refused.
  bool TakeLine(std::string_view* line);
  // Each does one step of its stage; false: it needs more bytes.
  bool ReadRequestLine();
  bool ReadHeaderLine();
  bool ReadFixedBody();
  bool ReadChunkSize();
  bool ReadChunkData();
  bool ReadChunkEnd();
  bool ReadTrailer();

  bool ParseRequestLine(std::string_view line);
  bool ParseVersion(std::string_view version);
  bool ParseHeader(std::string_view line);
  static Framing ParseFraming(std::string_view name);
  // Takes the next line if it equals the line at its place in the last request, which is usual.
  bool TakeLineAsBefore();
  // Applies the headers that frame the request. False: refused.
  bool NoteHeader(Framing framing, std::string_view value);
  bool NoteContentLength(std::string_view value);
  void NoteConnection(std::string_view value);
  void EndHead();
  void Complete(size_t body_size);
  void RememberHead();
  // Closes the gap that decoded chunks leave between body and undecoded bytes.
  void CloseGap();

  const Limits limits_;
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
  size_t begin_ = 0;  // of the current request
  size_t end_ = 0;    // of the filled bytes

  Stage stage_ = Stage::kRequestLine;
  int refusal_ = 0;
  // From begin_: the consumed bytes, and the bytes in which the line's end was searched.
  size_t raw_ = 0;
  size_t searched_ = 0;
  size_t head_bytes_ = 0;
  size_t content_length_ = 0;
  size_t body_bytes_ = 0;  // decoded so far, from head_bytes_ on
  size_t chunk_rest_ = 0;
  size_t trailer_bytes_ = 0;
  bool has_length_ = false;
  bool has_host_ = false;
  bool chunked_ = false;
  bool expects_continue_ = false;
  Piece method_;
  Piece target_;
  std::vector<HeaderPieces> headers_;
  // The previous request's head, unless it was large.
  std::string last_head_;
  std::vector<HeaderPieces> last_headers_;
  Request request_;
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_SERVER_HTTP_REQUEST_READER_H_
