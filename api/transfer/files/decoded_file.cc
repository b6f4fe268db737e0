#include "api/transfer/files/decoded_file.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "api/transfer/files/data_file.h"
#include "api/transfer/files/messages.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

using Take = absl::FunctionRef<absl::Status(std::string_view)>;

constexpr size_t kReadBytes = 1 << 18;

absl::Status Damaged(std::string_view coding) {
  return ValidationError(messages::ObjectDamaged(coding));
}

// Decodes one coding.
class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual absl::Status Feed(std::string_view bytes, Take take) = 0;
  // Returns whether the input may end here.
  virtual absl::Status Finish() = 0;
};

class PlainDecoder final : public Decoder {
 public:
  absl::Status Feed(std::string_view bytes, Take take) override { return take(bytes); }
  absl::Status Finish() override { return absl::OkStatus(); }
};

class GzipDecoder final : public Decoder {
 public:
  GzipDecoder() : out_(kReadBytes) { inflateInit2(&stream_, kGzipWindowBits); }
  ~GzipDecoder() override { inflateEnd(&stream_); }

  absl::Status Feed(std::string_view bytes, Take take) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    while (stream_.avail_in > 0 || out_is_full_) {
      if (is_at_end_) inflateReset(&stream_);
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
        return Damaged("GZIP");
      }
      is_at_end_ = result == Z_STREAM_END;
      out_is_full_ = !is_at_end_ && stream_.avail_out == 0;
      DYNOLITH_RETURN_IF_ERROR(take({out_.data(), out_.size() - stream_.avail_out}));
      if (result == Z_BUF_ERROR) break;
    }
    return absl::OkStatus();
  }
  absl::Status Finish() override { return is_at_end_ ? absl::OkStatus() : Damaged("GZIP"); }

 private:
  z_stream stream_ = {};
  std::vector<char> out_;
  bool is_at_end_ = false;
  bool out_is_full_ = false;
};

class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder() : out_(kReadBytes), stream_(ZSTD_createDStream()) {}
  ~ZstdDecoder() override { ZSTD_freeDStream(stream_); }

  absl::Status Feed(std::string_view bytes, Take take) override {
    ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
    bool is_full = false;
    while (in.pos < in.size || is_full) {
      ZSTD_outBuffer out = {out_.data(), out_.size(), 0};
      const size_t result = ZSTD_decompressStream(stream_, &out, &in);
      if (ZSTD_isError(result) != 0) return Damaged("ZSTD");
      is_at_end_ = result == 0;
      is_full = !is_at_end_ && out.pos == out.size;
      DYNOLITH_RETURN_IF_ERROR(take({out_.data(), out.pos}));
    }
    return absl::OkStatus();
  }
  absl::Status Finish() override { return is_at_end_ ? absl::OkStatus() : Damaged("ZSTD"); }

 private:
  std::vector<char> out_;
  ZSTD_DStream* const stream_;
  bool is_at_end_ = false;
};

std::unique_ptr<Decoder> MakeDecoder(InputCompressionType coding) {
  switch (coding) {
    case InputCompressionType::kGzip:
      return std::make_unique<GzipDecoder>();
    case InputCompressionType::kZstd:
      return std::make_unique<ZstdDecoder>();
    case InputCompressionType::kNone:
      break;
  }
  return std::make_unique<PlainDecoder>();
}

absl::Status ReadPieces(int file, InputCompressionType coding, Take take) {
  const std::unique_ptr<Decoder> decoder = MakeDecoder(coding);
  std::vector<char> piece(kReadBytes);
  for (bool is_empty = true;; is_empty = false) {
    const ssize_t bytes = read(file, piece.data(), piece.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return absl::UnavailableError(std::strerror(errno));
    if (bytes == 0) return is_empty ? absl::OkStatus() : decoder->Finish();
    DYNOLITH_RETURN_IF_ERROR(decoder->Feed({piece.data(), static_cast<size_t>(bytes)}, take));
  }
}

// If a file was written to or truncated during the read, its end cannot be trusted. Pipes and the
// like have no size of their own.
bool HasChanged(const struct stat& before, const struct stat& now) {
  return S_ISREG(before.st_mode) &&
         (before.st_size != now.st_size || before.st_mtim.tv_sec != now.st_mtim.tv_sec ||
          before.st_mtim.tv_nsec != now.st_mtim.tv_nsec);
}

}  // namespace

absl::Status ReadDecoded(int file, InputCompressionType coding, Take take) {
  struct stat before = {};
  struct stat now = {};
  if (fstat(file, &before) != 0) return absl::UnavailableError(std::strerror(errno));
  absl::Status taken;
  absl::Status read = ReadPieces(file, coding, [&](std::string_view bytes) {
    taken = take(bytes);
    return taken;
  });
  // A partly written file may be refused before its end.
  if (!taken.ok() && KindOf(taken) != ErrorKind::kValidation) return taken;
  if (fstat(file, &now) != 0) return absl::UnavailableError(std::strerror(errno));
  return HasChanged(before, now) ? absl::UnavailableError(messages::FileChangedMeanwhile()) : read;
}

}  // namespace dynolith
