// Parsed texts, so that a request pays only for binding its placeholders: each thread caches a few
// of its own, without a lock. Internal to engine/expr.
#ifndef DYNOLITH_ENGINE_EXPR_TEXT_CACHE_H_
#define DYNOLITH_ENGINE_EXPR_TEXT_CACHE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "engine/expr/placeholders.h"

namespace dynolith {

// `Parsed` has a member `terms`, which are ParsedTerms. A result of Find stays alive as long as its
// pointer is held, even after its eviction.
template <typename Parsed>
class TextCache {
 public:
  // Longer texts are not cached.
  static constexpr size_t kTextBytesMax = 512;
  static constexpr size_t kTextsMax = 64;

  static TextCache& OfThread() {
    static thread_local TextCache cache;
    return cache;
  }

  // nullptr: not cached.
  std::shared_ptr<const Parsed> Find(std::string_view text, ExpressionKind kind) const {
    const size_t hash = HashText(text, kind);
    for (const Entry& entry : sets_[hash % kSets].entries) {
      if (entry.hash != hash || entry.parsed == nullptr) continue;
      if (entry.parsed->terms.kind == kind && entry.parsed->terms.text == text) return entry.parsed;
    }
    return nullptr;
  }

  // Replaces the oldest entry of its set. Requires: Find does not find it.
  void Add(std::shared_ptr<const Parsed> parsed) {
    if (parsed->terms.text.size() > kTextBytesMax) return;
    const size_t hash = HashText(parsed->terms.text, parsed->terms.kind);
    Set& set = sets_[hash % kSets];
    set.entries[set.next] = {hash, std::move(parsed)};
    set.next = (set.next + 1) % kWays;
  }

 private:
  static constexpr size_t kWays = 4;
  static constexpr size_t kSets = kTextsMax / kWays;
  struct Entry {
    size_t hash = 0;
    std::shared_ptr<const Parsed> parsed;
  };
  struct Set {
    std::array<Entry, kWays> entries;
    size_t next = 0;
  };

  static size_t HashText(std::string_view text, ExpressionKind kind) {
    return std::hash<std::string_view>()(text) + static_cast<size_t>(kind);
  }

  std::array<Set, kSets> sets_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_EXPR_TEXT_CACHE_H_
