// The integrity manifest: the file DYNOLITH in a store's folder. It says which format the store has
// and which of RocksDB's files must be there, with their lengths and checksums. RocksDB takes a
// manifest or a log that has lost its end for one that ends there and opens with less data;
// comparing the folder with this file finds that.
//
// clang-format off
//   DYNOLITH = "dynolith store 2 " state "\n" fact* "end " crc "\n"
//   state    = "creating": nothing was ever acknowledged, so missing files are no damage
//            | "running":  a process writes to the store, or was killed
//            | "closed":   it was closed in order: the facts say exactly how the files end
//            | "copied":   a checkpoint that was never opened; the same, but its last log may end in
//                          a torn record
//   fact     = "file " inode " " born "\n"    of DYNOLITH itself, nanoseconds since 1970 or 0: a copy
//                                             has others
//            | "manifest " name " " bytes " " crc "\n"
//                                             what it begins with. CURRENT names this one, or the
//                                             second one, which is there while one takes the
//                                             other's place
//            | "log " number " " bytes "\n"    a log that is needed, and its length; while running,
//                                             its least length
//            | "sequence " number "\n"         the last one of the store, when it is closed
//            | "sealed " key " " tag "\n"      of an encrypted store, as the last fact: the number of
//                                             its data key, and in hexadecimal the tag of all bytes
//                                             before this line (encryption/file_format.h)
//   crc      = CRC-32C in decimal; the last one is of all bytes before "end "
// clang-format on
//
//   Before that, in version 1: "dynolith store 1" [" creating" | " copied"] "\n", which knows no
//   facts.
#ifndef DYNOLITH_ENGINE_STORE_INTEGRITY_MANIFEST_H_
#define DYNOLITH_ENGINE_STORE_INTEGRITY_MANIFEST_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith {

class StoreKeys;

inline constexpr std::string_view kFormatFile = "DYNOLITH";
inline constexpr std::string_view kFormatTemporary = "DYNOLITH.new";
inline constexpr int kFormatVersion = 2;

struct IntegrityManifest {
  enum class State : uint8_t { kCreating, kRunning, kClosed, kCopied };
  // A file as the file system knows it.
  struct Origin {
    uint64_t inode = 0;
    uint64_t born_nanoseconds = 0;
    bool operator==(const Origin&) const = default;
  };
  struct RocksManifest {
    std::string name;
    uint64_t bytes = 0;
    uint32_t crc = 0;
    bool operator==(const RocksManifest&) const = default;
  };

  State state = State::kCreating;
  // False for a store of version 1, of which only the state is known.
  bool has_facts = true;
  Origin origin;
  std::vector<RocksManifest> manifests;
  std::map<uint64_t, uint64_t> logs;  // number -> bytes
  std::optional<uint64_t> sequence;
  // Whether it is that of an encrypted store.
  bool is_sealed = false;

  // Whether the file says how the other files end.
  bool is_final() const { return state == State::kClosed || state == State::kCopied; }
  bool operator==(const IntegrityManifest&) const = default;
};

// "000012.log"
inline constexpr std::string_view kLogSuffix = ".log";
std::string LogName(uint64_t number);
// The number in such a name; nullopt for every other name.
std::optional<uint64_t> LogNumber(std::string_view name);
// The suffix of table files: "000012.sst".
inline constexpr std::string_view kTableFileSuffix = ".sst";
std::string TableFileName(uint64_t number);
std::optional<uint64_t> TableFileNumber(std::string_view name);
// The name of a file within the store's folder, as a part of `file`; empty for other folders, to
// which a checkpoint writes.
std::string_view NameWithin(std::string_view folder, std::string_view file);

// `keys`: of an encrypted store; nullptr: it is none.
std::string IntegrityManifestText(const IntegrityManifest& integrity,
                                  const StoreKeys* keys = nullptr);
// `file` is for messages. Without `keys` the seal of an encrypted store is not looked at; with keys
// it must be there. Errors: kDataLoss for an invalid text, kFailedPrecondition for a newer version.
absl::StatusOr<IntegrityManifest> ParseIntegrityManifest(const std::string& file,
                                                         std::string_view text,
                                                         const StoreKeys* keys = nullptr);

// The result of ReadIntegrityManifest. `is_original`: the file is the one that was written, not a
// copy of it.
struct FoundIntegrityManifest {
  IntegrityManifest integrity;
  bool is_original = false;
};
absl::StatusOr<FoundIntegrityManifest> ReadIntegrityManifest(const std::string& path,
                                                             const StoreKeys* keys = nullptr);

// Writes, syncs and renames, so that either the new integrity manifest exists as a whole or the
// previous one does; permanently if the folder is synced, too. Sets `origin`. For a running store
// it leaves a spare file under the temporary name, so that the next write needs no room.
absl::Status WriteIntegrityManifest(const std::string& path, IntegrityManifest* integrity,
                                    bool syncs_folder = true, const StoreKeys* keys = nullptr);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_INTEGRITY_MANIFEST_H_
