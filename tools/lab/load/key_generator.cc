#include "tools/lab/load/key_generator.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>

#include "absl/time/time.h"
#include "engine/base/big_endian.h"
#include "engine/key/key_codec.h"
#include "engine/value/number.h"

namespace dynolith::lab {
namespace {

// log(1 + x) / x and (e^x - 1) / x, also near 0.
double LogRatio(double x) { return std::abs(x) > 1e-8 ? std::log1p(x) / x : 1 - x / 2; }
double ExpRatio(double x) { return std::abs(x) > 1e-8 ? std::expm1(x) / x : 1 + x / 2; }

// The hashes of all keys are kept if they fit into the CPU's shared cache, otherwise only some
// recent ones, since a cache miss takes as long as hashing the key again.
constexpr uint64_t kKeptMost = uint64_t{1} << 21;
constexpr uint64_t kKeptOfMany = uint64_t{1} << 12;

// Virtual time begins here.
constexpr int64_t kFirstSecond = 1'767'225'600;  // 2026-01-01T00:00:00Z

// Turns a key into what the service hashes: numbers by value, other types by their bytes.
void EncodeStoredKey(Type type, std::string* text) {
  if (type != Type::kNumber) return;
  // The reader of the experiment has checked that texts of numeric keys are numbers.
  if (const absl::StatusOr<Number> number = Number::Parse(*text); number.ok()) {
    text->assign(number->Encode().view());
  }
}

uint64_t FirstBytes(const PartitionHash& hash) {
  return ReadBigEndian({reinterpret_cast<const char*>(hash.data()), sizeof(uint64_t)});
}

void AppendDecimal(uint64_t number, std::string* text) {
  char digits[20];
  const std::to_chars_result end = std::to_chars(std::begin(digits), std::end(digits), number);
  text->append(digits, end.ptr);
}

std::string PeriodText(uint64_t number, Micros period) {
  const absl::Time begin = absl::FromUnixSeconds(kFirstSecond) +
                           absl::Microseconds(static_cast<int64_t>(number) * period);
  const bool is_days = period % (24 * 60 * kMinute) == 0;
  return absl::FormatTime(is_days ? "%Y-%m-%d" : "%Y-%m-%dT%H:%M:%E*S", begin, absl::UTCTimeZone());
}

}  // namespace

// --- Zipf

Zipf::Zipf(uint64_t count, double theta) : count_(static_cast<double>(count)), theta_(theta) {
  first_ = Integral(1.5) - 1;
  last_ = Integral(count_ + 0.5);
  squeeze_ = 2 - InverseIntegral(Integral(2.5) - Weight(2));
}

double Zipf::Integral(double x) const {
  const double log = std::log(x);
  return ExpRatio((1 - theta_) * log) * log;
}

double Zipf::InverseIntegral(double x) const {
  const double t = std::max(-1.0, x * (1 - theta_));
  return std::exp(LogRatio(t) * x);
}

double Zipf::Weight(double x) const { return std::exp(-theta_ * std::log(x)); }

uint64_t Zipf::Next(uint64_t* random) const {
  while (true) {
    const double u = last_ + NextPart(random) * (first_ - last_);
    const double x = InverseIntegral(u);
    const double k = std::clamp(std::floor(x + 0.5), 1.0, count_);
    if (k - x <= squeeze_ || u >= Integral(k + 0.5) - Weight(k)) {
      return static_cast<uint64_t>(k) - 1;
    }
  }
}

// --- KeyGenerator

KeyGenerator::KeyGenerator(const KeySource& source, uint64_t seed, KeyGenerator* of)
    : source_(source), of_(of), random_(seed), made_(source.first) {
  const uint64_t count = source.count_drawn();
  switch (source.distribution) {
    case Distribution::kZipfian:
    case Distribution::kScrambledZipfian:
    case Distribution::kLatest:
      zipf_.emplace(count, source.theta);
      break;
    case Distribution::kRecent:
      if (of != nullptr) of->keeps_times_ = true;
      break;
    case Distribution::kHotSet:
    case Distribution::kCelebrity: {
      const double hot = source.hot_keys * static_cast<double>(count);
      hot_ = std::clamp<uint64_t>(static_cast<uint64_t>(std::llround(hot)), 1, count);
      break;
    }
    case Distribution::kList: {
      double sum = 0;
      for (const double weight : source.weights) cumulative_.push_back(sum += weight);
      if (source.rest > 0) cumulative_.push_back(sum + source.rest_weight);
      break;
    }
    default:
      break;
  }
  if (!is_drawn_ahead()) return;
  DrawAhead(0);
  DrawAhead(kAhead);
}

uint64_t KeyGenerator::Draw(Micros now) {
  const uint64_t count = source_.count_drawn();
  switch (source_.distribution) {
    case Distribution::kUniform:
      return NextBelow(&random_, count);
    case Distribution::kZipfian:
      return zipf_->Next(&random_);
    case Distribution::kScrambledZipfian:
      return Scrambled(zipf_->Next(&random_)) % count;
    case Distribution::kLatest: {
      const uint64_t made = std::max<uint64_t>(1, of_->made());
      return made - 1 - zipf_->Next(&random_) % made;
    }
    case Distribution::kRecent:
      return DrawRecent(now);
    case Distribution::kHotSet:
    case Distribution::kCelebrity:
      if (hot_ == count || NextPart(&random_) < source_.hot_share) {
        return NextBelow(&random_, hot_);
      }
      return hot_ + NextBelow(&random_, count - hot_);
    case Distribution::kList: {
      const double at = NextPart(&random_) * cumulative_.back();
      const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), at);
      const auto number = static_cast<uint64_t>(found - cumulative_.begin());
      if (source_.rest == 0) return std::min<uint64_t>(number, count - 1);
      const uint64_t listed = source_.values.size();
      return number < listed ? number : listed + NextBelow(&random_, source_.rest);
    }
    case Distribution::kTime:
      return static_cast<uint64_t>(now / source_.period);
    case Distribution::kOrdered:
      return made_++ / source_.each % count;
    case Distribution::kInterleaved:
      return made_++ % count;
    case Distribution::kAscending:
      while (keeps_times_ && static_cast<Micros>(made_by_second_.size()) * kSecond <= now) {
        made_by_second_.push_back(made_);
      }
      return made_++;
    case Distribution::kRandom:
      return NextRandom(&random_) >> 1;
  }
  return 0;
}

