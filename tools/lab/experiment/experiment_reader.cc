#include "tools/lab/experiment/experiment_reader.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>

#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/text/nearest_word.h"
#include "engine/value/number.h"
#include "tools/lab/experiment/client_presets.h"
#include "tools/lab/experiment/messages.h"
#include "tools/lab/experiment/open_members.h"
#include "tools/lab/experiment/paid_features.h"
#include "tools/lab/experiment/replay_reader.h"
#include "tools/lab/experiment/service_members.h"
#include "tools/lab/experiment/vector_members.h"
#include "tools/lab/text/messages.h"
#include "tools/server/trace/trace_format.h"

namespace dynolith::lab {
namespace {

template <typename Value>
using Words = std::pair<std::string_view, Value>;

constexpr double kNoEnd = std::numeric_limits<double>::infinity();

constexpr Words<Admission> kAdmissions[] = {{"static", Admission::kStatic},
                                            {"burst", Admission::kBurst},
                                            {"adaptive", Admission::kAdaptive},
                                            {"global", Admission::kGlobal}};
constexpr Words<Type> kKeyTypes[] = {
    {"S", Type::kString}, {"N", Type::kNumber}, {"B", Type::kBinary}};
constexpr Words<bool> kBillings[] = {{"on-demand", true}, {"provisioned", false}};
constexpr Words<bool> kArrivals[] = {{"random", false}, {"even", true}};
constexpr Words<ReadMode> kConsistencies[] = {{"eventual", ReadMode::kEventual},
                                              {"strong", ReadMode::kStrong}};
// The operations of accesses; statements are written as the equivalent operation.
enum class OperationKind : uint8_t { kOfItems, kVectorSearch, kBulkPut };
using OperationOfKind = std::pair<Operation, OperationKind>;
constexpr std::array<Words<OperationOfKind>, kItemOperations + 2> MakeOperations() {
  std::array<Words<OperationOfKind>, kItemOperations + 2> words;
  for (size_t i = 0; i < kItemOperations; ++i) {
    words[i] = {trace::kOperationNames[i].first,
                {trace::kOperationNames[i].second, OperationKind::kOfItems}};
  }
  words[kItemOperations] = {"SearchVectors", {Operation::kQuery, OperationKind::kVectorSearch}};
  words[kItemOperations + 1] = {"BulkPutItems", {Operation::kPutItem, OperationKind::kBulkPut}};
  return words;
}
constexpr std::array<Words<OperationOfKind>, kItemOperations + 2> kOperations = MakeOperations();
constexpr Words<std::optional<Operation>> kModifications[] = {
    {"PutItem", Operation::kPutItem}, {"UpdateItem", Operation::kUpdateItem}};
// The actions of transactions, and whether each only checks a condition.
constexpr Words<std::pair<Operation, bool>> kActions[] = {
    {"PutItem", {Operation::kPutItem, false}},
    {"UpdateItem", {Operation::kUpdateItem, false}},
    {"DeleteItem", {Operation::kDeleteItem, false}},
    {"ConditionCheck", {Operation::kUpdateItem, true}}};
constexpr Words<IndexChange> kIndexChanges[] = {{"put", IndexChange::kPut},
                                                {"move", IndexChange::kMove},
                                                {"add", IndexChange::kAdd},
                                                {"remove", IndexChange::kRemove},
                                                {"none", IndexChange::kNone}};
constexpr Words<bool> kVectorChanges[] = {{"put", true}, {"none", false}};
constexpr Words<Distribution> kDistributions[] = {
    {"uniform", Distribution::kUniform},
    {"zipfian", Distribution::kZipfian},
    {"scrambled-zipfian", Distribution::kScrambledZipfian},
    {"latest", Distribution::kLatest},
    {"recent", Distribution::kRecent},
    {"hot-set", Distribution::kHotSet},
    {"celebrity", Distribution::kCelebrity},
    {"list", Distribution::kList},
    {"time", Distribution::kTime},
    {"ordered", Distribution::kOrdered},
    {"interleaved", Distribution::kInterleaved},
    {"ascending", Distribution::kAscending},
    {"random", Distribution::kRandom}};
constexpr Words<Load::Shape> kShapes[] = {
    {"constant", Load::Shape::kConstant}, {"ramp", Load::Shape::kRamp},
    {"steps", Load::Shape::kSteps},       {"spikes", Load::Shape::kSpikes},
    {"wave", Load::Shape::kWave},         {"polling", Load::Shape::kPolling},
    {"once", Load::Shape::kOnce}};
constexpr Words<Load::Unit> kLoadUnits[] = {{"requests", Load::Unit::kRequests},
                                            {"read units", Load::Unit::kReadUnits},
                                            {"write units", Load::Unit::kWriteUnits}};
constexpr Words<Jitter> kJitters[] = {
    {"full", Jitter::kFull}, {"equal", Jitter::kEqual}, {"none", Jitter::kNone}};
constexpr Words<bool> kSuffixes[] = {{"random", false}, {"calculated", true}};

template <typename Designs>
std::vector<std::string> ListNames(const Designs& designs) {
  std::vector<std::string> names;
  names.reserve(designs.size());
  for (const auto& design : designs) names.push_back(design.name);
  return names;
}

template <typename Designs>
std::optional<size_t> IndexNamed(const Designs& designs, std::string_view name) {
  for (size_t i = 0; i < designs.size(); ++i) {
    if (designs[i].name == name) return i;
  }
  return std::nullopt;
}

std::vector<std::string> ListKeyAttributes(const TableDesign& table) {
  std::vector<std::string> names;
  const auto add = [&names](const KeyPart& part) {
    if (std::find(names.begin(), names.end(), part.attribute) == names.end()) {
      names.push_back(part.attribute);
    }
  };
  add(table.partition_key);
  if (table.sort_key) add(*table.sort_key);
  for (const IndexDesign& index : table.indexes) {
    add(index.partition_key);
    if (index.sort_key) add(*index.sort_key);
  }
  return names;
}

// Scaled units begin within the bounds of their rule, by default at its minimum.
void BeginScaled(Throughput* throughput) {
  for (const AccessKind kind : {AccessKind::kRead, AccessKind::kWrite}) {
    const std::optional<ScalingRule>& rule = throughput->auto_scaling.rules[kind];
    if (!rule || rule->minimum > rule->maximum) continue;
    std::optional<int64_t>& units = throughput->units[kind];
    units = std::clamp(units.value_or(rule->minimum), rule->minimum, rule->maximum);
  }
}

bool IsBatch(Operation operation) {
  return operation == Operation::kBatchGetItem || operation == Operation::kBatchWriteItem ||
         IsTransaction(operation);
}

}  // namespace

ExperimentReader::ExperimentReader(const toml::table& document,
                                   std::optional<std::vector<TableDesign>> known,
                                   std::optional<Replay> replay, NamedTexts* texts,
                                   TomlErrors* errors)
    : root_(document, "", errors), knows_tables_(known.has_value()), texts_(texts) {
  if (known) experiment_.tables = *std::move(known);
  experiment_.replay = std::move(replay);
}

Experiment ExperimentReader::Read() {
  root_.Find("workbench");
  root_.Find("design");
  root_.Find("replay");
  std::optional<TomlTable> head = root_.Table("experiment");
  if (head) {
    ReadHead(*head);
  } else {
    root_.Error(messages::LabNeedsSome("experiment", "[experiment]"));
  }
  ReadClient();
  if (!knows_tables_) return std::move(experiment_);
  for (TomlTable& table : root_.Tables("table")) ReadTable(std::move(table));
  if (experiment_.tables.empty()) root_.Error(messages::LabNeedsSome("table", "[[table]]"));
  if (experiment_.replay) {
    // It was refused before.
    for (const std::string_view name : {"keys", "load", "access"}) root_.Find(name);
    experiment_.accesses = MakeAccesses(*experiment_.replay);
    for (Access& access : experiment_.accesses) access.latency = latency_;
  } else {
    ReadAccesses();
  }
  if (head) CheckMonth(&*head);
  if (std::optional<TomlTable> advise = root_.Table("advise")) ReadAdvice(*std::move(advise));
  root_.RefuseUnknown();
  return std::move(experiment_);
}

void ExperimentReader::ReadAccesses() {
  ReadSources();
  if (std::optional<TomlTable> load = root_.Table("load")) {
    experiment_.load = ReadLoad(&*load);
    const Load::Shape shape = experiment_.load->shape;
    if (shape == Load::Shape::kPolling || shape == Load::Shape::kOnce) {
      load->Error(*load->Find("shape"), messages::LabOnlyFor("load.shape = \"polling\" or \"once\"",
                                                             "an access's own load"));
    }
  }
  for (TomlTable& access : root_.Tables("access")) ReadAccess(std::move(access));
  if (experiment_.accesses.empty()) root_.Error(messages::LabNeedsSome("access", "[[access]]"));
}

void ExperimentReader::ReadHead(TomlTable table) {
  table.Text("title", &experiment_.title);
  table.Text("question", &experiment_.question);
  table.Text("expected", &experiment_.expected);
  table.Text("region", &experiment_.region);
  if (std::optional<TomlTable> expect = table.Table("expect")) ReadExpectations(*std::move(expect));
  if (std::optional<TomlTable> month = table.Table("month")) {
    ReadDay(&*month, "weekdays", &experiment_.weekdays);
    ReadDay(&*month, "weekends", &experiment_.weekends);
    month->RefuseUnknown();
  }
  ReadReserved(&table, &experiment_.reserved);
  int64_t seed = 1;
  table.Count("seed", &seed);
  experiment_.seed = static_cast<uint64_t>(seed);
  const std::optional<Replay>& replay = experiment_.replay;
  if (replay) {
    experiment_.duration = replay->period * replay->rounds;
  } else if (!root_.Has("replay")) {
    table.Need("duration", "how long it lasts, such as \"10m\"");
  }
  table.Time("duration", &experiment_.duration, 1);
  if (experiment_.duration > kLabDaysMax * 24 * 60 * kMinute) {
    const std::string text =
        messages::LabTooLong("experiment.duration", Concat(kLabDaysMax, " days"));
    table.Has("duration") ? table.Error(*table.Find("duration"), text) : table.Error(text);
  }
  table.Choice<Admission>("admission", kAdmissions, &experiment_.admission);
  table.Choice<bool>("arrivals", kArrivals, &experiment_.evenly);
  table.Flag("splits", &experiment_.splits);
  int64_t nodes = 0;
  table.Count("nodes", &nodes, 0, 1'000);
  experiment_.nodes = static_cast<int>(nodes);
  ReadQuotas(&table, &experiment_);
  ReadLatency(&table, &latency_);
  table.Count("sample", &experiment_.sample, 1, 10'000);
  if (replay && experiment_.sample > 1) {
    table.Error(*table.Find("sample"),
                messages::LabNotWith("experiment.sample", "[replay]; fewer users do"));
  }
  table.RefuseUnknown();
}

void ExperimentReader::ReadExpectations(TomlTable expect) {
  Expectations& result = experiment_.expect;
  if (expect.Has("served")) expect.Number("served", &result.served.emplace(1), 0, 1);
  if (expect.Has("p99")) expect.Time("p99", &result.p99.emplace(), 1);
  if (std::optional<TomlTable> cost = expect.Table("cost")) {
    cost->Need("most", "what a month may cost, such as 900");
    cost->Number("most", &result.cost_most.emplace(), 0, kNoEnd);
    cost->RefuseUnknown();
  }
  expect.RefuseUnknown();
}

// A factor, or the name of a design.
void ExperimentReader::ReadDay(TomlTable* month, std::string_view name, DayKind* day) {
  constexpr double kFactorMax = 1'000;
  const toml::node* const node = month->Find(name);
  if (node != nullptr && node->is_string()) return month->Text(name, &day->design);
  month->Number(name, &day->factor, 0, kFactorMax);
}

void ExperimentReader::CheckMonth(TomlTable* head) {
  const auto is_scaled = [](const Throughput& throughput) {
    return !throughput.on_demand && throughput.auto_scaling.is_on();
  };
  const bool any_scaled =
      std::any_of(experiment_.tables.begin(), experiment_.tables.end(), [&](const auto& table) {
        return is_scaled(table.throughput) ||
               std::any_of(table.indexes.begin(), table.indexes.end(),
                           [&](const auto& index) { return is_scaled(index.throughput); });
      });
  if (!any_scaled || (experiment_.weekdays.factor == 1 && experiment_.weekends.factor == 1)) return;
  head->Error(*head->Find("month"), messages::LabScaledMonth());
}

// --- tables

void ExperimentReader::ReadTable(TomlTable table) {
  TableDesign design;
  table.Text("name", &design.name);
  CheckName(&table, "tables", design.name, &table_names_);
  const std::optional<size_t> known = IndexNamed(experiment_.tables, design.name);
  if (known) design = experiment_.tables[*known];
  if (experiment_.replay) {
    CheckReplayed(&table, "table", ListNames(experiment_.tables),
                  {"partition_key", "sort_key", "item_size", "local_indexes"});
    if (!known) return;
  }
  if (!known) {
    table.Need("name", "what the table is called");
    table.Need("partition_key", "the attribute whose hash says in which partition an item is");
  }
  if (const auto key = ReadKey(&table, "partition_key")) design.partition_key = *key;
  if (const auto key = ReadKey(&table, "sort_key")) design.sort_key = key;
  ReadItemSize(&table, "item_size", &design.item);
  if (design.item.most == 0 && design.item.list.empty() && !table.Has("item_size")) {
    table.Need("item_size", "how large an item is, such as 400");
  }
  table.Count("fields", &design.fields, 1, 100);
  table.Count("local_indexes", &design.local_indexes, 0, kLocalIndexesMax);
  if (table.Has("local_indexes") && design.local_indexes > 0 && !design.sort_key) {
    table.Error(*table.Find("local_indexes"),
                messages::LabLocalWithoutSort(table.MemberPath("local_indexes"), design.name));
  }
  ReadPaidFeatures(&table, &design);
  if (table.Has("storage")) {
    for (IndexDesign& index : design.indexes) index.bytes.reset();
  }
  table.Choice<bool>("billing", kBillings, &design.throughput.on_demand);
  ReadThroughput(&table, &design.throughput);
  const PerKind<std::optional<ScalingRule>>& scaled = design.throughput.auto_scaling.rules;
  if (!design.throughput.on_demand && !((design.throughput.units.read || scaled.read) &&
                                        (design.throughput.units.write || scaled.write))) {
    table.Need("units", "what is provisioned, such as { read = 100, write = 50 }");
  }
  std::set<std::string> names;
  for (TomlTable& index : table.Tables("index")) {
    std::string name;
    index.Text("name", &name);
    CheckName(&index, "indexes", name, &names);
    ReadIndex(std::move(index), &design);
  }
  for (IndexDesign& index : design.indexes) {
    // An index has its table's billing, and by default the table's units.
    index.throughput.on_demand = design.throughput.on_demand;
    PerKind<std::optional<int64_t>>& units = index.throughput.units;
    if (!units.read) units.read = design.throughput.units.read;
    if (!units.write) units.write = design.throughput.units.write;
    BeginScaled(&index.throughput);
  }
  BeginScaled(&design.throughput);
  ReadVectorIndexes(&table, experiment_.replay.has_value(), &design);
  ReadStream(&table, &design.stream);
  CheckReplicas(&table, design);
  table.RefuseUnknown();
  if (known) {
    experiment_.tables[*known] = std::move(design);
  } else {
    experiment_.tables.push_back(std::move(design));
  }
}

void ExperimentReader::ReadIndex(TomlTable index, TableDesign* table) {
  IndexDesign design;
  index.Text("name", &design.name);
  const std::optional<size_t> known = IndexNamed(table->indexes, design.name);
  if (known) design = table->indexes[*known];
  if (experiment_.replay) {
    CheckReplayed(&index, "index", ListNames(table->indexes),
                  {"partition_key", "sort_key", "entry_size", "entries"});
    if (!known) return;
  }
  if (!known) {
    index.Need("name", "what the index is called");
    index.Need("partition_key", "the attribute by which it is looked up");
  }
  if (const auto key = ReadKey(&index, "partition_key")) design.partition_key = *key;
  if (const auto key = ReadKey(&index, "sort_key")) design.sort_key = key;
  if (!known) design.throughput.auto_scaling = table->throughput.auto_scaling;
  index.Bytes("entry_size", &design.entry_bytes, 1);
  if (index.Has("entry_size")) {
    CheckItemBytes(&index, "entry_size", *index.Find("entry_size"), design.entry_bytes);
  }
  index.Count("shards", &design.shards, 1, kLabShardsMax);
  index.Number("entries", &design.entries, 0, 1);
  ReadThroughput(&index, &design.throughput);
  index.RefuseUnknown();
  if (known) {
    table->indexes[*known] = std::move(design);
  } else {
    table->indexes.push_back(std::move(design));
  }
}

void ExperimentReader::CheckName(TomlTable* table, std::string_view what, const std::string& name,
                                 std::set<std::string>* names) {
  if (name.empty() || names->insert(name).second) return;
  table->Error(*table->Find("name"), messages::LabNameTwice(what, name));
}

void ExperimentReader::CheckReplayed(TomlTable* table, std::string_view what,
                                     const std::vector<std::string>& known,
                                     std::initializer_list<std::string_view> traced) {
  const toml::node* const node = table->Need("name", Concat("which ", what, " of the trace it is"));
  std::string name;
  table->Text("name", &name);
  if (node != nullptr && std::find(known.begin(), known.end(), name) == known.end()) {
    table->Error(*node, messages::LabNothingNamed(table->MemberPath("name"),
                                                  Concat(what, " in the trace named"), name,
                                                  NearestWord(name, known)));
  }
  for (const std::string_view member : traced) {
    if (!table->Has(member)) continue;
    table->Error(*table->Find(member), messages::LabOnlyInTrace(table->MemberPath(member)));
  }
}

void ExperimentReader::ReadThroughput(TomlTable* table, Throughput* throughput) {
  const auto read_both = [table](std::string_view name, int64_t least,
                                 PerKind<std::optional<int64_t>>* target) {
    std::optional<TomlTable> both = table->Table(name);
    if (!both) return;
    both->Count("read", &target->read, least, kLabUnitsMax);
    both->Count("write", &target->write, least, kLabUnitsMax);
    both->RefuseUnknown();
  };
  read_both("units", 1, &throughput->units);
  read_both("warm", 1, &throughput->warm);
  read_both("maximum", 1, &throughput->maximum);
  ReadAutoScaling(table, &throughput->auto_scaling);
  table->Count("partitions", &throughput->partitions, 1);
  if (throughput->partitions > kLabPartitionsMax) {
    table->Error(messages::LabTooLong(table->MemberPath("partitions"), Concat(kLabPartitionsMax)));
  }
}

void ExperimentReader::ReadAutoScaling(TomlTable* table, AutoScaling* scaling) {
  const toml::node* const node = table->Find("auto_scaling");
  if (node == nullptr) return;
  *scaling = {};
  // A design can remove it from a table.
  if (node->is_boolean() && !node->as_boolean()->get()) return;
  std::optional<TomlTable> both = table->Table("auto_scaling");
  if (!both) return;
  const auto read = [&both](std::string_view name, std::optional<ScalingRule>* target) {
    std::optional<TomlTable> table = both->Table(name);
    if (!table) return;
    ScalingRule rule;
    double percent = rule.target * 100;
    table->Need("maximum", "how many units it may become");
    table->Count("minimum", &rule.minimum, 1, kLabUnitsMax);
    table->Count("maximum", &rule.maximum, 1, kLabUnitsMax);
    table->Number("target", &percent, 20, 90);
    table->RefuseUnknown();
    rule.target = percent / 100;
    if (rule.minimum > rule.maximum && table->Has("maximum")) {
      table->Error(*table->Find("maximum"), messages::LabNotBelow(table->MemberPath("maximum"),
                                                                  table->MemberPath("minimum")));
    }
    *target = rule;
  };
  read("read", &scaling->rules.read);
  read("write", &scaling->rules.write);
  both->Time("alarm_delay", &scaling->alarm_delay);
  both->Time("update_delay", &scaling->update_delay);
  both->RefuseUnknown();
}

std::optional<KeyPart> ExperimentReader::ReadKey(TomlTable* table, std::string_view name) {
  const toml::node* const node = table->Find(name);
  if (node == nullptr) return std::nullopt;
  if (const auto* const text = node->as_string()) return KeyPart{text->get(), Type::kString};
  if (!node->is_table()) {
    table->Error(*node, messages::LabNotAKeyPart(table->MemberPath(name)));
    return std::nullopt;
  }
  std::optional<TomlTable> key = table->Table(name);
  KeyPart part;
  key->Need("name", "of the attribute");
  key->Text("name", &part.attribute);
  key->Choice<Type>("type", kKeyTypes, &part.type);
  key->RefuseUnknown();
  return part;
}

void ExperimentReader::ReadItemSize(TomlTable* table, std::string_view name, SizeRange* item) {
  const toml::node* const node = table->Find(name);
  if (node == nullptr) return;
  SizeRange range;
  bool is_fine = true;
  const auto read = [&](const toml::node* size) -> int64_t {
    const std::optional<int64_t> bytes = size == nullptr ? std::nullopt : ParseBytes(*size);
    is_fine = is_fine && bytes && *bytes >= 1;
    if (bytes) CheckItemBytes(table, name, *size, *bytes);
    return bytes.value_or(0);
  };
  if (const auto* const list = node->as_array()) {
    is_fine = !list->empty();
    for (const toml::node& size : *list) range.list.push_back(read(&size));
  } else if (node->is_table()) {
    std::optional<TomlTable> ends = table->Table(name);
    range.least = read(ends->Find("from"));
    range.most = read(ends->Find("to"));
    is_fine = is_fine && range.least <= range.most;
    ends->RefuseUnknown();
  } else {
    range.least = range.most = read(node);
  }
  if (!is_fine) table->Error(*node, messages::LabNotASize(table->MemberPath(name)));
  *item = std::move(range);
}

void ExperimentReader::CheckItemBytes(TomlTable* table, std::string_view name, const toml::node& at,
                                      int64_t bytes) {
  if (bytes <= static_cast<int64_t>(kItemBytesMax)) return;
  table->Error(at, messages::LabItemTooLarge(table->MemberPath(name), kItemBytesMax >> 10));
}

// --- sources of keys

void ExperimentReader::ReadSources() {
  std::optional<TomlTable> keys = root_.Table("keys");
  if (!keys) return;
  for (const auto& [name, node] : keys->table()) {
    std::optional<TomlTable> source = keys->Table(name.str());
    if (!source) continue;
    experiment_.sources.push_back(ReadSource(*std::move(source), std::string(name.str())));
  }
  for (KeySource& source : experiment_.sources) {
    ResolveLatest(&*keys, *keys->table().get(source.name), &source);
    ResolveWithin(&*keys, *keys->table().get(source.name), &source);
  }
}

// Sources of latest and recent keys have the texts of the source that they draw from.
void ExperimentReader::ResolveLatest(TomlTable* owner, const toml::node& at, KeySource* source) {
  const bool is_recent = source->distribution == Distribution::kRecent;
  if (source->distribution != Distribution::kLatest && !is_recent) return;
  const auto fits = [is_recent](const KeySource& of) {
    return of.distribution == Distribution::kAscending ||
           (is_recent && of.distribution == Distribution::kTime);
  };
  const std::optional<size_t> of = IndexNamed(experiment_.sources, source->of);
  if (of && fits(experiment_.sources[*of])) {
    source->prefix = experiment_.sources[*of].prefix;
    source->period = experiment_.sources[*of].period;
    return;
  }
  std::vector<std::string> fitting;
  for (const KeySource& each : experiment_.sources) {
    if (fits(each)) fitting.push_back(each.name);
  }
  owner->Error(
      at, messages::LabNothingNamed(owner->MemberPath(source->name),
                                    is_recent ? "ascending or time [keys]" : "ascending [keys]",
                                    source->of, NearestWord(source->of, fitting)));
}

// Keys within others are numbered across all outer keys, each of which has the same number.
void ExperimentReader::ResolveWithin(TomlTable* owner, const toml::node& at, KeySource* source) {
  const std::string path = owner->MemberPath(source->name) + ".within";
  double all = static_cast<double>(source->count);
  size_t depth = 0;
  for (const KeySource* inner = source; !inner->within.empty(); ++depth) {
    const std::optional<size_t> outer = IndexNamed(experiment_.sources, inner->within);
    if (depth > experiment_.sources.size()) {
      return owner->Error(at, messages::LabWithinItself(path));
    }
    // An error of the outer source is reported with that source.
    if (!outer && depth > 0) return;
    if (!outer) {
      return owner->Error(at, messages::LabNothingNamed(
                                  path, "[keys]", inner->within,
                                  NearestWord(inner->within, ListNames(experiment_.sources))));
    }
    inner = &experiment_.sources[*outer];
    if (inner->distribution == Distribution::kRandom) {
      return owner->Error(at, messages::LabNotWith(path, "random keys"));
    }
    all *= static_cast<double>(inner->count_drawn());
  }
  if (all > static_cast<double>(kLabKeysMax)) {
    return owner->Error(at, messages::LabTooLong(path, Concat(kLabKeysMax, " keys in all")));
  }
  source->count = static_cast<uint64_t>(all);
}

KeySource ExperimentReader::ReadSource(TomlTable source, std::string name) {
  KeySource result;
  result.prefix = name + "#";
  result.name = std::move(name);
  source.Need("distribution", "how often which key, such as \"uniform\"");
  source.Choice<Distribution>("distribution", kDistributions, &result.distribution);
  source.Text("prefix", &result.prefix);
  int64_t count = 0;
  const Distribution kind = result.distribution;
  const bool is_endless = kind == Distribution::kTime || kind == Distribution::kAscending ||
                          kind == Distribution::kRandom || kind == Distribution::kRecent;
  if (kind == Distribution::kList) {
    ReadValues(&source, &result);
    count = static_cast<int64_t>(result.values.size() + result.rest);
  } else if (!is_endless) {
    source.Need("count", "how many different keys there are");
    source.Count("count", &count, 1, kLabKeysMax);
  }
  result.count = static_cast<uint64_t>(count);
  ReadWithin(&source, &result);
  if (kind == Distribution::kZipfian || kind == Distribution::kScrambledZipfian ||
      kind == Distribution::kLatest) {
    source.Number("theta", &result.theta, 0.01, 10);
  }
  if (kind == Distribution::kLatest || kind == Distribution::kRecent) {
    source.Need("of", kind == Distribution::kLatest
                          ? "the ascending keys of which it is the latest"
                          : "the ascending keys, or those of time, of which it is a recent one");
    source.Text("of", &result.of);
  }
  if (kind == Distribution::kRecent) {
    source.Need("window", "how far back, such as \"1h\"");
    source.Time("window", &result.window, kSecond);
  }
  int64_t first = 0;
  if (kind == Distribution::kAscending) source.Count("first", &first, 0, kLabKeysMax);
  result.first = static_cast<uint64_t>(first);
  if (kind == Distribution::kHotSet) source.Number("hot_keys", &result.hot_keys, 0, 1);
  if (kind == Distribution::kCelebrity) result.hot_keys = 0;
  if (kind == Distribution::kHotSet || kind == Distribution::kCelebrity) {
    source.Number("hot_share", &result.hot_share, 0, 1);
  }
  if (kind == Distribution::kTime) {
    source.Need("period", "of each key, such as \"1d\"");
    source.Time("period", &result.period, 1);
  }
  int64_t each = 1;
  if (kind == Distribution::kOrdered || kind == Distribution::kInterleaved) {
    source.Count("each", &each, 1);
  }
  result.each = static_cast<uint64_t>(each);
  source.Count("shards", &result.shards, 1, kLabShardsMax);
  bool is_calculated = false;
  source.Choice<bool>("suffix", kSuffixes, &is_calculated);
  if (is_calculated) source.Need("from", "the attribute from which the suffix is calculated");
  source.Text("from", &result.calculated_from);
  source.RefuseUnknown();
  return result;
}

void ExperimentReader::ReadWithin(TomlTable* source, KeySource* result) {
  const toml::node* const node = source->Find("within");
  if (node == nullptr) return;
  const Distribution kind = result->distribution;
  const bool is_fine = kind == Distribution::kUniform || kind == Distribution::kZipfian ||
                       kind == Distribution::kScrambledZipfian || kind == Distribution::kHotSet ||
                       kind == Distribution::kCelebrity;
  if (!is_fine) {
    source->Error(*node, messages::LabOnlyFor(
                             source->MemberPath("within"),
                             "uniform, zipfian, scrambled-zipfian, hot-set and celebrity keys"));
  }
  source->Text("within", &result->within);
  result->count_within = result->count;
}

void ExperimentReader::ReadValues(TomlTable* source, KeySource* result) {
  if (source->Has("weights") && source->Find("weights")->is_table()) {
    if (source->Has("values")) {
      source->Error(*source->Find("values"),
                    messages::LabNotWith(source->MemberPath("values"), "weights of a file"));
    }
    return ReadWeightFile(*source->Table("weights"), texts_, result);
  }
  const toml::node* const values = source->Need("values", "the keys, such as [\"a\", \"b\"]");
  if (values == nullptr) return;
  const toml::node* const weights = source->Find("weights");
  const toml::array* const list = values->as_array();
  bool is_fine = list != nullptr && !list->empty();
  for (size_t i = 0; is_fine && i < list->size(); ++i) {
    const auto* const text = (*list)[i].as_string();
    is_fine = text != nullptr;
    if (is_fine) result->values.push_back(text->get());
  }
  if (!is_fine) {
    source->Error(*values, messages::LabWrongKind(source->MemberPath("values"), "a list of texts"));
  }
  result->weights.assign(result->values.size(), 1);
  if (weights == nullptr) return;
  const toml::array* const parts = weights->as_array();
  is_fine = parts != nullptr && parts->size() == result->values.size();
  for (size_t i = 0; is_fine && i < parts->size(); ++i) {
    result->weights[i] = (*parts)[i].value<double>().value_or(-1);
    is_fine = result->weights[i] > 0;
  }
  if (!is_fine) {
    source->Error(*weights,
                  messages::LabWeightsDiffer(source->MemberPath("weights"), result->values.size()));
  }
}

// --- accesses

void ExperimentReader::ReadAccess(TomlTable access) {
  Access result;
  access.Need("name", "what this access is called");
  access.Text("name", &result.name);
  if (IndexNamed(experiment_.accesses, result.name)) {
    access.Error(messages::LabNameTwice("accesses", result.name));
  }
  OperationOfKind kind = {Operation::kGetItem, OperationKind::kOfItems};
  access.Need("operation", "what is done, such as \"GetItem\"");
  access.Choice<OperationOfKind>("operation", kOperations, &kind);
  result.operation = kind.first;
  if (kind.second == OperationKind::kOfItems) ReadOperation(&access, &result);
  if (kind.second != OperationKind::kBulkPut) ReadFrequency(&access, &result);
  CheckSample(&access);
  if (!experiment_.tables.empty() && kind.second == OperationKind::kVectorSearch) {
    ReadAccessTable(&access, &result);
    ReadVectorSearch(&access, experiment_.tables[result.table], &result);
    ReadAccessLatency(&access, &result);
    access.RefuseUnknown();
  } else if (!experiment_.tables.empty() && kind.second == OperationKind::kBulkPut) {
    ReadBulk(&access, &result);
    access.RefuseUnknown();
  } else if (!experiment_.tables.empty()) {
    if (access.Has("member")) {
      ReadMembers(&access, &result);
    } else {
      ReadTarget(&access, &result);
      ReadAccessKey(&access, &result);
      ReadWork(&access, &result);
      ReadScan(&access, &result);
    }
    ReadFails(&access, &result);
    ReadAccessLatency(&access, &result);
    access.RefuseUnknown();
  }
  experiment_.accesses.push_back(std::move(result));
}

// A transaction over several tables.
void ExperimentReader::ReadMembers(TomlTable* access, Access* result) {
  const toml::node& at = *access->Find("member");
  if (!IsTransaction(result->operation)) {
    access->Error(at, messages::LabOnlyFor(access->MemberPath("member"),
                                           "TransactGetItems and TransactWriteItems"));
  }
  if (access->Has("items")) {
    access->Error(*access->Find("items"), messages::LabNotWith(access->MemberPath("items"),
                                                               "members, which have their own"));
  }
  int64_t items = 0;
  for (TomlTable& member : access->Tables("member")) {
    Access part{.name = result->name, .consistency = ReadMode::kTransactional};
    if (IsWrite(result->operation)) {
      std::pair<Operation, bool> action = {Operation::kPutItem, false};
      member.Need("operation", "what is done, such as \"PutItem\"");
      member.Choice<std::pair<Operation, bool>>("operation", kActions, &action);
      std::tie(part.operation, part.only_checks) = action;
    }
    member.Count("items", &part.items, 1, static_cast<int64_t>(kBatchGetKeysMax));
    items += part.items;
    SizeRange size;
    ReadItemSize(&member, "item_size", &size);
    if (member.Has("item_size")) part.item = std::move(size);
    ReadTarget(&member, &part);
    ReadAccessKey(&member, &part);
    if (IsWrite(part.operation) && !part.only_checks) ReadWrite(&member, &part);
    // A check writes no entry, whatever keys it gives.
    const size_t indexes = experiment_.tables[part.table].indexes.size();
    if (part.only_checks) part.index_changes.assign(indexes, IndexChange::kNone);
    CheckSuffixes(&member, part);
    member.RefuseUnknown();
    result->members.push_back(std::move(part));
  }
  if (items > static_cast<int64_t>(kBatchGetKeysMax)) {
    access->Error(at, messages::LabTooLong(access->MemberPath("member"),
                                           Concat(kBatchGetKeysMax, " items in all")));
  }
  if (!result->members.empty()) result->table = result->members.front().table;
}

void ExperimentReader::ReadFrequency(TomlTable* access, Access* result) {
  if (std::optional<TomlTable> load = access->Table("load")) {
    result->load = ReadLoad(&*load);
    if (access->Has("share")) {
      access->Error(*access->Find("share"),
                    messages::LabNotWith(access->MemberPath("share"), "a load of its own"));
    }
  } else if (!experiment_.load) {
    access->Error(messages::LabMemberMissing(access->MemberPath("load"),
                                             "there is no [load] for all accesses either"));
  }
  access->Number("share", &result->share, 0, kNoEnd);
}

void ExperimentReader::ReadOperation(TomlTable* access, Access* result) {
  access->Choice<ReadMode>("consistency", kConsistencies, &result->consistency);
  if (IsTransaction(result->operation)) result->consistency = ReadMode::kTransactional;
  const bool counts = result->operation == Operation::kQuery || IsBatch(result->operation);
  if (counts) {
    const int64_t most = result->operation == Operation::kQuery ? kLabQueryItemsMax
                         : result->operation == Operation::kBatchWriteItem
                             ? static_cast<int64_t>(kBatchWriteRequestsMax)
                             : static_cast<int64_t>(kBatchGetKeysMax);
    ReadItems(access, most, result);
  }
  SizeRange item;
  ReadItemSize(access, "item_size", &item);
  if (access->Has("item_size")) result->item = std::move(item);
}

// Reads a number; for a Query also { from = 1, to = 100 }.
void ExperimentReader::ReadItems(TomlTable* access, int64_t most, Access* result) {
  const toml::node* const node = access->Find("items");
  if (node == nullptr || !node->is_table() || result->operation != Operation::kQuery) {
    return access->Count("items", &result->items, 1, most);
  }
  std::optional<TomlTable> range = access->Table("items");
  range->Need("from", "the fewest items");
  range->Need("to", "the most items");
  range->Count("from", &result->items_least, 1, most);
  range->Count("to", &result->items, std::max<int64_t>(1, result->items_least), most);
  range->RefuseUnknown();
}

void ExperimentReader::ReadBulk(TomlTable* access, Access* result) {
  SizeRange item;
  ReadItemSize(access, "item_size", &item);
  if (access->Has("item_size")) result->item = std::move(item);
  ReadAccessTable(access, result);
  ReadBulkPut(access, experiment_.tables[result->table], result);
  ReadAccessKey(access, result);
  ReadWrite(access, result);
  CheckSuffixes(access, *result);
}

void ExperimentReader::ReadTarget(TomlTable* access, Access* result) {
  ReadAccessTable(access, result);
  if (!access->Has("index")) return;
  const toml::node& at = *access->Find("index");
  std::string index;
  access->Text("index", &index);
  const std::vector<IndexDesign>& indexes = experiment_.tables[result->table].indexes;
  result->index = IndexNamed(indexes, index);
  if (!result->index) {
    access->Error(at, messages::LabNothingNamed(access->MemberPath("index"), "index", index,
                                                NearestWord(index, ListNames(indexes))));
  } else if (result->operation != Operation::kQuery && result->operation != Operation::kScan) {
    access->Error(at, messages::LabOnlyFor(access->MemberPath("index"), "Query and Scan"));
  } else if (result->consistency == ReadMode::kStrong) {
    access->Error(at,
                  messages::LabNotWith(access->MemberPath("index"), "consistency = \"strong\""));
  }
}

void ExperimentReader::ReadAccessTable(TomlTable* access, Access* result) {
  std::string table = experiment_.tables.front().name;
  if (experiment_.tables.size() > 1) access->Need("table", "there are several");
  access->Text("table", &table);
  if (const std::optional<size_t> at = IndexNamed(experiment_.tables, table)) {
    result->table = *at;
  } else {
    access->Error(*access->Find("table"),
                  messages::LabNothingNamed(access->MemberPath("table"), "table", table,
                                            NearestWord(table, ListNames(experiment_.tables))));
  }
}

void ExperimentReader::ReadAccessKey(TomlTable* access, Access* result) {
  std::optional<TomlTable> key = access->Table("key");
  const TableDesign& table = experiment_.tables[result->table];
  const std::vector<std::string> attributes = ListKeyAttributes(table);
  if (key) {
    for (const auto& [name, node] : key->table()) {
      const std::string attribute(name.str());
      const std::optional<size_t> source = FindSource(&*key, attribute, result->name);
      if (std::find(attributes.begin(), attributes.end(), attribute) == attributes.end()) {
        key->Error(node, messages::LabNotAKey(key->MemberPath(attribute), attribute, table.name,
                                              attributes));
      } else if (source) {
        result->key.emplace(attribute, *source);
      }
    }
  }
  if (result->operation == Operation::kScan) return;
  const KeyPart& needed =
      result->index ? table.indexes[*result->index].partition_key : table.partition_key;
  if (!result->key.contains(needed.attribute) && (!key || !key->Has(needed.attribute))) {
    access->Error(messages::LabKeyMissing(access->MemberPath("key"), needed.attribute));
  }
}

std::optional<size_t> ExperimentReader::FindSource(TomlTable* key, std::string_view attribute,
                                                   const std::string& access) {
  const toml::node& node = *key->Find(attribute);
  if (const auto* const name = node.as_string()) {
    const std::optional<size_t> at = IndexNamed(experiment_.sources, name->get());
    if (!at) {
      key->Error(node, messages::LabNothingNamed(
                           key->MemberPath(attribute), "[keys]", name->get(),
                           NearestWord(name->get(), ListNames(experiment_.sources))));
    }
    return at;
  }
  if (!node.is_table()) {
    key->Error(node, messages::LabWrongKind(key->MemberPath(attribute),
                                            "the name of a table in [keys], or such a table"));
    return std::nullopt;
  }
  KeySource source = ReadSource(*key->Table(attribute), Concat(access, ".", attribute));
  if (!node.as_table()->contains("prefix")) source.prefix = Concat(attribute, "#");
  ResolveLatest(key, node, &source);
  ResolveWithin(key, node, &source);
  experiment_.sources.push_back(std::move(source));
  return experiment_.sources.size() - 1;
}

void ExperimentReader::ReadWork(TomlTable* access, Access* result) {
  const auto only_for = [access](std::string_view name, bool is_fine, std::string_view whom) {
    if (const toml::node* const node = access->Find(name); node != nullptr && !is_fine) {
      access->Error(*node, messages::LabOnlyFor(access->MemberPath(name), whom));
    }
  };
  only_for("then", result->operation == Operation::kGetItem, "GetItem");
  access->Choice<std::optional<Operation>>("then", kModifications, &result->then);
  const bool writes = IsWrite(result->operation) || result->then;
  only_for("index_change", writes, "writes");
  only_for("gather", result->operation == Operation::kQuery, "Query");
  only_for("adds", writes, "writes");
  only_for("cache",
           result->operation == Operation::kGetItem || result->operation == Operation::kQuery,
           "GetItem and Query");
  only_for("aggregate",
           result->operation == Operation::kPutItem || result->operation == Operation::kUpdateItem,
           "PutItem and UpdateItem");
  only_for("ttl", writes, "writes of items");
  if (writes) ReadWrite(access, result);
  access->Flag("gather", &result->gathers);
  access->Time("cache", &result->cache);
  if (result->cache > 0 && result->gathers) {
    access->Error(*access->Find("cache"),
                  messages::LabNotWith(access->MemberPath("cache"), "gather = true"));
  }
  if (result->items_least > 0 && result->gathers) {
    access->Error(*access->Find("items"),
                  messages::LabNotWith(access->MemberPath("items"), "gather = true"));
  }
  if (access->Has("cache") && result->then) {
    access->Error(*access->Find("cache"),
                  messages::LabNotWith(access->MemberPath("cache"), "then"));
  }
  access->Time("aggregate", &result->aggregate);
  CheckQuery(access, *result);
  CheckSuffixes(access, *result);
}

// Reads the members that decide how a write changes the stored items.
void ExperimentReader::ReadWrite(TomlTable* access, Access* result) {
  ReadIndexChanges(access, result);
  CheckIndexChanges(access, *result);
  if (AddsItems(*result)) result->adds = true;
  if (access->Has("adds")) access->Flag("adds", &result->adds.emplace());
  const toml::node* const ttl = access->Find("ttl");
  access->Time("ttl", &result->ttl, kSecond);
  if (ttl != nullptr && result->operation == Operation::kDeleteItem) {
    access->Error(*ttl, messages::LabOnlyFor(access->MemberPath("ttl"), "writes of items"));
  }
  if (ttl != nullptr && result->adds == false) {
    access->Error(*ttl, messages::LabNotWith(access->MemberPath("ttl"), "adds = false"));
  }
}

void ExperimentReader::ReadFails(TomlTable* access, Access* result) {
  const toml::node* const node = access->Find("fails");
  const bool is_fine = (IsWrite(result->operation) || result->then) &&
                       result->operation != Operation::kBatchWriteItem;
  if (node != nullptr && !is_fine) {
    access->Error(
        *node, messages::LabOnlyFor(access->MemberPath("fails"),
                                    "writes with a condition, which BatchWriteItem does not have"));
  }
  access->Number("fails", &result->fails, 0, 1);
}

// A word for all indexes, or { by-status = "move" }.
void ExperimentReader::ReadIndexChanges(TomlTable* access, Access* result) {
  const std::vector<IndexDesign>& indexes = experiment_.tables[result->table].indexes;
  const std::vector<VectorIndexDesign>& vectors = experiment_.tables[result->table].vector_indexes;
  const toml::node* const node = access->Find("index_change");
  IndexChange all = IndexChange::kPut;
  const bool differ = node != nullptr && node->is_table();
  if (!differ) access->Choice<IndexChange>("index_change", kIndexChanges, &all);
  result->index_changes.assign(indexes.size(), all);
  std::optional<TomlTable> each = differ ? access->Table("index_change") : std::nullopt;
  for (size_t i = 0; differ && i < indexes.size(); ++i) {
    each->Choice<IndexChange>(indexes[i].name, kIndexChanges, &result->index_changes[i]);
  }
  for (size_t i = 0; i < vectors.size(); ++i) {
    bool changes = all != IndexChange::kNone;
    if (differ) each->Choice<bool>(vectors[i].name, kVectorChanges, &changes);
    if (changes) result->changed_vectors |= uint32_t{1} << i;
  }
  if (differ) each->RefuseUnknown();
}

// Only an update leaves the rest of an item as it is. What an access adds is not there for all
// items, and nothing else says for how many.
void ExperimentReader::CheckIndexChanges(TomlTable* access, const Access& result) {
  const std::vector<IndexDesign>& indexes = experiment_.tables[result.table].indexes;
  for (size_t i = 0; i < indexes.size(); ++i) {
    const IndexChange change = result.index_changes[i];
    if (change != IndexChange::kAdd && change != IndexChange::kRemove) continue;
    const toml::node& node = *access->Find("index_change");
    if (result.then.value_or(result.operation) != Operation::kUpdateItem) {
      return access->Error(
          node, messages::LabOnlyFor(Concat(access->MemberPath("index_change"), " \"",
                                            change == IndexChange::kAdd ? "add" : "remove", "\""),
                                     "UpdateItem"));
    }
    if (change == IndexChange::kAdd && !indexes[i].entries) {
      access->Error(node, messages::LabEntriesUnknown(access->MemberPath("index_change"),
                                                      experiment_.tables[result.table].name,
                                                      indexes[i].name));
    }
  }
}

// Without a sort key a partition key has one item, or one in each shard.
void ExperimentReader::CheckQuery(TomlTable* access, const Access& result) {
  const TableDesign& table = experiment_.tables[result.table];
  if (result.operation != Operation::kQuery || result.index || table.sort_key) return;
  const auto source = result.key.find(table.partition_key.attribute);
  if (source == result.key.end()) return;
  const int64_t most = result.gathers ? experiment_.sources[source->second].shards : 1;
  if (result.items <= most) return;
  access->Error(*access->Find("items"),
                messages::LabOneItemOfAKey(access->MemberPath("items"), most, table.name));
}

void ExperimentReader::CheckSuffixes(TomlTable* access, const Access& result) {
  const TableDesign& table = experiment_.tables[result.table];
  for (const auto& [attribute, at] : result.key) {
    const KeySource& source = experiment_.sources[at];
    if (source.shards > 1 && table.FindType(attribute) == Type::kNumber) {
      access->Error(messages::LabNumberWithSuffix(access->MemberPath("key"), attribute));
    }
    const bool are_numbers =
        std::all_of(source.values.begin(), source.values.end(),
                    [](const std::string& value) { return Number::Parse(value).ok(); });
    if (table.FindType(attribute) == Type::kNumber &&
        (!are_numbers || source.distribution == Distribution::kTime)) {
      access->Error(messages::LabNotNumbers(access->MemberPath("key"), attribute));
    }
    if (source.is_calculated() && !result.gathers && !result.key.contains(source.calculated_from)) {
      access->Error(
          messages::LabSuffixUnknown(access->MemberPath("key"), attribute, source.calculated_from));
    }
  }
}

// By default a write adds items if some attribute of its table's key never repeats.
bool ExperimentReader::AddsItems(const Access& access) const {
  if (!IsWrite(access.operation) || access.operation == Operation::kDeleteItem) return false;
  const TableDesign& table = experiment_.tables[access.table];
  const auto is_new = [&](const std::optional<KeyPart>& part) {
    const auto source = part ? access.key.find(part->attribute) : access.key.end();
    if (source == access.key.end()) return false;
    const Distribution kind = experiment_.sources[source->second].distribution;
    return kind == Distribution::kAscending || kind == Distribution::kRandom;
  };
  return is_new(table.partition_key) || is_new(table.sort_key);
}

void ExperimentReader::ReadScan(TomlTable* access, Access* result) {
  if (result->operation != Operation::kScan) return;
  access->Count("segments", &result->segments, 1, kLabShardsMax);
  access->Count("page_items", &result->page_items, 1);
  access->Time("page_time", &result->page_time, 1);
  access->Time("pause", &result->pause);
}

// The pages of a Scan take their page_time.
void ExperimentReader::ReadAccessLatency(TomlTable* access, Access* result) {
  result->latency = latency_;
  if (access->Has("latency") && result->operation == Operation::kScan) {
    access->Error(*access->Find("latency"), messages::LabNotWith(access->MemberPath("latency"),
                                                                 "Scan, which has a page_time"));
  }
  ReadLatency(access, &result->latency);
}

// --- loads

std::optional<Load> ExperimentReader::ReadLoad(TomlTable* table) {
  Load load;
  table->Choice<Load::Shape>("shape", kShapes, &load.shape);
  if (load.shape != Load::Shape::kPolling && load.shape != Load::Shape::kOnce) {
    table->Choice<Load::Unit>("unit", kLoadUnits, &load.unit);
  }
  ReadShape(table, &load);
  table->RefuseUnknown();
  return load;
}

void ExperimentReader::ReadShape(TomlTable* table, Load* load) {
  const auto rate = [table](std::string_view name, std::string_view what, double* target) {
    table->Need(name, what);
    table->Number(name, target, 0, kLabRateMax);
  };
  const auto time = [table](std::string_view name, std::string_view what, Micros* target) {
    table->Need(name, what);
    table->Time(name, target, 1);
  };
  switch (load->shape) {
    case Load::Shape::kConstant:
      if (table->Has("rate") && table->Find("rate")->is_table()) {
        return ReadRateFile(*table->Table("rate"), texts_, load);
      }
      return rate("rate", "how much a second", &load->high);
    case Load::Shape::kRamp:
      rate("from", "how much a second at first", &load->low);
      rate("to", "how much a second in the end", &load->high);
      return time("over", "how long it takes", &load->period);
    case Load::Shape::kSteps: {
      const std::vector<TomlTable> steps = table->Tables("steps");
      if (steps.empty()) table->Need("steps", "such as [{ at = \"0s\", rate = 100 }]");
      for (TomlTable step : steps) {
        Load::Step one;
        step.Need("rate", "how much a second from then on");
        step.Number("rate", &one.rate, 0, kLabRateMax);
        step.Time("at", &one.at);
        step.RefuseUnknown();
        load->steps.push_back(one);
      }
      std::stable_sort(load->steps.begin(), load->steps.end(),
                       [](const auto& left, const auto& right) { return left.at < right.at; });
      return;
    }
    case Load::Shape::kSpikes:
      rate("base", "how much a second between spikes", &load->low);
      rate("peak", "how much a second in a spike", &load->high);
      time("every", "how long from spike to spike", &load->period);
      return time("lasting", "how long a spike lasts", &load->lasting);
    case Load::Shape::kWave:
      rate("low", "how much a second at the lowest", &load->low);
      rate("high", "how much a second at the highest", &load->high);
      return time("period", "how long a wave is, such as \"24h\"", &load->period);
    case Load::Shape::kOnce:
      return table->Time("at", &load->at);
    case Load::Shape::kPolling:
      table->Need("workers", "how many poll");
      table->Count("workers", &load->workers, 1, kLabWorkersMax);
      time("interval", "how long a worker waits between two polls", &load->interval);
      table->Number("factor", &load->factor, 1, 1'000);
      load->longest = load->interval;
      table->Time("longest", &load->longest, 1);
      table->Time("task", &load->task, 1);
      return table->Number("jitter", &load->jitter, 0, 1);
  }
}

// client = "boto3 1.44", or a table, which may begin with one.
void ExperimentReader::ReadClient() {
  const toml::node* const node = root_.Find("client");
  if (node == nullptr) return;
  RetryRule& retry = experiment_.retry = RetryRule();
  if (node->is_string()) return root_.Choice<RetryRule>("client", ClientPresets(), &retry);
  std::optional<TomlTable> client = root_.Table("client");
  if (!client) return;
  client->Choice<RetryRule>("sdk", ClientPresets(), &retry);
  client->Count("attempts", &retry.attempts, 1, 100);
  client->Time("base", &retry.base, 1);
  client->Time("longest", &retry.longest, 1);
  client->Choice<Jitter>("jitter", kJitters, &retry.jitter);
  client->Count("quota", &retry.quota, 0, 1'000'000'000);
  client->Flag("adaptive", &retry.is_adaptive);
  client->RefuseUnknown();
}

// Open members: their paths in the list `open`, or as members with candidates.
void ExperimentReader::ReadAdvice(TomlTable advise) {
  AdviceRequest& request = experiment_.advice.emplace();
  advise.Number("throttled", &request.throttled, 0, 1);
  advise.Number("utilization", &request.utilization, 0.1, 1);
  advise.Flag("burst", &request.burst);
  advise.Count("placements", &request.placements, 1, kAdvicePlacementsMax);
  advise.Number("serves", &request.serves, 0.01, 1);
  std::vector<std::string> paths;
  for (OpenMember& member : MembersToOpen(experiment_)) {
    paths.push_back(OpenMemberPath(experiment_, member));
    if (!advise.Has(paths.back())) continue;
    ReadCandidates(&advise, paths.back(), &member);
    request.open.push_back(std::move(member));
  }
  const toml::node* const open = advise.Find("open");
  const toml::array* const list = open == nullptr ? nullptr : open->as_array();
  if (open != nullptr && list == nullptr) {
    advise.Error(*open, messages::LabWrongKind("advise.open", "a list of texts"));
  }
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const std::string path = (*list)[i].value_or(std::string());
    const auto found = std::find(paths.begin(), paths.end(), path);
    if (found == paths.end()) {
      advise.Error((*list)[i], messages::LabNothingToOpen(path, NearestWord(path, paths)));
    } else if (!advise.Has(path)) {
      request.open.push_back(
          MembersToOpen(experiment_)[static_cast<size_t>(found - paths.begin())]);
    }
  }
  if (request.open.empty() && list == nullptr) {
    advise.Need("open", "what may change, such as [\"table.posts.billing\"]");
  }
  advise.RefuseUnknown();
}

void ExperimentReader::ReadCandidates(TomlTable* advise, const std::string& path,
                                      OpenMember* member) {
  const toml::node& node = *advise->Find(path);
  const bool is_target = member->kind == OpenMember::Kind::kAutoScaling;
  const bool is_shards =
      member->kind == OpenMember::Kind::kShards || member->kind == OpenMember::Kind::kIndexShards;
  if (!is_target && !is_shards) {
    return advise->Error(node, messages::LabNoCandidates(path));
  }
  if (is_shards && node.is_table()) {
    std::optional<TomlTable> range = advise->Table(path);
    range->Count("from", &member->least, 1, kLabShardsMax);
    range->Need("to", "how many shards at most");
    range->Count("to", &member->most, member->least, kLabShardsMax);
    return range->RefuseUnknown();
  }
  const int64_t least = is_target ? 20 : 1;
  const int64_t most = is_target ? 90 : kLabShardsMax;
  const toml::array* const list = node.as_array();
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const int64_t value = (*list)[i].value<int64_t>().value_or(-1);
    if (value >= least && value <= most) member->values.push_back(value);
  }
  if (list == nullptr || list->empty() || list->size() != member->values.size()) {
    advise->Error(node, messages::LabNotCandidates(path, least, most, is_shards));
  }
  std::sort(member->values.begin(), member->values.end());
}

// Parts of an experiment that depend on every single request cannot be sampled.
void ExperimentReader::CheckSample(TomlTable* access) {
  if (experiment_.sample == 1) return;
  std::string operation;
  access->Text("operation", &operation);
  const std::optional<TomlTable> load = access->Table("load");
  const bool polls = load && load->table()["shape"].value_or(std::string()) == "polling";
  if (operation == "Scan" || operation == "BulkPutItems" || access->Has("cache") ||
      access->Has("aggregate") || polls) {
    access->Error(messages::LabNotWith(
        "experiment.sample",
        "Scan, BulkPutItems, cache, aggregate and polling, which need every request"));
  }
}

}  // namespace dynolith::lab
