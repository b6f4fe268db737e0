// Queries of keys that belong together, as dynolith/shards.h promises them, on the public face.
#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "api/database/messages.h"
#include "api/partiql/messages.h"
#include "api/request/key_checks.h"
#include "api/table/table_definition.h"
#include "api/table/table_gate.h"
#include "api/write/consumed_capacity.h"
#include "dynolith/shards.h"
#include "engine/base/big_endian.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/key/key_codec.h"
#include "index/read.h"

namespace dynolith {
namespace {

// The keys of a table and its indexes, as a service describes them.
TableMeta MetaOfKeys(const TableDescription& described) {
  TableMeta meta;
  meta.schema.name = described.table_name;
  meta.schema.key = BuildKey(described.key_schema, described.attribute_definitions);
  const auto add = [&](const SecondaryIndexDescription& index, IndexKind kind) {
    IndexSchema& schema = meta.schema.indexes.emplace_back();
    schema.name = index.index_name;
    schema.kind = kind;
    schema.key = BuildKey(index.key_schema, described.attribute_definitions);
    meta.index_states.emplace_back().status = index.index_status.value_or(IndexStatus::kActive);
  };
  for (const auto& index : described.local_secondary_indexes) add(index, IndexKind::kLocal);
  for (const auto& index : described.global_secondary_indexes) add(index, IndexKind::kGlobal);
  return meta;
}

absl::StatusOr<std::shared_ptr<const TableMeta>> FindMeta(Database* database,
                                                          const std::string& name) {
  if (RemoteCallsOf(*database) == nullptr) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                              FindUsableTable(ContextOf(*database), name));
    return table->meta();
  }
  DYNOLITH_ASSIGN_OR_RETURN(const TableDescription described,
                            database->DescribeTable({.table_name = name}));
  return std::make_shared<const TableMeta>(MetaOfKeys(described));
}

// How far the query of one key has come.
struct PartPosition {
  std::optional<Item> start_key;
  bool is_done = false;
};

// A token is a list with an element for each key: NULL is done, a map is the start key, empty at
// the start.
std::string EncodeToken(const std::vector<PartPosition>& positions) {
  std::vector<Value> elements;
  elements.reserve(positions.size());
  for (const PartPosition& position : positions) {
    elements.push_back(position.is_done ? Value::Null()
                                        : Value::M(position.start_key.value_or(Item())));
  }
  return absl::WebSafeBase64Escape(Item{{"keys", Value::L(elements)}}.bytes());
}

absl::StatusOr<std::vector<PartPosition>> DecodeToken(const TogetherRequest& request) {
  std::vector<PartPosition> positions(request.keys.size());
  if (!request.next_token) return positions;
  const absl::Status wrong = ValidationError(messages::NextTokenMismatch());
  std::string bytes;
  if (!absl::WebSafeBase64Unescape(*request.next_token, &bytes)) return wrong;
  const absl::StatusOr<ItemView> token = ItemView::Parse(bytes);
  if (!token.ok()) return wrong;
  const std::optional<ValueView> keys = token->Find("keys");
  if (!keys || keys->type() != Type::kList) return wrong;
  const ListView elements = keys->list();
  if (elements.size() != positions.size()) return wrong;
  for (size_t i = 0; i < positions.size(); ++i) {
    positions[i].is_done = elements[i].type() == Type::kNull;
    if (positions[i].is_done) continue;
    if (elements[i].type() != Type::kMap) return wrong;
    if (!elements[i].map().empty()) positions[i].start_key = Item::Copy(elements[i].map());
  }
  return positions;
}

absl::Status CheckRequest(const TogetherRequest& request) {
  const std::set<std::string_view> distinct(request.keys.begin(), request.keys.end());
  if (request.keys.empty() || distinct.size() != request.keys.size() ||
      request.query.exclusive_start_key || request.query.select == Select::kCount) {
    return ValidationError(messages::TogetherRequestInvalid());
  }
  return absl::OkStatus();
}

// One key's part of the page.
struct Part {
  PageOutput page;
  size_t taken = 0;
  std::optional<Item> last_key;  // of the last item that was taken

  bool has_item() const { return taken < page.items.size(); }
  const Item& item() const { return page.items[taken]; }
  // Whether what comes next is not known.
  bool is_used_up() const { return !has_item() && page.last_evaluated_key; }

  void Advance(PartPosition* position) const {
    if (has_item()) {
      if (last_key) position->start_key = *last_key;
    } else {
      position->start_key = page.last_evaluated_key;
      position->is_done = !page.last_evaluated_key;
    }
  }
};

