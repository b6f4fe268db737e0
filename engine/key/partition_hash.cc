// MD5 of a prefix and the key. Nearly every key fits into one block of MD5 together with the prefix
// and the padding, and then the block function is all that runs: through OpenSSL's EVP, which
// serves every algorithm, it took twice as long. Only the older interface, which OpenSSL
// discourages, reaches that function.
#include <openssl/md5.h>

#include <cstdint>
#include <cstring>

#include "engine/key/key_codec.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace dynolith {
namespace {

constexpr std::string_view kHashPrefix = "Outliers";
// A block ends with the length; before it stands at least one byte of padding.
constexpr size_t kOneBlockMax = MD5_CBLOCK - sizeof(uint64_t) - 1;

PartitionHash HashOfBlocks(absl::Span<const std::string_view> payloads) {
  MD5_CTX context;
  MD5_Init(&context);
  MD5_Update(&context, kHashPrefix.data(), kHashPrefix.size());
  for (const std::string_view payload : payloads) {
    MD5_Update(&context, payload.data(), payload.size());
  }
  PartitionHash hash;
  MD5_Final(hash.data(), &context);
  return hash;
}

}  // namespace

PartitionHash HashPartitionKey(absl::Span<const std::string_view> payloads) {
  size_t size = kHashPrefix.size();
  for (const std::string_view payload : payloads) size += payload.size();
  if (size > kOneBlockMax) return HashOfBlocks(payloads);

  unsigned char block[MD5_CBLOCK] = {};
  unsigned char* end = block;
  const auto append = [&end](std::string_view bytes) {
    std::memcpy(end, bytes.data(), bytes.size());
    end += bytes.size();
  };
  append(kHashPrefix);
  for (const std::string_view payload : payloads) {
    if (!payload.empty()) append(payload);
  }
  *end = 0x80;
  const uint64_t bits = uint64_t{8} * size;
  std::memcpy(block + MD5_CBLOCK - sizeof(bits), &bits, sizeof(bits));
  MD5_CTX context;
  MD5_Init(&context);
  MD5_Transform(&context, block);
  PartitionHash hash;
  const MD5_LONG words[] = {context.A, context.B, context.C, context.D};
  static_assert(sizeof(words) == sizeof(hash));
  std::memcpy(hash.data(), words, sizeof(words));
  return hash;
}

}  // namespace dynolith

#pragma GCC diagnostic pop
