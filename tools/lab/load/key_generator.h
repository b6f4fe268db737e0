// Generates keys: the distributions of an experiment, each a stream of numbers that a seed
// determines, and the hashes of the keys that these numbers stand for.
#ifndef DYNOLITH_TOOLS_LAB_LOAD_KEY_GENERATOR_H_
#define DYNOLITH_TOOLS_LAB_LOAD_KEY_GENERATOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/key/key_codec.h"
#include "engine/partition/random_numbers.h"
#include "engine/partition/tokens.h"
#include "engine/value/type.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/load/huge_pages.h"

namespace dynolith::lab {

// Uniform in [0, 1).
inline double NextPart(uint64_t* random) {
  return static_cast<double>(NextRandom(random) >> 11) * 0x1p-53;
}
// Uniform in [0, count). Requires: a count above 0.
inline uint64_t NextBelow(uint64_t* random, uint64_t count) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>(static_cast<Wide>(NextRandom(random)) * count >> 64);
}
int64_t NextSize(const SizeRange& sizes, uint64_t* random);
// A pseudorandom number that depends only on `value`.
inline uint64_t Scrambled(uint64_t value) { return NextRandom(&value); }

// Ranks from 0, each with a weight of 1 / (rank + 1)^theta, by rejection-inversion (Hörmann and
// Derflinger, 1996): O(1), no tables.
class Zipf {
 public:
  // Requires: a count above 0, a theta above 0.
  Zipf(uint64_t count, double theta);
  uint64_t Next(uint64_t* random) const;

 private:
  double Integral(double x) const;
  double InverseIntegral(double x) const;
  double Weight(double x) const;

  double count_;
  double theta_;
  double first_;
  double last_;
  double squeeze_;
};

// Whether it draws keys of another source, an ascending one or one of time.
inline bool IsOfOthers(const KeySource& source) {
  return source.distribution == Distribution::kLatest ||
         source.distribution == Distribution::kRecent;
}

// Generates the numbers of keys; within an outer key they begin at 0. Thread-compatible.
class KeyGenerator {
 public:
  // `of`: the ascending generator whose latest or recent keys this one draws; else nullptr. Both
  // arguments are borrowed.
  KeyGenerator(const KeySource& source, uint64_t seed, KeyGenerator* of);

  uint64_t Next(Micros now) {
    if (!is_drawn_ahead()) return Draw(now);
    const uint64_t number = ahead_[at_];
    at_ = (at_ + 1) % ahead_.size();
    if (at_ % kAhead == 0) DrawAhead((at_ + kAhead) % ahead_.size());
    return number;
  }
  // A number that comes some draws later, so that callers can prefetch its data; nullopt if it is
  // not yet known.
  std::optional<uint64_t> Ahead() const {
    return is_drawn_ahead() && source_.within.empty()
               ? std::optional(ahead_[(at_ + kAhead - 1) % ahead_.size()])
               : std::nullopt;
  }
  // Whether drawing a number does not affect later numbers.
  bool is_stateless() const { return source_.distribution <= Distribution::kList; }
  uint64_t made() const { return made_; }
  const KeySource& source() const { return source_; }

 private:
  static constexpr size_t kAhead = 16;

  uint64_t Draw(Micros now);
  // Draws kAhead numbers, which go to ahead_ from `at` on.
  void DrawAhead(size_t at);
  uint64_t DrawRecent(Micros now);
  uint64_t MadeUntil(Micros at) const;
  bool is_drawn_ahead() const { return is_stateless() && !IsOfOthers(source_); }