class MergedQuery {
 public:
  MergedQuery(const RowSource& source, const TogetherRequest& request)
      : source_(source), request_(request), parts_(request.keys.size()) {}

  absl::Status Ask(Database* database, const std::vector<PartPosition>& positions) {
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (positions[i].is_done) continue;
      QueryRequest query = request_.query;
      if (!query.expression_attribute_values) query.expression_attribute_values = Item();
      query.expression_attribute_values->Set(request_.key_placeholder, Value::S(request_.keys[i]));
      query.exclusive_start_key = positions[i].start_key;
      DYNOLITH_ASSIGN_OR_RETURN(parts_[i].page, database->Query(query));
      for (const Item& item : parts_[i].page.items) {
        if (!HasKeys(item)) return ValidationError(messages::TogetherWithoutKeys());
      }
    }
    return absl::OkStatus();
  }

  // Moves the positions behind what is on the page.
  TogetherOutput Merge(std::vector<PartPosition>* positions) {
    TogetherOutput output;
    while (!IsFull(output)) {
      Part* const next = Next();
      if (next == nullptr) break;
      next->last_key = KeyOfItem(next->item());
      output.items.push_back(std::move(next->page.items[next->taken++]));
    }
    for (size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      if (!(*positions)[i].is_done) part.Advance(&(*positions)[i]);
      output.scanned_count += part.page.scanned_count;
      AddCapacity(part.page.consumed_capacity, &output.consumed_capacity);
    }
    return output;
  }

 private:
  bool HasKeys(const Item& item) const {
    return HasKey(source_.schema().key, item.view()) && HasKey(source_.key(), item.view());
  }
  Item KeyOfItem(const Item& item) const {
    const KeySchema& base = source_.schema().key;
    return source_.index() ? ExtractKey(source_.key(), base, item.view())
                           : ExtractKey(base, item.view());
  }
  bool IsFull(const TogetherOutput& output) const {
    const auto& limit = request_.query.limit;
    return limit && static_cast<int64_t>(output.items.size()) >= *limit;
  }
  // Whose item comes next; nullptr if none, or if that cannot be known.
  Part* Next() {
    Part* next = nullptr;
    for (Part& part : parts_) {
      if (part.is_used_up()) return nullptr;
      if (part.has_item() && (next == nullptr || IsBefore(part.item(), next->item()))) next = &part;
    }
    return next;
  }
  bool IsBefore(const Item& left, const Item& right) const {
    for (const KeyAttribute& attribute : source_.key().range) {
      const int order = *CompareScalars(*left.Find(attribute.name), *right.Find(attribute.name));
      if (order != 0) return request_.query.scan_index_forward ? order < 0 : order > 0;
    }
    return false;
  }

  const RowSource& source_;
  const TogetherRequest& request_;
  std::vector<Part> parts_;
};

}  // namespace

// --- Keys with suffixes ---

std::string SuffixedKeys::WithSuffix(uint64_t number) const {
  return Concat(key_, ".", std::to_string(number));
}

std::string SuffixedKeys::ForValue(std::string_view value) const {
  const PartitionHash hash = HashPartitionKey({&value, 1});
  const uint64_t number = ReadBigEndian({reinterpret_cast<const char*>(hash.data()), hash.size()});
  return WithSuffix(number % static_cast<uint64_t>(count_));
}

std::vector<std::string> SuffixedKeys::All() const {
  std::vector<std::string> keys;
  keys.reserve(static_cast<size_t>(count_));
  for (int number = 0; number < count_; ++number) {
    keys.push_back(WithSuffix(static_cast<uint64_t>(number)));
  }
  return keys;
}

// --- MergedQuery ---

absl::StatusOr<TogetherOutput> QueryTogether(Database* database, const TogetherRequest& request) {
  DYNOLITH_RETURN_IF_ERROR(CheckRequest(request));
  DYNOLITH_ASSIGN_OR_RETURN(std::vector<PartPosition> positions, DecodeToken(request));
  const QueryRequest& query = request.query;
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const TableMeta> meta,
                            FindMeta(database, query.table_name));
  DYNOLITH_ASSIGN_OR_RETURN(const IndexSchema* const index,
                            FindIndex(*meta, query.index_name, query.consistent_read, "Query"));
  const RowSource source(meta->schema, index);
  MergedQuery together(source, request);
  DYNOLITH_RETURN_IF_ERROR(together.Ask(database, positions));
  TogetherOutput output = together.Merge(&positions);
  const bool is_last = std::all_of(positions.begin(), positions.end(),
                                   [](const PartPosition& position) { return position.is_done; });
  if (!is_last) output.next_token = EncodeToken(positions);
  return output;
}

}  // namespace dynolith