// Such numbers do not depend on the time.
void KeyGenerator::DrawAhead(size_t at) {
  for (size_t i = at; i < at + kAhead; ++i) ahead_[i] = Draw(0);
}

// A key that was made within the window; if there is none, the last key.
uint64_t KeyGenerator::DrawRecent(Micros now) {
  if (of_ == nullptr) {
    const auto last = static_cast<uint64_t>(now / source_.period);
    const auto back = static_cast<uint64_t>(source_.window / source_.period);
    return last - NextBelow(&random_, std::min(last, back) + 1);
  }
  const uint64_t made = std::max<uint64_t>(1, of_->made());
  const uint64_t before = std::min(of_->MadeUntil(now - source_.window), made - 1);
  return before + NextBelow(&random_, made - before);
}

uint64_t KeyGenerator::MadeUntil(Micros at) const {
  if (at <= 0) return source_.first;
  const auto second = static_cast<size_t>(at / kSecond);
  return second < made_by_second_.size() ? made_by_second_[second] : made_;
}

int64_t NextSize(const SizeRange& sizes, uint64_t* random) {
  if (!sizes.list.empty()) return sizes.list[NextBelow(random, sizes.list.size())];
  if (sizes.least == sizes.most) return sizes.least;
  const auto different = static_cast<uint64_t>(sizes.most - sizes.least + 1);
  return sizes.least + static_cast<int64_t>(NextBelow(random, different));
}

