#include "tests/random/comparison.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <vector>

namespace dynolith::random {

using model::Outcome;

namespace {

std::vector<std::string> SortedTexts(const std::vector<model::Item>& items) {
  std::vector<std::string> texts;
  for (const model::Item& item : items) texts.push_back(model::Text(item));
  std::sort(texts.begin(), texts.end());
  return texts;
}

std::vector<model::Item> Flat(const std::vector<std::vector<model::Item>>& groups) {
  std::vector<model::Item> items;
  for (const auto& group : groups) items.insert(items.end(), group.begin(), group.end());
  return items;
}

// Whether the engine's complete order is one of those that the model's groups allow.
bool SameItems(const Outcome& expected, const Outcome& got) {
  const std::vector<model::Item> items = Flat(got.groups);
  size_t at = 0;
  for (size_t i = 0; i < expected.groups.size(); ++i) {
    const auto& group = expected.groups[i];
    const bool open = expected.last_group_open && i + 1 == expected.groups.size();
    const size_t size = open ? std::min(group.size(), items.size() - at) : group.size();
    if (items.size() - at < size) return false;
    const auto begin = items.begin() + static_cast<ptrdiff_t>(at);
    const std::vector<std::string> part =
        SortedTexts({begin, begin + static_cast<ptrdiff_t>(size)});
    const std::vector<std::string> allowed = SortedTexts(group);
    // Without an open end, all of as many.
    if (!std::includes(allowed.begin(), allowed.end(), part.begin(), part.end())) return false;
    at += size;
  }
  return at == items.size();
}

}  // namespace

bool Agrees(const Outcome& expected, const Outcome& got) {
  return expected.error == got.error && expected.attributes == got.attributes &&
         expected.count == got.count &&
         (got.scanned == Outcome::kNotTold || expected.scanned == got.scanned) &&
         (expected.pages == 0 || expected.pages == got.pages) && SameItems(expected, got) &&
         std::equal(expected.parts.begin(), expected.parts.end(), got.parts.begin(),
                    got.parts.end(), Agrees);
}

bool AgreesApproximately(const Outcome& all, const Outcome& expected, const Outcome& got,
                         Recall* recall) {
  if (!expected.error.empty()) return Agrees(expected, got);
  const std::vector<model::Item> items = Flat(got.groups);
  if (!got.error.empty() || got.count != expected.count ||
      items.size() != static_cast<size_t>(expected.count)) {
    return false;
  }
  std::map<std::string, size_t> ranks;
  for (size_t rank = 0; rank < all.groups.size(); ++rank) {
    for (const model::Item& item : all.groups[rank]) ranks[model::Text(item)] = rank;
  }
  size_t previous = 0;
  for (const model::Item& item : items) {
    const auto known = ranks.find(model::Text(item));
    if (known == ranks.end() || known->second < previous) return false;
    previous = known->second;
    recall->found += previous < expected.groups.size() ? 1 : 0;
    ranks.erase(known);
  }
  recall->wanted += expected.count;
  return true;
}

std::string Describe(const Outcome& outcome) {
  std::string text = outcome.error.empty() ? "ok" : outcome.error;
  if (outcome.attributes) text += " " + model::Text(*outcome.attributes);
  text += " count " + std::to_string(outcome.count) + " scanned " +
          std::to_string(outcome.scanned) + " pages " + std::to_string(outcome.pages);
  for (const auto& [name, units] : outcome.units) {
    std::ostringstream amount;
    amount << units;
    text += "\n  " + name + ": " + amount.str();
  }
  for (const auto& group : outcome.groups) {
    text += "\n  group";
    for (const model::Item& item : group) text += "\n    " + model::Text(item);
  }
  for (const Outcome& part : outcome.parts) text += "\n  part " + Describe(part);
  return text;
}

}  // namespace dynolith::random
