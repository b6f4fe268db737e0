// Reads of the model: a walk over all items that sorts what it has found.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "tests/model/key_rules.h"
#include "tests/model/model.h"

namespace dynolith::model {
namespace {

// Orders by the range attributes; equal where they are.
int CompareRange(const Item& left, const Item& right, const std::vector<KeyAttribute>& range) {
  for (const KeyAttribute& attribute : range) {
    const auto order = Compare(left.at(attribute.name), right.at(attribute.name));
    if (order && *order != 0) return *order;
  }
  return 0;
}

// Whether a global index lacks something that the projection names.
bool AsksForMore(const Table& table, const Index& index, const std::vector<Path>& projection) {
  if (index.projection == Index::Projection::kAll) return false;
  std::set<std::string> held(index.included.begin(), index.included.end());
  for (const KeyAttribute& attribute : KeyAttributes(table)) held.insert(attribute.name);
  for (const KeyAttribute& attribute : KeyAttributes(index)) held.insert(attribute.name);
  return std::any_of(projection.begin(), projection.end(), [&](const Path& path) {
    return !held.contains(std::get<std::string>(path[0]));
  });
}

std::vector<KeyAttribute> HashAttributes(const Table& table, const Index* index) {
  return index ? index->hash : std::vector<KeyAttribute>{table.hash};
}

std::vector<KeyAttribute> RangeAttributes(const Table& table, const Index* index) {
  if (index) return index->range;
  if (!table.range) return {};
  return {*table.range};
}

bool Mentions(const Condition& condition, const std::string& name) {
  for (const Operand& operand : condition.operands) {
    if (operand.kind == Operand::Kind::kLiteral) continue;
    if (std::get<std::string>(operand.path[0]) == name) return true;
  }
  return std::any_of(condition.parts.begin(), condition.parts.end(),
                     [&](const Condition& part) { return Mentions(part, name); });
}

// Whether the query is one of this key: all hash attributes, a prefix of the range attributes, and
// neither in the filter. Programs ask for that, until a step that made another index is taken out.
bool AsksForKey(const Table& table, const Index* index, const ReadOp& op) {
  const std::vector<KeyAttribute> hash = HashAttributes(table, index);
  const std::vector<KeyAttribute> range = RangeAttributes(table, index);
  if (op.hash.size() != hash.size() || op.range.size() > range.size()) return false;
  for (size_t i = 0; i < hash.size(); ++i) {
    if (op.hash[i].first != hash[i].name) return false;
    if (op.filter && Mentions(*op.filter, hash[i].name)) return false;
  }
  for (size_t i = 0; i < range.size(); ++i) {
    if (i < op.range.size() && op.range[i].first != range[i].name) return false;
    if (op.filter && Mentions(*op.filter, range[i].name)) return false;
  }
  return true;
}

bool Matches(const ReadOp& op, const Item& item) {
  return std::all_of(op.hash.begin(), op.hash.end(),
                     [&](const auto& part) { return item.at(part.first) == part.second; }) &&
         std::all_of(op.range.begin(), op.range.end(),
                     [&](const auto& clause) { return Holds(clause.second, item); });
}

double ToDouble(const Value& number) { return std::stod(number.As<Decimal>()->ToString()); }

double Score(Index::Vector::Distance distance, const List& left, const std::vector<int>& right) {
  double product = 0;
  double left_square = 0;
  double right_square = 0;
  double difference = 0;
  for (size_t i = 0; i < right.size(); ++i) {
    const double a = ToDouble(left[i]);
    const double b = right[i];
    product += a * b;
    left_square += a * a;
    right_square += b * b;
    difference += (a - b) * (a - b);
  }
  if (distance == Index::Vector::Distance::kDotProduct) return product;
  if (distance == Index::Vector::Distance::kEuclidean) return std::sqrt(difference);
  const double lengths = std::sqrt(left_square) * std::sqrt(right_square);
  return lengths == 0 ? 1 : 1 - product / lengths;
}

struct Found {
  double score = 0;
  Item item;
};

// Equally near ones, by what can be told of doubles, are one group.
Outcome Nearest(std::vector<Found> found, bool most_first, int top_k) {
  std::stable_sort(found.begin(), found.end(), [&](const Found& left, const Found& right) {
    return most_first ? left.score > right.score : left.score < right.score;
  });
  Outcome outcome;
  outcome.count = std::min(top_k, static_cast<int>(found.size()));
  outcome.last_group_open = true;
  std::string previous;
  int before_group = 0;
  int seen = 0;
  for (const Found& one : found) {
    const std::string score = ScoreText(one.score);
    if (score != previous) {
      before_group = seen;
      if (before_group >= outcome.count) break;
      outcome.groups.emplace_back();
    }
    previous = score;
    ++seen;
    outcome.groups.back().push_back({{"item", Value{one.item}}, {"score", S(score)}});
  }
  return outcome;
}

}  // namespace

std::string ScoreText(double score) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6f", std::abs(score) < 1e-6 ? 0.0 : score);
  return text;
}

