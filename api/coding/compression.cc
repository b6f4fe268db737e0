#include "api/coding/compression.h"

#include <libdeflate.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <system_error>
#include <vector>

#include "api/coding/http_text.h"

namespace dynolith::http {
namespace {

// Fast rather than small: the client is usually on the same machine or network.
constexpr int kCompressionLevel = 3;
constexpr size_t kExpectedRatio = 8;

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};
struct FreeCompressor {
  void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
};

libdeflate_decompressor* ThreadDecompressor() {
  thread_local const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(
      libdeflate_alloc_decompressor());
  return decompressor.get();
}

libdeflate_compressor* ThreadCompressor() {
  thread_local const std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor(
      libdeflate_alloc_compressor(kCompressionLevel));
  return compressor.get();
}

// One stream of `read` bytes that gives `written` bytes.
using DecompressOne = libdeflate_result (*)(libdeflate_decompressor*, const void*, size_t, void*,
                                            size_t, size_t*, size_t*);

// Decompresses consecutive streams. Until Finish `out` is larger than its content: all streams, of
// which there may be as many as bytes, share memory that was allocated once.
class Streams {
 public:
  Streams(DecompressOne decompress, size_t bytes_max, std::string* out)
      : decompress_(decompress), bytes_max_(bytes_max), out_(out) {
    out_->clear();
  }

  // Appends the content of the first stream of `bytes` and removes the stream.
  bool Append(std::string_view* bytes) {
    if (out_->size() == size_) MakeRoom(bytes->size() * kExpectedRatio);
    while (true) {
      const size_t room = out_->size() - size_;
      size_t read = 0;
      size_t written = 0;
      const libdeflate_result result =
          decompress_(ThreadDecompressor(), bytes->data(), bytes->size(), out_->data() + size_,
                      room, &read, &written);
      if (result == LIBDEFLATE_SUCCESS) {
        size_ += written;
        bytes->remove_prefix(read);
        return true;
      }
      if (result != LIBDEFLATE_INSUFFICIENT_SPACE || out_->size() == bytes_max_) return false;
      MakeRoom(std::max(bytes->size() * kExpectedRatio, room * 4));
    }
  }
  void Finish() { out_->resize(size_); }

 private:
  void MakeRoom(size_t room) { out_->resize(std::min(bytes_max_, size_ + room)); }

  const DecompressOne decompress_;
  const size_t bytes_max_;
  std::string* const out_;
  size_t size_ = 0;  // of what has been written
};

bool DecompressGzip(std::string_view bytes, size_t bytes_max, std::string* out) {
  Streams members(libdeflate_gzip_decompress_ex, bytes_max, out);
  do {
    if (!members.Append(&bytes)) return false;
  } while (!bytes.empty());
  members.Finish();
  return true;
}

bool DecompressWhole(DecompressOne decompress, std::string_view bytes, size_t bytes_max,
                     std::string* out) {
  Streams whole(decompress, bytes_max, out);
  if (!whole.Append(&bytes) || !bytes.empty()) return false;
  whole.Finish();
  return true;
}

// The number behind "q=", anywhere in a parameter, limited to 0 to 1; nullopt if it is invalid.
std::optional<double> ParseQuality(std::string_view parameter) {
  const size_t at = std::min(parameter.find("q="), parameter.find("Q="));
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = Trim(parameter.substr(at + 2));
  double quality = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), quality);
  if (error != std::errc() || end != digits.data() + digits.size() || std::isnan(quality)) {
    return std::nullopt;
  }
  return std::clamp(quality, 0.0, 1.0);
}

// An entry of the header.
struct Allowed {
  std::string_view name;
  double quality = 1;
};

Allowed ParseEntry(std::string_view entry) {
  const auto take = [&] {
    const size_t semicolon = std::min(entry.find(';'), entry.size());
    const std::string_view part = Trim(entry.substr(0, semicolon));
    entry.remove_prefix(std::min(semicolon + 1, entry.size()));
    return part;
  };
  Allowed allowed{.name = take()};
  while (!entry.empty()) {
    if (const auto quality = ParseQuality(take())) {
      allowed.quality = *quality;
      break;
    }
  }
  return allowed;
}

}  // namespace

