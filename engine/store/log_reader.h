// Reads RocksDB's logs and manifests record by record, telling a record that was never written to
// its end from one that was damaged: RocksDB's own reader takes a wrong length for the end of the
// file, and its caller cannot know.
//
// clang-format off
//   file     = block*                       each 32 KiB, the last one shorter
//   block    = fragment* zero{0..6}         no fragment crosses a block's end
//   fragment = crc length type payload      crc: 4 bytes, masked, of type and payload; length: 2
//                                           bytes, of the payload; both little-endian
//                                           type: 1 whole record, 2 its first part, 3 a middle one,
//                                           4 its last
//   record   = the payloads of one fragment of type 1, or of types 2 3* 4
//   batch    = sequence count changes       a log's record; sequence: 8 bytes, count: 4 bytes, both
//                                           little-endian
// clang-format on
#ifndef DYNOLITH_ENGINE_STORE_LOG_READER_H_
#define DYNOLITH_ENGINE_STORE_LOG_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith {

class DecryptedFile;
class StoreKeys;

inline constexpr uint64_t kLogBlockBytes = 32 << 10;
// crc, length and type of a fragment, and the positions of the latter two.
inline constexpr size_t kFragmentHeaderBytes = 7;
inline constexpr size_t kFragmentLengthAt = 4;
inline constexpr size_t kFragmentTypeAt = 6;
// RocksDB's numbers. kZero: bytes that were never written.
enum class FragmentType : uint8_t { kZero = 0, kWhole = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

class LogReader {
 public:
  enum class Outcome : uint8_t {
    kRecord,
    kEnd,      // behind a whole record
    kTorn,     // in a record whose rest was never written, or in zeros that reach to the end
    kDamaged,  // not as it was written
  };

  // Reads from `begin` to the present end of the file. Requires: a record begins at `begin`.
  // `keys`: of the store that the file belongs to; nullptr: it is not encrypted. Errors: the
  // operating system's, naming the file; kDataLoss for one that is not encrypted by these keys.
  static absl::StatusOr<LogReader> Open(const std::string& file, uint64_t begin = 0,
                                        const StoreKeys* keys = nullptr);
  LogReader(LogReader&& other) noexcept;
  LogReader& operator=(LogReader&&) = delete;
  ~LogReader();

  // The next record; its bytes are valid until the next call. After anything but kRecord the same
  // again. Errors: the operating system's; kDataLoss for what was altered in an encrypted file.
  absl::StatusOr<Outcome> Next();
  // After a torn one: its existing part.
  std::string_view record() const { return record_; }
  // The position of the record, or of the invalid bytes.
  uint64_t record_begin() const { return record_begin_; }
  // Of an encrypted one: of its text.
  uint64_t file_bytes() const { return file_bytes_; }

 private:
  struct Fragment {
    Outcome outcome = Outcome::kRecord;
    FragmentType type = FragmentType::kZero;
    std::string_view payload;
  };

  friend absl::StatusOr<uint32_t> Crc32cOfFile(const std::string& file, uint64_t bytes,
                                               const StoreKeys* keys);
  LogReader(std::string file, uint64_t begin);
  // Reads up to `bytes` bytes: as many as can be read. In front of damage, notes it.
  absl::Status ReadAt(uint64_t at, uint64_t bytes, std::string* out);
  // The rest of the block at the position, as far as the file goes.
  absl::StatusOr<std::string_view> RestOfBlock();
  absl::StatusOr<Fragment> NextFragment();
  absl::StatusOr<Outcome> ReadRecord();
  // Whether it is a table file under the name of a log: its beginning may look like a truncated
  // record.
  absl::StatusOr<bool> EndsAsTableFile();
  // How the text of an encrypted file ends says what an end of its records means.
  Outcome OutcomeOfEnd(Outcome outcome) const;
  // The meaning of a fragment of type 0.
  absl::StatusOr<Outcome> OutcomeOfZeros();

  std::string file_;
  int descriptor_ = -1;                  // -1: it is encrypted
  std::unique_ptr<DecryptedFile> text_;  // nullptr: it is not
  uint64_t file_bytes_ = 0;
  bool meets_damage_ = false;  // in an encrypted file
  uint64_t position_;
  uint64_t record_begin_;
  Outcome outcome_ = Outcome::kRecord;
  std::string_view record_;
  std::string assembled_;
  std::string buffer_;
  uint64_t buffer_begin_ = 0;
};

// Appends a record to `file`, the bytes of a log or manifest so far.
void AppendLogRecord(std::string_view record, std::string* file);

// The first sequence number of a log's record, and how many it takes. Requires: at least
// kBatchHeaderBytes.
inline constexpr size_t kBatchHeaderBytes = 12;
uint64_t BatchSequence(std::string_view record);
uint32_t BatchCount(std::string_view record);

// The checksum of the first `bytes` bytes of a file. Requires: the file is at least as long.
// Of an encrypted file it is of the text. Errors: as Open and Next.
absl::StatusOr<uint32_t> Crc32cOfFile(const std::string& file, uint64_t bytes,
                                      const StoreKeys* keys = nullptr);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_LOG_READER_H_
