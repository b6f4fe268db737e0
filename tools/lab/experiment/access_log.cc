#include "tools/lab/experiment/access_log.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/time/time.h"
#include "engine/base/big_endian.h"
#include "engine/base/strings.h"
#include "engine/key/key_codec.h"
#include "engine/partition/capacity.h"
#include "engine/text/json_tree.h"
#include "engine/value/item.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/experiment/messages.h"
#include "tools/lab/text/messages.h"

namespace dynolith::lab {
namespace {

constexpr int kJsonDepth = 64;
constexpr size_t kLogErrorsMost = 10;
constexpr std::string_view kGzip = "\x1f\x8b";

// Logs spell members in both ways: "tableName" and "TableName".
const JsonTree* FindMember(const JsonTree& owner, std::string_view name) {
  if (const JsonTree* const found = owner.Find(name)) return found;
  std::string other(name);
  other.front() = static_cast<char>(other.front() - 'a' + 'A');
  return owner.Find(other);
}

std::string FindText(const JsonTree* owner, std::string_view name) {
  const JsonTree* const found = owner == nullptr ? nullptr : FindMember(*owner, name);
  return found == nullptr || found->kind != JsonTree::Kind::kString ? "" : found->text;
}

bool IsTrue(const JsonTree& owner, std::string_view name) {
  const JsonTree* const found = FindMember(owner, name);
  return found != nullptr && found->kind == JsonTree::Kind::kOther && found->text == "true";
}

// The table of a name, or of an ARN: "…:table/Music/index/by-year".
std::string ParseTableName(std::string_view name) {
  constexpr std::string_view kTable = ":table/";
  const size_t at = name.find(kTable);
  if (at == std::string_view::npos) return std::string(name);
  name.remove_prefix(at + kTable.size());
  return std::string(name.substr(0, name.find('/')));
}

bool IsStatement(Operation operation) {
  return operation == Operation::kExecuteStatement ||
         operation == Operation::kBatchExecuteStatement ||
         operation == Operation::kExecuteTransaction;
}

bool HasPages(Operation operation) {
  return operation == Operation::kQuery || operation == Operation::kScan;
}

// Whether a failed call consumed units.
enum class Failure : uint8_t { kNone, kThrottled, kOther };
Failure ToFailure(std::string_view error) {
  for (const std::string_view served :
       {"", "ConditionalCheckFailedException", "TransactionCanceledException"}) {
    if (error == served) return Failure::kNone;
  }
  for (const std::string_view throttled :
       {"ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"}) {
    if (error == throttled) return Failure::kThrottled;
  }
  return Failure::kOther;
}

// A request whose uses own their keys.
struct OwnedRequest {
  struct Keys {
    std::string partition;
    std::string sort;
  };
  trace::Request request;
  std::vector<Keys> keys;  // as many as uses
};

class LogReader {
 public:
  LogReader(const std::string& file, const LogAssumptions& assumptions)
      : file_(file), assumptions_(assumptions) {}

