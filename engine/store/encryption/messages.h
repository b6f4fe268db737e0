// The texts of encrypted stores about keys and files. Each names the folder, the file or where the
// key comes from.
#ifndef DYNOLITH_ENGINE_STORE_ENCRYPTION_MESSAGES_H_
#define DYNOLITH_ENGINE_STORE_ENCRYPTION_MESSAGES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// ===== The wrapping key

// The text is not repeated, as it may be the key.
inline std::string NotAKeySource(std::string_view text) {
  return Concat("a text of ", text.size(),
                " bytes does not say where a key is: file:PATH, env:NAME or command:TEXT");
}
inline std::string KeyUnread(std::string_view source, std::string_view reason) {
  return Concat("the key of the store cannot be read from ", source, ": ", reason);
}
inline std::string KeyMalformed(std::string_view source, size_t bytes) {
  return Concat("the key of the store from ", source, " has ", bytes,
                " bytes: it is 32 bytes, or 64 hexadecimal digits, or base64 of 32 bytes (openssl "
                "rand -hex 32 prints one)");
}
inline std::string KeySourceOfFile(std::string_view file) { return Concat("the file ", file); }
inline std::string KeySourceOfVariable(std::string_view name) {
  return Concat("the environment variable ", name);
}
// Without its arguments, which may be secret.
inline std::string KeySourceOfCommand(std::string_view command) {
  return Concat("the command ", command.substr(0, command.find_first_of(" \t\n")));
}
inline std::string KeyChanges(std::string_view source) {
  return Concat("the new key, ", source, ", is another one each time that it is read");
}
inline std::string KeyVariableUnset() { return "it is not set"; }
inline std::string KeyCommandFailed(int status) { return Concat("it ended with status ", status); }
inline std::string KeyCommandKilled(int signal) {
  return Concat("it was ended by signal ", signal);
}
inline std::string KeyCommandSlow(int64_t seconds) {
  return Concat("it has not ended within ", seconds, " seconds");
}

// ===== The keys of a store

inline std::string KeysMissing(std::string_view file) {
  return Concat("the keys of an encrypted store are missing: ", file,
                "; without this file nothing of the store can be read");
}
inline std::string KeysUnread(std::string_view file, std::string_view reason) {
  return Concat("cannot read ", file, ": ", reason);
}
inline std::string KeysUnwritten(std::string_view file, std::string_view reason) {
  return Concat("cannot write ", file, ": ", reason);
}
inline std::string KeysNewer(std::string_view file) {
  return Concat(file, " has a newer format than this program knows");
}
inline std::string KeysAltered(std::string_view file) {
  return Concat(file, " was altered or cut: its text does not fit to its checksum");
}
inline std::string KeyIsWrong(std::string_view file, std::string_view given,
                              std::string_view wanted) {
  return Concat("the key is not the one that ", file, " was written with: its fingerprint is ",
                given, ", that of the store's is ", wanted);
}
inline std::string OlderKeyInUse(std::string_view file) {
  return Concat("all has been written again, but ", file,
                " still has an earlier data key, which is kept");
}
inline std::string KeysTooMany(std::string_view file) {
  return Concat(file, " has no more numbers for new keys");
}

// ===== Folders

inline std::string FolderIsEncrypted(std::string_view folder) {
  return Concat("the data folder ", folder,
                " is encrypted: give the key with --encryption-key (encryption_key of a library)");
}
inline std::string FolderNotEncrypted(std::string_view folder) {
  return Concat("the data folder ", folder,
                " is not encrypted, but a key was given: only a new folder becomes an encrypted "
                "one, to which dynolith migrate copies its tables");
}

// ===== Files

inline std::string FileNotEncrypted(std::string_view file) {
  return Concat(file,
                " is not encrypted, or its header was altered: it does not belong to this "
                "encrypted store");
}
inline std::string FileHeaderAltered(std::string_view file) {
  return Concat(file, " has a header that was altered, or belongs to another store");
}
inline std::string FileKeyUnknown(std::string_view file, uint32_t id) {
  return Concat(file, " is encrypted with key ", id, ", which the store does not have");
}
inline std::string FileAltered(std::string_view file, uint64_t at) {
  return Concat(file, " was altered or cut: what stands from byte ", at,
                " on is not what the store wrote");
}
inline std::string FileIsEnded(std::string_view file) {
  return Concat(file, " was synced, and cannot grow any more");
}
inline std::string FileIsBroken(std::string_view file) {
  return Concat(file, " may end in a part of a write that failed");
}
inline std::string FileNotCutThere(std::string_view file, uint64_t at) {
  return Concat(file, " cannot be cut at byte ", at, ", which is inside of a write");
}
inline std::string NoRandomBytes() { return "the operating system gives no random bytes"; }
inline std::string NoMemoryToEncrypt() { return "there is no memory for a cipher"; }

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_STORE_ENCRYPTION_MESSAGES_H_
