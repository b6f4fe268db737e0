// A key of 256 bits that leaves no trace in memory when it goes.
#ifndef DYNOLITH_ENGINE_STORE_ENCRYPTION_SECRET_KEY_H_
#define DYNOLITH_ENGINE_STORE_ENCRYPTION_SECRET_KEY_H_

#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "absl/base/attributes.h"

namespace dynolith {

class SecretKey {
 public:
  static constexpr size_t kBytes = 32;

  SecretKey() = default;
  // Requires: kBytes bytes.
  explicit SecretKey(std::string_view bytes) { std::copy_n(bytes.begin(), kBytes, bytes_.begin()); }
  SecretKey(const SecretKey&) = default;
  SecretKey& operator=(const SecretKey&) = default;
  ~SecretKey() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }

  std::string_view bytes() const& ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return {bytes_.data(), bytes_.size()};
  }
  std::string_view bytes() && = delete;

 private:
  std::array<char, kBytes> bytes_ = {};
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ENCRYPTION_SECRET_KEY_H_
