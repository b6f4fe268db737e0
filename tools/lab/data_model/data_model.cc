#include "tools/lab/data_model/data_model.h"

#include <algorithm>
#include <cmath>

#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/text/nearest_word.h"
#include "tools/lab/data_model/messages.h"
#include "tools/lab/experiment/messages.h"
#include "tools/lab/experiment/workbench_model.h"
#include "tools/lab/text/json_reader.h"
#include "tools/lab/text/messages.h"

namespace dynolith::lab {
namespace {

// The defaults of the model's description.
constexpr double kEntityItems = 100'000;
constexpr double kEntityItemBytes = 1024;
constexpr int kTransactionItemsMax = static_cast<int>(kBatchGetKeysMax);

// The defaults of a benchmark's mode.
struct Preset {
  double seconds;
  double scale;
  double rate_least;
  double rate_most;
  double items;
  double together;  // in one partition
};
const std::map<std::string, Preset> kPresets = {{"standard", {90, 0.01, 1, 50, 500, 1}},
                                                {"quick", {15, 0.01, 1, 50, 100, 1}},
                                                {"representative", {120, 0.15, 5, 1800, 2000, 40}}};
constexpr double kZipf = 1.1;

const std::vector<std::string>& Operations() {
  static const std::vector<std::string> operations = {
      "GetItem",      "Query",      "Scan",       "BatchGetItem",   "TransactGetItems",
      "PutItem",      "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems",
      "SearchVectors"};
  return operations;
}

template <typename Named>
std::vector<std::string> NamesIn(const std::vector<Named>& all) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const Named& one : all) names.push_back(one.name);
  return names;
}

ModelProjection ReadProjection(const JsonObject& owner, std::string_view type) {
  const std::string word = owner.Choice(type, {"ALL", "INCLUDE", "KEYS_ONLY"});
  return word == "ALL"       ? ModelProjection::kAll
         : word == "INCLUDE" ? ModelProjection::kInclude
                             : ModelProjection::kKeysOnly;
}

// Attributes with their types, each by either pair of names.
void ReadTypes(const std::vector<JsonObject>& attributes, std::map<std::string, std::string>* types,
               std::vector<std::string>* names = nullptr) {
  for (const JsonObject& attribute : attributes) {
    const bool is_long = attribute.Has("attribute_name");
    std::string name = attribute.NeededText(is_long ? "attribute_name" : "name");
    (*types)[name] = attribute.Text(is_long ? "attribute_type" : "type");
    if (names != nullptr) names->push_back(std::move(name));
  }
}

std::optional<ModelCapacity> ReadCapacity(const JsonObject& owner, std::string_view name,
                                          std::string_view read, std::string_view write) {
  const std::optional<JsonObject> given = owner.Object(name);
  if (!given) return std::nullopt;
  return ModelCapacity{given->Number(read, 0).value_or(0), given->Number(write, 0).value_or(0)};
}

// The first attribute of each kind, since a key of several attributes is one value in the lab.
template <typename Keyed>
void ReadKeySchema(const JsonObject& owner, Keyed* keyed) {
  for (const JsonObject& part : owner.Objects("KeySchema")) {
    const bool is_sort_key = part.Choice("KeyType", {"HASH", "RANGE"}) == "RANGE";
    std::string& name = is_sort_key ? keyed->sort_key : keyed->partition_key;
    if (name.empty()) name = part.NeededText("AttributeName");
  }
  if (keyed->partition_key.empty()) owner.NeededText("KeySchema");
}

// Reads the table of a CreateTable call, with its samples.
ModelTable ReadCreateTable(const JsonObject& given, const std::optional<JsonObject>& items) {
  ModelTable table;
  table.name = given.NeededText("TableName");
  ReadKeySchema(given, &table);
  for (const JsonObject& attribute : given.Objects("AttributeDefinitions")) {
    table.types[attribute.NeededText("AttributeName")] = attribute.Text("AttributeType");
  }
  for (const JsonObject& one : given.Objects("GlobalSecondaryIndexes")) {
    ModelIndex& index = table.indexes.emplace_back();
    index.name = one.NeededText("IndexName");
    ReadKeySchema(one, &index);
    if (const std::optional<JsonObject> projection = one.Object("Projection")) {
      index.projection = ReadProjection(*projection, "ProjectionType");
      index.attributes = projection->Texts("NonKeyAttributes");
    }
  }
  if (given.Choice("BillingMode", {"PAY_PER_REQUEST", "PROVISIONED"}) == "PROVISIONED") {
    table.capacity =
        ReadCapacity(given, "ProvisionedThroughput", "ReadCapacityUnits", "WriteCapacityUnits");
  }
  table.infrequent_access = given.Text("TableClass") == "STANDARD_INFREQUENT_ACCESS";
  if (!items || !items->Has(table.name)) return table;
  ModelEntity samples = {.name = table.name, .item_bytes = 0, .items = kEntityItems};
  double count = 0;
  for (const JsonObject& request : items->Objects(table.name)) {
    const std::optional<JsonObject> put = request.Object("PutRequest");
    const std::optional<JsonObject> item = put ? put->Object("Item") : std::nullopt;
    if (!item) continue;
    ++count;
    samples.item_bytes += static_cast<double>(SampleBytes(item->tree()));
    for (const JsonTree::Member& member : item->tree().members) {
      samples.attributes.push_back(member.name);
    }
  }
  if (count == 0) return table;
  samples.item_bytes = std::ceil(samples.item_bytes / count);
  table.entities.push_back(std::move(samples));
  return table;
}

