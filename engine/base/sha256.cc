#include "engine/base/sha256.h"

#include <openssl/evp.h>

namespace dynolith {

std::array<unsigned char, kSha256Bytes> Sha256(std::string_view bytes) {
  std::array<unsigned char, kSha256Bytes> digest;
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  return digest;
}

}  // namespace dynolith