std::optional<Coding> ParseCoding(std::string_view name) {
  if (EqualsIgnoreCase(name, "gzip") || EqualsIgnoreCase(name, "x-gzip")) return Coding::kGzip;
  if (EqualsIgnoreCase(name, "deflate")) return Coding::kDeflate;
  if (EqualsIgnoreCase(name, "identity")) return Coding::kIdentity;
  return std::nullopt;
}

std::string_view CodingName(Coding coding) {
  switch (coding) {
    case Coding::kGzip:
      return "gzip";
    case Coding::kDeflate:
      return "deflate";
    case Coding::kIdentity:
      break;
  }
  return "identity";
}

Coding ChooseCoding(std::string_view accept_encoding) {
  struct Choice {
    Coding coding;
    double quality;
    bool is_any = false;
  };
  std::vector<Choice> choices;  // in the order of the header
  std::optional<double> any;
  while (!accept_encoding.empty()) {
    const size_t comma = std::min(accept_encoding.find(','), accept_encoding.size());
    const Allowed allowed = ParseEntry(accept_encoding.substr(0, comma));
    accept_encoding.remove_prefix(std::min(comma + 1, accept_encoding.size()));
    const bool is_gzip = EqualsIgnoreCase(allowed.name, CodingName(Coding::kGzip));
    if (allowed.name == "*") {
      if (any.value_or(0) == 0) any = allowed.quality;
    } else if (is_gzip || EqualsIgnoreCase(allowed.name, CodingName(Coding::kDeflate))) {
      const Coding coding = is_gzip ? Coding::kGzip : Coding::kDeflate;
      const auto named = std::find_if(choices.begin(), choices.end(),
                                      [&](const Choice& each) { return each.coding == coding; });
      if (named == choices.end()) {
        choices.push_back({coding, allowed.quality});
      } else if (named->quality == 0) {
        named->quality = allowed.quality;
      }
    }
  }
  const auto best = [&] {
    return std::max_element(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
      return a.quality < b.quality || (a.quality == b.quality && a.is_any && !b.is_any);
    });
  };
  if (any) {
    // The first coding that is not named, or the preferred one.
    const auto is_named = [&](Coding coding) {
      return std::any_of(choices.begin(), choices.end(),
                         [&](const Choice& each) { return each.coding == coding; });
    };
    const Coding meant = !is_named(Coding::kGzip)      ? Coding::kGzip
                         : !is_named(Coding::kDeflate) ? Coding::kDeflate
                                                       : best()->coding;
    choices.push_back({meant, *any, /*is_any=*/true});
  }
  const auto chosen = best();
  return chosen == choices.end() || chosen->quality == 0 ? Coding::kIdentity : chosen->coding;
}

bool Decompress(Coding coding, std::string_view bytes, size_t bytes_max, std::string* out) {
  switch (coding) {
    case Coding::kIdentity:
      out->assign(bytes);
      return bytes.size() <= bytes_max;
    case Coding::kGzip:
      return DecompressGzip(bytes, bytes_max, out);
    case Coding::kDeflate:
      break;
  }
  return DecompressWhole(libdeflate_zlib_decompress_ex, bytes, bytes_max, out) ||
         DecompressWhole(libdeflate_deflate_decompress_ex, bytes, bytes_max, out);
}

void Compress(Coding coding, std::string_view bytes, std::string* out) {
  libdeflate_compressor* const compressor = ThreadCompressor();
  if (coding == Coding::kGzip) {
    out->resize(libdeflate_gzip_compress_bound(compressor, bytes.size()));
    out->resize(
        libdeflate_gzip_compress(compressor, bytes.data(), bytes.size(), out->data(), out->size()));
  } else {
    out->resize(libdeflate_zlib_compress_bound(compressor, bytes.size()));
    out->resize(
        libdeflate_zlib_compress(compressor, bytes.data(), bytes.size(), out->data(), out->size()));
  }
}

}  // namespace dynolith::http