ModelEntity ReadEntity(const JsonObject& given, std::map<std::string, std::string>* types) {
  ModelEntity entity;
  entity.name = given.NeededText("entity_name");
  entity.item_bytes = given.Number("estimated_item_size_bytes", 1).value_or(kEntityItemBytes);
  entity.items = given.Number("estimated_item_count", 0).value_or(kEntityItems);
  ReadTypes(given.Objects("attributes"), types, &entity.attributes);
  return entity;
}

ModelIndex ReadGsi(const JsonObject& given) {
  ModelIndex index;
  index.name = given.NeededText("index_name");
  index.partition_key = given.NeededText("partition_key");
  index.sort_key = given.Text("sort_key");
  if (const std::optional<JsonObject> projection = given.Object("projection")) {
    index.projection = ReadProjection(*projection, "type");
    index.attributes = projection->Texts("attributes");
  }
  return index;
}

ModelTable ReadTable(const JsonObject& given) {
  ModelTable table;
  table.name = given.NeededText("table_name");
  if (const std::optional<JsonObject> key = given.Object("key_schema")) {
    table.partition_key = key->NeededText("partition_key");
    table.sort_key = key->Text("sort_key");
  } else {
    given.NeededText("key_schema");
  }
  const std::string name_of_class = given.Text("table_class");
  table.infrequent_access = !name_of_class.empty() && name_of_class != "STANDARD";
  for (const JsonObject& entity : given.Objects("entities")) {
    table.entities.push_back(ReadEntity(entity, &table.types));
  }
  ReadTypes(given.Objects("attribute_definitions"), &table.types);
  for (const JsonObject& gsi : given.Objects("gsis")) table.indexes.push_back(ReadGsi(gsi));
  table.capacity = ReadCapacity(given, "provisioned_capacity", "read", "write");
  return table;
}

// The larger of the item before and after, or the sizes of a batch.
std::vector<int64_t> ReadItemBytes(const JsonObject& given) {
  std::vector<int64_t> bytes;
  for (const double size : given.Numbers("item_sizes")) {
    bytes.push_back(static_cast<int64_t>(std::ceil(size)));
  }
  if (!bytes.empty()) return bytes;
  const std::optional<double> after = given.Number("estimated_item_size_bytes", 1);
  const std::optional<double> before = given.Number("previous_item_size_bytes", 1);
  if (!after && !before) return bytes;
  bytes.push_back(static_cast<int64_t>(std::ceil(std::max(after.value_or(0), before.value_or(0)))));
  return bytes;
}

// Reads names, or objects with a name and a count. The result has a name once for each item.
std::vector<std::string> ReadEntitiesWritten(const JsonObject& given) {
  constexpr std::string_view kMember = "entities_written";
  if (!given.Has(kMember)) return {};
  const std::vector<JsonTree>& list = given.tree().Find(kMember)->elements;
  if (!list.empty() && list.front().kind == JsonTree::Kind::kString) return given.Texts(kMember);
  std::vector<std::string> names;
  for (const JsonObject& one : given.Objects(kMember)) {
    const std::string name = one.NeededText("entity");
    const double count = one.Number("count", 0).value_or(1);
    if (count > kTransactionItemsMax) {
      one.ErrorAt("count", messages::LabModelAbove(one.MemberPath("count"), kTransactionItemsMax));
      continue;
    }
    names.insert(names.end(), static_cast<size_t>(count), name);
  }
  return names;
}

std::string ReadOperation(const JsonObject& given, std::string_view member) {
  if (!given.Has(member)) return "";
  const std::string word = given.Text(member);
  if (word == "TransactWrite") return "TransactWriteItems";
  if (word == "TransactGet") return "TransactGetItems";
  return given.Choice(member, Operations());
}

ModelWrite ReadWriteAction(const JsonObject& given, const std::string& operation) {
  const std::string usual = operation == "PutItem" ? "create" : "update";
  const std::string action =
      given.Has("write_action")
          ? given.Choice("write_action", {"create", "update", "delete", "mixed"})
          : usual;
  return action == "create" ? ModelWrite::kCreate : ModelWrite::kOther;
}

