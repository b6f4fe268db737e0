// Signature Version 4: from a canonical request and a secret to the signature (api/facts/wire.md
// §10).
#ifndef DYNOLITH_API_REMOTE_SIGNATURE_H_
#define DYNOLITH_API_REMOTE_SIGNATURE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace dynolith::http {

class HmacContext;

using Digest = std::array<uint8_t, 32>;

Digest Sha256(std::string_view bytes);
Digest HmacSha256(std::string_view key, std::string_view bytes);
std::string Hex(const Digest& digest);

// In constant time for texts of equal length.
bool SecretsEqual(std::string_view left, std::string_view right);

// `date` is "20261001T120000Z", `scope` "20261001/us-east-1/dynamodb/aws4_request".
std::string StringToSign(std::string_view date, std::string_view scope,
                         std::string_view canonical_request);

// `day` is "20261001".
Digest SigningKey(std::string_view secret, std::string_view day, std::string_view region,
                  std::string_view service);

// 64 hexadecimal digits.
std::string Sign(const Digest& signing_key, std::string_view string_to_sign);

// Signs many times with one key, whose part is computed once. Thread-compatible.
class Signer {
 public:
  explicit Signer(const Digest& signing_key);
  Signer(Signer&&) noexcept;
  Signer& operator=(Signer&&) noexcept;
  ~Signer();

  // Like the function above.
  std::string Sign(std::string_view string_to_sign);

 private:
  std::unique_ptr<HmacContext> mac_;
};

}  // namespace dynolith::http

#endif  // DYNOLITH_API_REMOTE_SIGNATURE_H_