KeyGenerators MakeGenerators(const std::vector<KeySource>& sources, uint64_t seed) {
  std::vector<uint64_t> seeds(sources.size());
  for (uint64_t& own : seeds) own = NextRandom(&seed);
  KeyGenerators generators(sources.size());
  const auto find = [&](const std::string& name) -> KeyGenerator* {
    for (size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].name == name) return generators[i].get();
    }
    return nullptr;
  };
  // First the sources from which others draw.
  for (const bool is_of_others : {false, true}) {
    for (size_t i = 0; i < sources.size(); ++i) {
      if (IsOfOthers(sources[i]) != is_of_others) continue;
      // Recent keys of a source of time need only the time.
      KeyGenerator* const of = sources[i].period > 0 ? nullptr : find(sources[i].of);
      generators[i] = std::make_unique<KeyGenerator>(sources[i], seeds[i], of);
    }
  }
  return generators;
}

void AppendKeyText(const KeySource& source, Type type, const KeyNumber& key, std::string* text) {
  const uint64_t listed = source.values.size();
  if (key.number < listed) {
    text->append(source.values[key.number]);
  } else if (source.period > 0) {
    text->append(PeriodText(key.number, source.period));
  } else {
    if (type != Type::kNumber) text->append(source.prefix);
    AppendDecimal(key.number - listed + source.rest_first, text);
  }
  for (const uint32_t suffix : {key.suffix, key.index_suffix}) {
    if (suffix == 0) continue;
    text->push_back('.');
    AppendDecimal(suffix, text);
  }
}

std::string KeyText(const KeySource& source, Type type, const KeyNumber& key) {
  std::string text;
  AppendKeyText(source, type, key, &text);
  return text;
}

uint64_t HashPartition(Type type, std::string_view text) {
  std::string stored(text);
  EncodeStoredKey(type, &stored);
  return FirstBytes(HashPartitionKey({stored}));
}

// --- PartitionHashes

PartitionHashes::PartitionHashes(const KeySource& source, Type type, uint64_t placement)
    : source_(source),
      type_(type),
      placement_(placement),
      stride_(source.shards > 1 ? static_cast<uint64_t>(source.shards) + 1 : 1),
      numbers_(source.count <= kKeptMost / stride_ ? source.count : 0),
      all_(numbers_ * stride_) {}

uint64_t PartitionHashes::FindRecentHash(const KeyNumber& key) {
  if (last_.empty()) last_.resize(kKeptOfMany);
  const uint64_t mixed = key.suffix * 0x9e3779b97f4a7c15 + key.index_suffix * 0xbf58476d1ce4e5b9;
  CachedHash& kept = last_[(key.number + (mixed >> 16)) & (last_.size() - 1)];
  if (kept.key != key) kept = {key, MakeHash(key)};
  return kept.hash;
}

uint64_t PartitionHashes::MakeHash(const KeyNumber& key) {
  std::string& text = texts_.front();
  text.clear();
  AppendKeyText(source_, type_, key, &text);
  EncodeStoredKey(type_, &text);
  return HashInPlacement(FirstBytes(HashPartitionKey({text})), placement_);
}

uint64_t PartitionHashes::MakeHashes(const KeyNumber& key) {
  const uint64_t first = key.number - key.number % kKeysAtOnce;
  if (first + kKeysAtOnce > numbers_) return all_[PlaceOf(key)] = MakeHash(key);
  KeyPayloads keys[kKeysAtOnce];
  KeyNumber each = key;
  for (each.number = first; each.number < first + kKeysAtOnce; ++each.number) {
    std::string& text = texts_[each.number - first];
    text.clear();
    AppendKeyText(source_, type_, each, &text);
    EncodeStoredKey(type_, &text);
    keys[each.number - first].push_back(text);
  }
  PartitionHash hashes[kKeysAtOnce];
  HashPartitionKeys(keys, hashes);
  for (each.number = first; each.number < first + kKeysAtOnce; ++each.number) {
    all_[PlaceOf(each)] = HashInPlacement(FirstBytes(hashes[each.number - first]), placement_);
  }
  return all_[PlaceOf(key)];
}

}  // namespace dynolith::lab
