// Keys of many sorted rows, at about equal distances: where the rows can be divided.
#ifndef DYNOLITH_ENGINE_STORE_SORTED_KEY_SAMPLES_H_
#define DYNOLITH_ENGINE_STORE_SORTED_KEY_SAMPLES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dynolith {

// For one file, or for rows in memory. A bounded number, independent of the number of rows.
class KeySamples {
 public:
  struct Sample {
    std::string key;
    uint64_t offset = 0;
  };

  // The row with this key begins `offset` bytes after the first one. Call it in the order of the
  // rows, and always for the first one.
  void Add(std::string_view key, uint64_t offset) {
    if (offset >= next_) Keep(key, offset);
  }
  // The last sample that is not after `key`, else the first one. Requires: there is one.
  const Sample& Before(std::string_view key) const;

  const std::vector<Sample>& samples() const { return samples_; }
  // Of the rows from a sample to the next one; a guess for the last.
  uint64_t BytesAt(size_t i) const;

 private:
  static constexpr size_t kSamplesMax = 128;

  void Keep(std::string_view key, uint64_t offset);

  std::vector<Sample> samples_;
  uint64_t distance_bytes_ = 16 << 10;
  uint64_t next_ = 0;
};

// At most `parts` - 1 keys, ascending, between which there are about equally many bytes.
std::vector<std::string> DivideKeys(const std::vector<const KeySamples*>& of, size_t parts);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_SORTED_KEY_SAMPLES_H_