  void Read(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t\r\n");
    const std::string_view first = text.substr(begin, text.find('\n', begin) - begin);
    if (!ParseJson(first, kJsonDepth)) return ReadObject(text);
    for (base_line_ = 0; !text.empty(); ++base_line_) {
      const size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      if (line.find_first_not_of(" \t\r") != std::string_view::npos) ReadObject(line);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  absl::StatusOr<trace::TraceContents> Finish(
      absl::FunctionRef<void(const trace::Request& request)> visit) {
    if (errors_ > 0) return absl::InvalidArgumentError(ToAbsl(lines_));
    SpreadOverSeconds();
    for (OwnedRequest& owned : requests_) {
      for (size_t i = 0; i < owned.keys.size(); ++i) {
        owned.request.uses[i].partition_key = owned.keys[i].partition;
        owned.request.uses[i].sort_key = owned.keys[i].sort;
      }
      visit(owned.request);
    }
    trace::TraceContents contents;
    contents.resources = std::move(resources_);
    contents.has_plain_keys = true;
    contents.files = 1;
    contents.warnings = Warnings();
    return contents;
  }

 private:
  void Error(const JsonTree& at, std::string_view text) {
    if (++errors_ > kLogErrorsMost) return;
    if (!lines_.empty()) lines_ += '\n';
    lines_ += messages::LabErrorAt(file_, static_cast<int64_t>(base_line_ + at.line),
                                   static_cast<int64_t>(at.column), text);
  }

  // Reads an event, or an object with many of them.
  void ReadObject(std::string_view text) {
    JsonLocation stopped;
    const std::optional<JsonTree> tree = ParseJson(text, kJsonDepth, &stopped);
    if (!tree) {
      JsonTree at;
      at.line = stopped.line;
      at.column = stopped.column;
      return Error(at, messages::LabJsonBroken());
    }
    const JsonTree* const records = FindMember(*tree, "records");
    if (records == nullptr) return ReadEvent(*tree);
    if (records->kind != JsonTree::Kind::kList) {
      return Error(*records, messages::LabWrongKind("Records", "a list of events"));
    }
    for (const JsonTree& event : records->elements) ReadEvent(event);
  }

  void ReadEvent(const JsonTree& event) {
    if (event.kind != JsonTree::Kind::kMap) return Error(event, messages::LabJsonNoObject());
    const std::string name = FindText(&event, "eventName");
    if (name.empty()) return Error(event, messages::LabJsonLacks("eventName"));
    const std::string source = FindText(&event, "eventSource");
    const Operation operation = trace::OperationNamed(name);
    const bool is_of_table = source.empty() || source == "dynamodb.amazonaws.com";
    if (operation == Operation::kOther || !is_of_table) {
      ++others_;
      return;
    }
    const Failure failure = ToFailure(FindText(&event, "errorCode"));
    if (failure == Failure::kOther) {
      ++failed_;
      return;
    }
    OwnedRequest owned;
    owned.request.operation = operation;
    if (!ReadTime(event, &owned.request.at)) return;
    const JsonTree* const parameters = FindMember(event, "requestParameters");
    if (parameters == nullptr || parameters->kind != JsonTree::Kind::kMap) {
      return Error(event, messages::LabJsonLacks("requestParameters"));
    }
    is_write_ = IsStatement(operation) ? !IsTrue(event, "readOnly") : IsWrite(operation);
    const size_t errors_before = errors_;
    AddItems(*parameters, "", /*is_strong=*/false, &owned);
    if (errors_ == errors_before && owned.keys.empty()) AddWithoutKey(event, *parameters, &owned);
    if (failure == Failure::kThrottled) {
      for (trace::Use& use : owned.request.uses) use.throttled = ThroughputLimit::kKeyRange;
    }
    if (!owned.keys.empty()) requests_.push_back(std::move(owned));
  }

  bool ReadTime(const JsonTree& event, Micros* at) {
    const JsonTree* const found = FindMember(event, "eventTime");
    absl::Time time;
    if (found == nullptr) {
      Error(event, messages::LabJsonLacks("eventTime"));
    } else if (found->kind != JsonTree::Kind::kString ||
               !absl::ParseTime("%Y-%m-%d%ET%H:%M:%E*S%Ez", ToAbsl(found->text), &time, nullptr)) {
      Error(*found, messages::LabLogNotATime());
    } else {
      *at = absl::ToUnixMicros(time);
      return true;
    }
    return false;
  }

  // Adds every item that is named by its key, at any depth. `table`: that of the enclosing object.
  void AddItems(const JsonTree& tree, const std::string& table, bool is_strong,
                OwnedRequest* owned) {
    if (tree.kind == JsonTree::Kind::kList) {
      for (const JsonTree& element : tree.elements) AddItems(element, table, is_strong, owned);
    }
    if (tree.kind != JsonTree::Kind::kMap) return;
    const std::string named = ParseTableName(FindText(&tree, "tableName"));
    const std::string& own = named.empty() ? table : named;
    is_strong = is_strong || IsTrue(tree, "consistentRead");
    for (const JsonTree::Member& member : tree.members) {
      const bool is_key = member.name == "key" || member.name == "Key";
      const bool are_keys = member.name == "keys" || member.name == "Keys";
      if (is_key && !own.empty()) {
        AddItem(member.value, own, is_strong, owned);
      } else if (are_keys && !own.empty()) {
        for (const JsonTree& key : member.value.elements) AddItem(key, own, is_strong, owned);
      } else {
        // A batch may have its tables as names of members.
        const bool is_list = member.name == "requestItems" || member.name == "transactItems";
        const bool is_named = own.empty() && !is_list;
        AddItems(member.value, is_named ? ParseTableName(member.name) : own, is_strong, owned);
      }
    }
  }

  void AddItem(const JsonTree& key, const std::string& table, bool is_strong, OwnedRequest* owned) {
    if (key.kind != JsonTree::Kind::kMap || key.members.empty() || key.members.size() > 2) {
      return Error(key, messages::LabLogNotAKey());
    }
    ItemBuilder builder;
    builder.BeginMap();
    for (const JsonTree::Member& member : key.members) {
      builder.Key(member.name);
      if (!AddValue(member.value, &builder)) {
        return Error(member.value, messages::LabLogNotAKeyValue(member.name));
      }
    }
    builder.EndMap();
    const Item item = builder.FinishItem();
    const uint32_t number = FindOrAddResource(table, "");
    KeySchema& schema = resources_[number].key;
    if (schema.hash.empty()) schema = MakeSchema(table, key, item);
    if (!HasKey(schema, item.view()) || schema.size() != key.members.size()) {
      return Error(key, messages::LabLogOtherKey(table, schema.hash.front().name));
    }
    AddUse(number, is_strong, assumptions_.item_bytes, owned);
    PutKey(schema, item, owned);
  }

  // Reads a plain value, or one with its type: {"S": "x"}. False: it is not a value of a key.
  static bool AddValue(const JsonTree& value, ItemBuilder* builder) {
    if (value.kind == JsonTree::Kind::kString) {
      builder->String(value.text);
      return !value.text.empty();
    }
    if (value.kind == JsonTree::Kind::kOther) return builder->NumberText(value.text).ok();
    if (value.kind != JsonTree::Kind::kMap || value.members.size() != 1) return false;
    const auto& [type, inner] = value.members.front();
    if (inner.kind != JsonTree::Kind::kString || inner.text.empty()) return false;
    if (type == "N") return builder->NumberText(inner.text).ok();
    std::string bytes;
    if (type == "S") {
      builder->String(inner.text);
    } else if (type == "B" && absl::Base64Unescape(ToAbsl(inner.text), &bytes)) {
      builder->Binary(bytes);
    } else {
      return false;
    }
    return true;
  }

  KeySchema MakeSchema(const std::string& table, const JsonTree& key, const Item& item) {
    const auto told = assumptions_.partition_keys.find(table);
    const std::string& partition =
        told == assumptions_.partition_keys.end() ? key.members.front().name : told->second;
    KeySchema schema;
    for (const JsonTree::Member& member : key.members) {
      const KeyAttribute attribute = {member.name, item.Find(member.name)->type()};
      (member.name == partition ? schema.hash : schema.range).push_back(attribute);
    }
    // If no attribute has that name, each item is an error.
    if (schema.hash.empty()) schema = {.hash = {{partition, Type::kString}}, .range = {}};
    if (!schema.range.empty() && told == assumptions_.partition_keys.end()) {
      assumed_.push_back(messages::LabLogPartitionKey(table, partition));
    }
    return schema;
  }

  // Of the last use.
  static void PutKey(const KeySchema& schema, const Item& item, OwnedRequest* owned) {
    std::string whole;
    AppendRowKey(0, schema, item.view(), &whole);
    std::string head = whole;
    if (!schema.range.empty()) {
      head.clear();
      AppendIndexRowKey({}, {.hash = schema.hash, .range = {}}, {}, item.view(), &head);
    }
    trace::Use& use = owned->request.uses.back();
    use.hash = ReadBigEndian(std::string_view(whole).substr(sizeof(StorageId)));
    use.has_key = true;
    OwnedRequest::Keys& keys = owned->keys.back();
    keys.partition = head.substr(kRowPrefixBytes);
    if (schema.range.empty()) return;
    keys.sort = whole.substr(head.size());
    use.has_sort = true;
    use.sort_hash = trace::StableHash(keys.sort);
  }

  // Each is at another place, which the log does not give.
  void AddWithoutKey(const JsonTree& event, const JsonTree& parameters, OwnedRequest* owned) {
    std::string table = ParseTableName(FindText(&parameters, "tableName"));
    const JsonTree* const resources = FindMember(event, "resources");
    if (table.empty() && resources != nullptr && !resources->elements.empty()) {
      table = ParseTableName(FindText(&resources->elements.front(), "aRN"));
      if (table.empty()) table = ParseTableName(FindText(&resources->elements.front(), "ARN"));
    }
    if (table.empty()) return Error(parameters, messages::LabJsonLacks("tableName"));
    const Operation operation = owned->request.operation;
    const uint32_t resource = FindOrAddResource(table, FindText(&parameters, "indexName"));
    const bool has_pages = HasPages(operation);
    const int64_t bytes = has_pages && assumptions_.page_bytes > 0 ? assumptions_.page_bytes
                                                                   : assumptions_.item_bytes;
    const JsonTree* const statements = FindMember(parameters, "requestItems");
    const size_t count =
        statements == nullptr ? 1 : std::max<size_t>(1, statements->elements.size());
    ++without_key_[operation];
    for (size_t i = 0; i < count; ++i) {
      AddUse(resource, IsTrue(parameters, "consistentRead"), bytes, owned);
      trace::Use& use = owned->request.uses.back();
      use.hash = trace::StableHash(Concat("without key ", places_++));
      use.has_key = operation != Operation::kScan;
    }
  }

  void AddUse(uint32_t resource, bool is_strong, int64_t bytes, OwnedRequest* owned) {
    const Operation operation = owned->request.operation;
    const bool is_whole = IsTransaction(operation) || operation == Operation::kExecuteTransaction;
    const ReadMode mode = is_whole    ? ReadMode::kTransactional
                          : is_strong ? ReadMode::kStrong
                                      : ReadMode::kEventual;
    const auto size = static_cast<size_t>(bytes);
    const double units = is_write_ ? WriteUnits(size, is_whole) : ReadUnits(size, mode);
    trace::Use use;
    use.resource = resource;
    use.kind = is_write_ ? AccessKind::kWrite : AccessKind::kRead;
    use.half_units = static_cast<int64_t>(2 * units);
    use.bytes = bytes;
    owned->request.uses.push_back(use);
    owned->keys.emplace_back();
  }

  uint32_t FindOrAddResource(const std::string& table, const std::string& index) {
    const auto [at, is_new] =
        numbers_.try_emplace({table, index}, static_cast<uint32_t>(resources_.size()));
    if (is_new) {
      resources_.emplace_back();
      resources_.back().table = table;
      resources_.back().index = index;
    }
    return at->second;
  }

  void SpreadOverSeconds() {
    const auto is_earlier = [](const OwnedRequest& left, const OwnedRequest& right) {
      return left.request.at < right.request.at;
    };
    std::stable_sort(requests_.begin(), requests_.end(), is_earlier);
    for (size_t i = 0; i < requests_.size();) {
      const Micros second = requests_[i].request.at;
      size_t end = i;
      while (end < requests_.size() && requests_[end].request.at == second) ++end;
      const bool is_spread = second % kSecond == 0 && end - i > 1;
      for (size_t j = i; is_spread && j < end; ++j) {
        requests_[j].request.at +=
            static_cast<Micros>(j - i) * kSecond / static_cast<Micros>(end - i);
      }
      i = end;
    }
  }

  std::vector<std::string> Warnings() const {
    std::vector<std::string> warnings;
    warnings.push_back(messages::LabLogSizes(
        file_, assumptions_.item_bytes,
        assumptions_.page_bytes > 0 ? assumptions_.page_bytes : assumptions_.item_bytes));
    warnings.insert(warnings.end(), assumed_.begin(), assumed_.end());
    std::vector<std::string> counts;
    for (const auto& [operation, count] : without_key_) {
      counts.push_back(Concat(count, " ", trace::OperationName(operation)));
    }
    if (!counts.empty()) warnings.push_back(messages::LabLogWithoutKey(file_, counts));
    if (failed_ > 0) warnings.push_back(messages::LabLogFailed(file_, failed_));
    if (others_ > 0) warnings.push_back(messages::LabLogOthers(file_, others_));
    return warnings;
  }

  const std::string& file_;
  const LogAssumptions& assumptions_;
  size_t base_line_ = 0;
  size_t errors_ = 0;
  std::string lines_;
  bool is_write_ = false;  // the present event
  std::vector<OwnedRequest> requests_;
  std::vector<trace::Resource> resources_;
  std::map<std::pair<std::string, std::string>, uint32_t> numbers_;  // by table and index
  std::vector<std::string> assumed_;
  std::map<Operation, int64_t> without_key_;
  uint64_t places_ = 0;
  int64_t failed_ = 0;
  int64_t others_ = 0;
};

}  // namespace

bool operator<(const LogAssumptions& left, const LogAssumptions& right) {
  const auto tied = [](const LogAssumptions& each) {
    return std::tie(each.item_bytes, each.page_bytes, each.partition_keys);
  };
  return tied(left) < tied(right);
}

bool IsAccessLog(std::string_view text) {
  if (text.starts_with(kGzip)) return true;
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && text[begin] == '{';
}

absl::StatusOr<trace::TraceContents> ReadAccessLog(
    const std::string& file, std::string_view text, const LogAssumptions& assumptions,
    absl::FunctionRef<void(const trace::Request& request)> visit) {
  if (text.starts_with(kGzip)) {
    return absl::InvalidArgumentError(ToAbsl(messages::LabLogCompressed(file)));
  }
  LogReader reader(file, assumptions);
  reader.Read(text);
  absl::StatusOr<trace::TraceContents> contents = reader.Finish(visit);
  if (contents.ok()) contents->bytes = static_cast<int64_t>(text.size());
  return contents;
}

}  // namespace dynolith::lab
