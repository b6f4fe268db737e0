#include "api/remote/gzip_answer.h"

#include <zlib.h>

#include <algorithm>
#include <new>

#include "absl/cleanup/cleanup.h"
#include "api/remote/messages.h"

namespace dynolith::client {
namespace {

// The largest window, and gzip's header and checksum around each member.
constexpr int kGzipWindowBits = 15 + 16;
constexpr size_t kFirstBytes = 4096;

}  // namespace

absl::StatusOr<std::string> InflateGzip(std::string_view gzip, size_t bytes_max) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindowBits) != Z_OK) throw std::bad_alloc();
  const absl::Cleanup end = [&stream] { inflateEnd(&stream); };
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  stream.avail_in = static_cast<uInt>(gzip.size());
  std::string content;
  size_t made = 0;
  for (;;) {
    // One byte more than is allowed shows that there is more.
    if (made == content.size()) {
      content.resize(std::min(std::max(2 * made, kFirstBytes), bytes_max + 1));
    }
    stream.next_out = reinterpret_cast<Bytef*>(content.data() + made);
    stream.avail_out = static_cast<uInt>(content.size() - made);
    const int result = inflate(&stream, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    made = content.size() - stream.avail_out;
    if (made > bytes_max) return absl::UnavailableError(messages::AnswerInflatesTooFar(bytes_max));
    if (result == Z_STREAM_END) {
      if (stream.avail_in == 0) break;
      inflateReset(&stream);
      continue;
    }
    // Without input left and with room to write it waits for bytes that will not come.
    const bool is_cut_off = stream.avail_in == 0 && stream.avail_out > 0;
    if (result != Z_OK || is_cut_off) return absl::UnavailableError(messages::AnswerGzipDamaged());
  }
  content.resize(made);
  return content;
}

}  // namespace dynolith::client
