// The data keys of an encrypted store, and the file that holds them, wrapped.
//
// clang-format off
//   DYNOLITH.keys = "dynolith keys 1\n"
//                   "store " id "\n"              16 random bytes; in hexadecimal, as all that follows
//                   "wrapped-by " fingerprint "\n"
//                                                 8 bytes that tell wrapping keys apart
//                   ("key " number " " wrapped "\n")+
//                                                 number: in decimal, rising; wrapped: a key sealed by
//                                                 AES-256-GCM with the wrapping key, bound to the
//                                                 store's id and the number
//                   "end " tag "\n"               HMAC-SHA-256 of all before, by the wrapping key
// clang-format on
//
// New files take the key with the highest number; each file's header says which one it has.
#ifndef DYNOLITH_ENGINE_STORE_ENCRYPTION_STORE_KEYS_H_
#define DYNOLITH_ENGINE_STORE_ENCRYPTION_STORE_KEYS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/store/encryption/secret_key.h"

namespace dynolith {

inline constexpr std::string_view kKeysFile = "DYNOLITH.keys";

// Immutable but for Add and Retire; const is thread-safe.
class StoreKeys {
 public:
  // Of a new store: one data key.
  static absl::StatusOr<StoreKeys> Make();
  // `file` is for messages. Errors: kFailedPrecondition for another wrapping key or a newer format,
  // kDataLoss for a text that was altered.
  static absl::StatusOr<StoreKeys> Parse(const std::string& file, std::string_view text,
                                         const SecretKey& wrapping);
  // The keys of the store in a folder. Errors: as Parse, kDataLoss if there is no file.
  static absl::StatusOr<StoreKeys> Read(const std::string& folder, const SecretKey& wrapping);

  // The text that these keys were read from; empty for keys that were made or changed since.
  const std::string& read_text() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return read_text_; }

  absl::StatusOr<std::string> Text(const SecretKey& wrapping) const;
  // Replaces the file durably: it is the old one or the new one at each moment.
  absl::Status Write(const std::string& folder, const SecretKey& wrapping) const;

  // nullptr: no such key.
  const SecretKey* Find(uint32_t number) const {
    const auto it = keys_.find(number);
    return it == keys_.end() ? nullptr : &it->second;
  }
  uint32_t newest() const { return keys_.rbegin()->first; }
  size_t size() const { return keys_.size(); }

  // Makes a new key, which new files take.
  absl::Status Add();
  // Forgets all keys but the newest one and those in use.
  void Retire(const std::set<uint32_t>& in_use);

 private:
  std::string id_;
  std::string read_text_;
  std::map<uint32_t, SecretKey> keys_;  // never empty
};

// The store's id as the file's text has it, in hexadecimal, without a key: so nothing authenticates
// it. Empty: there is none.
std::string StoreIdIn(std::string_view text);

// Tells wrapping keys apart, and says nothing else about them; in hexadecimal.
std::string FingerprintOf(const SecretKey& wrapping);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ENCRYPTION_STORE_KEYS_H_
