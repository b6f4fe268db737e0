// MD5 through OpenSSL's EVP, set up once: the algorithm is fetched once per process and the context
// made once per thread, which is most of what a one-shot call costs.
#include <openssl/evp.h>

#include <cstdlib>
#include <memory>

#include "engine/key/key_codec.h"

namespace dynolith {
namespace {

constexpr std::string_view kHashPrefix = "Outliers";

// Never freed: hashing goes on in threads that outlive static destruction.
const EVP_MD* Md5() {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "MD5", nullptr);
  return algorithm;
}

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

EVP_MD_CTX* ThreadContext() {
  thread_local const std::unique_ptr<EVP_MD_CTX, FreeContext> context(EVP_MD_CTX_new());
  return context.get();
}

}  // namespace

PartitionHash HashPartitionKey(absl::Span<const std::string_view> payloads) {
  EVP_MD_CTX* const context = ThreadContext();
  PartitionHash hash;
  bool ok = EVP_DigestInit_ex2(context, Md5(), nullptr) == 1 &&
            EVP_DigestUpdate(context, kHashPrefix.data(), kHashPrefix.size()) == 1;
  for (const std::string_view payload : payloads) {
    ok = ok && EVP_DigestUpdate(context, payload.data(), payload.size()) == 1;
  }
  ok = ok && EVP_DigestFinal_ex(context, hash.data(), nullptr) == 1;
  // Without MD5 (a FIPS-only OpenSSL) or memory there is no place for any row; going on would
  // scatter rows over wrong places.
  if (!ok) std::abort();
  return hash;
}

}  // namespace dynolith