std::vector<Item> Model::Evaluated(const State& state, const Index* index, const ReadOp& op) const {
  const bool global = index && !index->local;
  std::vector<Item> evaluated;
  for (const auto& [key, item] : state.items) {
    const auto entry = index ? ModelEntry(state.schema, *index, item) : item;
    if (!entry || !Matches(op, *entry)) continue;
    const bool whole = op.all_attributes || (!global && !op.projection.empty());
    evaluated.push_back(whole ? item : *entry);
  }
  if (op.is_query) {
    const std::vector<KeyAttribute> range = RangeAttributes(state.schema, index);
    std::stable_sort(evaluated.begin(), evaluated.end(), [&](const Item& a, const Item& b) {
      return CompareRange(a, b, range) * (op.forward ? 1 : -1) < 0;
    });
  }
  return evaluated;
}

Outcome Model::Read(const ReadOp& op) const {
  const State* state = Find(op.table);
  if (!state) return Error(kResourceNotFound);
  const Table& schema = state->schema;
  const Index* index = op.index.empty() ? nullptr : FindIndex(schema, op.index);
  if (!op.index.empty() && (!index || index->vector)) return Error(kValidation);
  const bool global = index && !index->local;
  if (global && AsksForMore(schema, *index, op.projection)) return Error(kValidation);
  if (global && op.all_attributes && index->projection != Index::Projection::kAll) {
    return Error(kValidation);
  }
  if (op.is_query && !AsksForKey(schema, index, op)) return Error(kValidation);

  const std::vector<Item> evaluated = Evaluated(*state, index, op);
  const std::vector<KeyAttribute> range = RangeAttributes(schema, index);
  Outcome outcome;
  outcome.scanned = static_cast<int>(evaluated.size());
  // Nothing can follow the one item of a whole key, and no page says so.
  const bool is_whole_key = op.is_query && !index && range.empty();
  if (op.total_segments == 1) outcome.pages = is_whole_key ? 1 : outcome.scanned / op.limit + 1;
  const Item* previous = nullptr;
  for (const Item& item : evaluated) {
    if (!previous || (op.is_query && CompareRange(*previous, item, range) != 0)) {
      outcome.groups.emplace_back();
    }
    previous = &item;
    if (op.filter && !Holds(*op.filter, item)) continue;
    ++outcome.count;
    if (op.count_only) continue;
    outcome.groups.back().push_back(op.projection.empty() ? item : Project(item, op.projection));
  }
  return outcome;
}

Outcome Model::Search(const SearchOp& op) const {
  const State* state = Find(op.table);
  if (!state) return Error(kResourceNotFound);
  const Index* index = FindIndex(state->schema, op.index);
  if (!index || !index->vector || index->vector->dimensions != op.vector.size()) {
    return Error(kValidation);
  }
  if (op.hash.has_value() == index->hash.empty()) return Error(kValidation);
  std::vector<Found> found;
  for (const auto& [key, item] : state->items) {
    std::optional<Item> entry = ModelEntry(state->schema, *index, item);
    if (!entry) continue;
    if (op.hash && !(entry->at(op.hash->first) == op.hash->second)) continue;
    const bool holds = std::all_of(op.filters.begin(), op.filters.end(),
                                   [&](const Condition& filter) { return Holds(filter, *entry); });
    if (!holds) continue;
    const List& vector = *entry->at(index->vector->attribute).As<List>();
    const double score = Score(index->vector->distance, vector, op.vector);
    entry->erase(index->vector->attribute);
    found.push_back({score, *std::move(entry)});
  }
  const bool most_first = index->vector->distance == Index::Vector::Distance::kDotProduct;
  return Nearest(std::move(found), most_first, op.top_k);
}

}  // namespace dynolith::model
