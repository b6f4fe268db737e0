#include "engine/store/encryption/store_keys.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "engine/base/errno_status.h"
#include "engine/base/file_text.h"
#include "engine/base/hex.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/encryption/ciphers.h"
#include "engine/store/encryption/messages.h"

namespace dynolith {
namespace {

constexpr std::string_view kKeysMagic = "dynolith keys ";
constexpr std::string_view kKeysVersion = "1";
constexpr size_t kIdBytes = 16;
constexpr size_t kFingerprintBytes = 8;
// Purposes of keys that are derived from the wrapping key.
constexpr std::string_view kWraps = "dynolith wraps data keys";
constexpr std::string_view kAuthenticates = "dynolith authenticates the file of keys";
constexpr std::string_view kIdentifies = "dynolith fingerprint of a wrapping key";

// Takes what stands before `mark` off the front of `text`, and the mark.
std::string_view Take(std::string_view* text, char mark) {
  const size_t at = std::min(text->find(mark), text->size());
  const std::string_view taken = text->substr(0, at);
  text->remove_prefix(std::min(text->size(), at + 1));
  return taken;
}

std::optional<std::string> FromHex(std::string_view digits) {
  const bool is_hex =
      digits.size() % 2 == 0 && std::all_of(digits.begin(), digits.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
      });
  if (!is_hex) return std::nullopt;
  return absl::HexStringToBytes(ToAbsl(digits));
}

std::optional<uint32_t> ToNumber(std::string_view text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string BoundTo(std::string_view id, uint32_t number) { return Concat(Hex(id), " ", number); }

std::string FileIn(const std::string& folder) { return Concat(folder, "/", kKeysFile); }

}  // namespace

std::string StoreIdIn(std::string_view text) {
  if (!text.starts_with(kKeysMagic)) return "";
  Take(&text, '\n');
  if (Take(&text, ' ') != "store") return "";
  const std::optional<std::string> id = FromHex(Take(&text, '\n'));
  return id && id->size() == kIdBytes ? Hex(*id) : std::string();
}

std::string FingerprintOf(const SecretKey& wrapping) {
  return Hex(std::string_view(Authenticate(wrapping, kIdentifies)).substr(0, kFingerprintBytes));
}

absl::StatusOr<StoreKeys> StoreKeys::Make() {
  StoreKeys keys;
  DYNOLITH_ASSIGN_OR_RETURN(keys.id_, RandomBytes(kIdBytes));
  DYNOLITH_RETURN_IF_ERROR(keys.Add());
  return keys;
}

absl::Status StoreKeys::Add() {
  const uint32_t last = keys_.empty() ? 0 : newest();
  if (last == std::numeric_limits<uint32_t>::max()) {
    return absl::FailedPreconditionError(messages::KeysTooMany(kKeysFile));
  }
  DYNOLITH_ASSIGN_OR_RETURN(std::string drawn, RandomBytes(SecretKey::kBytes));
  keys_.emplace(last + 1, SecretKey(drawn));
  read_text_.clear();
  WipeText(&drawn);
  return absl::OkStatus();
}

void StoreKeys::Retire(const std::set<uint32_t>& in_use) {
  const uint32_t last = newest();
  read_text_.clear();
  std::erase_if(keys_, [&](const auto& entry) {
    return entry.first != last && !in_use.contains(entry.first);
  });
}

absl::StatusOr<std::string> StoreKeys::Text(const SecretKey& wrapping) const {
  std::string text = Concat(kKeysMagic, kKeysVersion, "\nstore ", Hex(id_), "\nwrapped-by ",
                            FingerprintOf(wrapping), "\n");
  const SecretKey wraps = DeriveKey(wrapping, kWraps);
  for (const auto& [number, key] : keys_) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::string sealed,
                              Seal(wraps, BoundTo(id_, number), key.bytes()));
    text += Concat("key ", number, " ", Hex(sealed), "\n");
  }
  const std::string tag = Authenticate(DeriveKey(wrapping, kAuthenticates), text);
  return Concat(text, "end ", Hex(tag), "\n");
}

absl::StatusOr<StoreKeys> StoreKeys::Parse(const std::string& file, std::string_view text,
                                           const SecretKey& wrapping) {
  const absl::Status altered = absl::DataLossError(messages::KeysAltered(file));
  std::string_view rest = text;
  const std::string_view first = Take(&rest, '\n');
  if (!first.starts_with(kKeysMagic)) return altered;
  if (first.substr(kKeysMagic.size()) != kKeysVersion) {
    const auto version = ToNumber(first.substr(kKeysMagic.size()));
    return version ? absl::FailedPreconditionError(messages::KeysNewer(file)) : altered;
  }
  std::string_view store = Take(&rest, '\n');
  std::string_view wrapped_by = Take(&rest, '\n');
  if (Take(&store, ' ') != "store" || Take(&wrapped_by, ' ') != "wrapped-by") return altered;
  const size_t end_at = text.rfind("end ");
  if (end_at == std::string_view::npos || !text.ends_with('\n')) return altered;
  const std::string_view tag = text.substr(end_at + 4, text.size() - end_at - 5);
  const std::string wanted =
      Hex(Authenticate(DeriveKey(wrapping, kAuthenticates), text.substr(0, end_at)));
  if (!AreSame(tag, wanted)) {
    // A text that another key wrote, or one that nobody wrote like this.
    const std::string fingerprint = FingerprintOf(wrapping);
    const bool is_fingerprint =
        wrapped_by.size() == fingerprint.size() && FromHex(wrapped_by).has_value();
    if (!is_fingerprint || wrapped_by == fingerprint) return altered;
    return absl::FailedPreconditionError(messages::KeyIsWrong(file, fingerprint, wrapped_by));
  }
  StoreKeys keys;
  const std::optional<std::string> id = FromHex(store);
  if (!id) return altered;
  keys.id_ = *id;
  const SecretKey wraps = DeriveKey(wrapping, kWraps);
  rest = text.substr(0, end_at).substr(text.size() - rest.size());
  while (!rest.empty()) {
    std::string_view line = Take(&rest, '\n');
    if (Take(&line, ' ') != "key") return altered;
    const std::optional<uint32_t> number = ToNumber(Take(&line, ' '));
    const std::optional<std::string> sealed = FromHex(line);
    if (!number || !sealed) return altered;
    std::optional<std::string> key = Unseal(wraps, BoundTo(keys.id_, *number), *sealed);
    if (!key || key->size() != SecretKey::kBytes) return altered;
    keys.keys_.emplace(*number, SecretKey(*key));
    WipeText(&*key);
  }
  if (keys.keys_.empty()) return altered;
  keys.read_text_ = text;
  return keys;
}

absl::StatusOr<StoreKeys> StoreKeys::Read(const std::string& folder, const SecretKey& wrapping) {
  const std::string file = FileIn(folder);
  const FileText read = ReadFileText(file);
  if (read.error == ENOENT) return absl::DataLossError(messages::KeysMissing(file));
  if (read.error != 0) {
    return ErrnoStatus(read.error, messages::KeysUnread(file, ErrnoReason(read.error)));
  }
  return Parse(file, read.text, wrapping);
}

absl::Status StoreKeys::Write(const std::string& folder, const SecretKey& wrapping) const {
  const std::string file = FileIn(folder);
  DYNOLITH_ASSIGN_OR_RETURN(const std::string text, Text(wrapping));
  const int error = ReplaceFileText(file, text);
  if (error == 0) return absl::OkStatus();
  return ErrnoStatus(error, messages::KeysUnwritten(file, ErrnoReason(error)));
}

}  // namespace dynolith