ModelPattern ReadPattern(const JsonObject& given) {
  ModelPattern pattern;
  const bool has_id = given.Has("pattern_id");
  pattern.id = given.NeededText(has_id || !given.Has("pattern") ? "pattern_id" : "pattern");
  pattern.description = given.Text("description");
  pattern.operation =
      ReadOperation(given, given.Has("dynamodb_operation") ? "dynamodb_operation" : "operation");
  if (has_id && pattern.operation.empty()) given.NeededText("operation");
  if (pattern.operation.empty()) return pattern;
  pattern.table = given.NeededText("table");
  if (given.Text("index") != "null") pattern.index = given.Text("index");
  pattern.rate = given.Number("peak_rps", 0);
  if (has_id && !given.Has("peak_rps"))
    given.Error(messages::LabJsonLacks(given.MemberPath("peak_rps")));
  pattern.is_strong =
      given.Choice("consistency", {"eventual", "strong", "transactional"}) == "strong" ||
      given.Text("implementation").find(" --consistent-read") != std::string::npos;
  pattern.items = static_cast<int64_t>(given.Number("items_per_request", 1).value_or(1));
  pattern.item_bytes = ReadItemBytes(given);
  if (pattern.item_bytes.size() > 1)
    pattern.items = static_cast<int64_t>(pattern.item_bytes.size());
  pattern.entities_written = ReadEntitiesWritten(given);
  if (!given.Has("items_per_request") && pattern.entities_written.size() > 1) {
    pattern.items = static_cast<int64_t>(pattern.entities_written.size());
  }
  if (given.Has("attributes_written"))
    pattern.attributes_written = given.Texts("attributes_written");
  pattern.write = ReadWriteAction(given, pattern.operation);
  return pattern;
}

// Checks that the pattern's table and index exist.
void CheckTarget(const JsonObject& given, const ModelPattern& pattern, const DataModel& model) {
  if (pattern.table.empty()) return;
  const auto table = std::find_if(model.tables.begin(), model.tables.end(),
                                  [&](const ModelTable& one) { return one.name == pattern.table; });
  if (table == model.tables.end()) {
    given.ErrorAt("table",
                  messages::LabNothingNamed(given.MemberPath("table"), "table", pattern.table,
                                            NearestWord(pattern.table, NamesIn(model.tables))));
    return;
  }
  const std::vector<std::string> indexes = NamesIn(table->indexes);
  if (pattern.index.empty() || pattern.operation == "SearchVectors" ||
      std::find(indexes.begin(), indexes.end(), pattern.index) != indexes.end()) {
    return;
  }
  given.ErrorAt("index",
                messages::LabNothingNamed(given.MemberPath("index"), "index", pattern.index,
                                          NearestWord(pattern.index, indexes)));
}

}  // namespace

absl::StatusOr<DataModel> ParseDataModel(const std::string& file, std::string_view text) {
  JsonErrors errors(file);
  const std::optional<JsonTree> tree = ParseJsonObject(text, &errors);
  if (!tree) return errors.status();
  DataModel model;
  const JsonObject root(*tree, "", &errors);
  const std::optional<JsonObject> items = root.Object("items");
  for (const JsonObject& given : root.Objects("tables")) {
    ModelTable table = given.Has("TableName") ? ReadCreateTable(given, items) : ReadTable(given);
    const std::vector<std::string> names = NamesIn(model.tables);
    if (std::find(names.begin(), names.end(), table.name) != names.end()) {
      given.Error(messages::LabNameTwice("tables", table.name));
    }
    model.tables.push_back(std::move(table));
  }
  if (model.tables.empty()) root.Error(messages::LabJsonLacks("tables"));
  for (const JsonObject& given : root.Objects("access_patterns")) {
    model.patterns.push_back(ReadPattern(given));
    CheckTarget(given, model.patterns.back(), model);
  }
  if (std::all_of(model.patterns.begin(), model.patterns.end(),
                  [](const ModelPattern& pattern) { return pattern.operation.empty(); })) {
    root.Error(messages::LabModelWithoutPatterns());
  }
  if (const absl::Status status = errors.status(); !status.ok()) return status;
  return model;
}

absl::StatusOr<BenchmarkConfig> ParseBenchmarkConfig(const std::string& file,
                                                     std::string_view text) {
  JsonErrors errors(file);
  const std::optional<JsonTree> tree = ParseJsonObject(text, &errors);
  if (!tree) return errors.status();
  const JsonObject root(*tree, "", &errors);
  const Preset& preset = kPresets.at(root.Choice("mode", {"standard", "quick", "representative"}));
  BenchmarkConfig config;
  config.seconds = root.Number("duration_seconds", 1).value_or(preset.seconds);
  config.scale = root.Number("scale_factor", 0).value_or(preset.scale);
  config.rate_least = root.Number("min_rps_per_pattern", 0).value_or(preset.rate_least);
  config.rate_most = root.Number("max_rps_per_pattern", 0).value_or(preset.rate_most);
  const double items = root.Number("seed_items_per_table", 1).value_or(preset.items);
  const double together = root.Number("items_per_partition", 1).value_or(preset.together);
  config.partitions = std::max<int64_t>(1, static_cast<int64_t>(items / together));
  const std::string sampling = root.Choice("read_pattern_key_sampling", {"uniform", "zipf"});
  const bool is_zipf =
      root.Has("read_pattern_key_sampling") ? sampling == "zipf" : preset.together > 1;
  if (is_zipf) config.zipf = root.Number("zipf_s", 0.01).value_or(kZipf);
  config.capacity = ReadCapacity(root, "provisioned_capacity", "read", "write");
  if (const absl::Status status = errors.status(); !status.ok()) return status;
  return config;
}

}  // namespace dynolith::lab