  const KeySource& source_;
  KeyGenerator* const of_;
  uint64_t random_;
  uint64_t made_;
  bool keeps_times_ = false;  // of an ascending source: whether others draw its recent keys
  std::vector<uint64_t> made_by_second_;  // made_ at the beginning of each second
  std::optional<Zipf> zipf_;
  uint64_t hot_ = 0;                // the number of hot keys
  std::vector<double> cumulative_;  // of a list's weights
  // The next numbers, from at_ on, if they are drawn ahead: more than kAhead, and at most twice as
  // many. A processor works on several at once if nothing else lies between them.
  std::array<uint64_t, 2 * kAhead> ahead_{};
  size_t at_ = 0;
};

// One for each source, in the same order; a source that others draw from is found by its name.
using KeyGenerators = std::vector<std::unique_ptr<KeyGenerator>>;
KeyGenerators MakeGenerators(const std::vector<KeySource>& sources, uint64_t seed);

// The parts of a partition key.
struct KeyNumber {
  uint64_t number = 0;
  uint32_t suffix = 0;        // from 1; 0: none
  uint32_t index_suffix = 0;  // from 1; 0: none

  friend bool operator==(const KeyNumber&, const KeyNumber&) = default;
};

// The value that a number of the source stands for, in an attribute of this type.
std::string KeyText(const KeySource& source, Type type, const KeyNumber& key);
void AppendKeyText(const KeySource& source, Type type, const KeyNumber& key, std::string* text);

// The first 8 bytes of the partition hash (engine/key) of a key with this value, as a number.
uint64_t HashPartition(Type type, std::string_view text);

// The hash in another placement of the keys; placement 0 keeps it.
inline uint64_t HashInPlacement(uint64_t hash, uint64_t placement) {
  return placement == 0 ? hash : Scrambled(hash ^ Scrambled(placement));
}

// The readable texts of keys.
class KeyTexts {
 public:
  virtual ~KeyTexts() = default;
  virtual std::string ToText(const KeyNumber& key) const = 0;
};

// Maps numbers to partition keys and their hashes. Caches the hashes of the first two million keys,
// and of further keys the most recent ones.
class PartitionHashes final : public KeyTexts {
 public:
  // `source` is borrowed. `placement`: Trial::placement.
  PartitionHashes(const KeySource& source, Type type, uint64_t placement = 0);

  // HashPartition of the key's text, in the placement. Takes about 5 ns if it
  // is cached; else it makes that of its neighbours, too, which are at hand then.
  uint64_t FindHash(const KeyNumber& key) {
    const bool is_one_of_all =
        key.number < numbers_ && key.suffix < stride_ && key.index_suffix == 0;
    if (!is_one_of_all) return FindRecentHash(key);
    const uint64_t kept = all_[PlaceOf(key)];
    return kept != 0 ? kept : MakeHashes(key);
  }
  // The memory that FindHash reads for a key without a suffix, so that callers can prefetch it: a
  // miss in the CPU's caches is likely.
  const void* FindHashSlot(uint64_t number) const {
    return number < numbers_ ? &all_[number * stride_] : all_.data();
  }
  std::string ToText(const KeyNumber& key) const override { return KeyText(source_, type_, key); }

 private:
  struct CachedHash {
    KeyNumber key = {.number = UINT64_MAX};
    uint64_t hash = 0;
  };

  // In all_.
  uint64_t PlaceOf(const KeyNumber& key) const { return key.number * stride_ + key.suffix; }
  uint64_t MakeHash(const KeyNumber& key);
  // The same for a key of all_, with those of its neighbours, which are kept, too: several at once
  // take little longer than one.
  uint64_t MakeHashes(const KeyNumber& key);
  uint64_t FindRecentHash(const KeyNumber& key);

  const KeySource& source_;
  const Type type_;
  const uint64_t placement_;
  // all_: hashes of the first numbers with each suffix, beginning with none; 0: not made yet.
  const uint64_t stride_;
  const uint64_t numbers_;
  std::vector<uint64_t, HugePages<uint64_t>> all_;
  std::vector<CachedHash> last_;
  std::array<std::string, kKeysAtOnce> texts_;  // while they are hashed
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_LOAD_KEY_GENERATOR_H_
