// Content codings of requests and responses (api/facts/wire.md §4).
#ifndef DYNOLITH_API_CODING_COMPRESSION_H_
#define DYNOLITH_API_CODING_COMPRESSION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dynolith::http {

enum class Coding : uint8_t { kIdentity, kGzip, kDeflate };

// "gzip", "deflate" or "identity" in any case; also "x-gzip". nullopt: any other.
std::optional<Coding> ParseCoding(std::string_view name);
std::string_view CodingName(Coding coding);

// The preferred coding of an Accept-Encoding header, by the service's rules (api/facts/wire.md §4):
// only gzip, deflate and `*` count. Identity if it allows none of them.
Coding ChooseCoding(std::string_view accept_encoding);

// Replaces `out`. gzip may have several members; deflate may lack zlib's frame. Returns false if
// the input is invalid or larger than `bytes_max`. Never holds more than twice `bytes_max`.
bool Decompress(Coding coding, std::string_view bytes, size_t bytes_max, std::string* out);

// Replaces `out`. Requires: not kIdentity.
void Compress(Coding coding, std::string_view bytes, std::string* out);

}  // namespace dynolith::http

#endif  // DYNOLITH_API_CODING_COMPRESSION_H_
