#include "tools/lab/data_model/experiment_text.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "engine/base/strings.h"
#include "tools/files/toml/toml_text.h"

namespace dynolith::lab {
namespace {

// Assumptions of the model's description.
constexpr double kItems = 100'000;
constexpr double kItemBytes = 1024;
constexpr double kPartOfInclude = 0.3;
constexpr double kPartOfKeysOnly = 0.1;

constexpr int kDigits = 15;
constexpr int64_t kMicrosPerSecond = 1'000'000;

std::string Figure(double value) {
  std::ostringstream text;
  text << std::setprecision(kDigits) << value;
  return text.str();
}
std::string Whole(double value) { return Concat(static_cast<int64_t>(std::ceil(value))); }

template <typename Values>
bool Holds(const Values& values, std::string_view value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool IsRead(std::string_view operation) {
  return operation == "GetItem" || operation == "Query" || operation == "Scan" ||
         operation == "BatchGetItem" || operation == "TransactGetItems";
}
bool CountsItems(std::string_view operation) {
  return operation == "Query" || operation == "BatchGetItem" || operation == "TransactGetItems" ||
         operation == "BatchWriteItem" || operation == "TransactWriteItems";
}

double CountItems(const ModelTable& table) {
  if (table.entities.empty()) return kItems;
  double items = 0;
  for (const ModelEntity& entity : table.entities) items += entity.items;
  return items;
}

// The average over all items.
double EstimateItemBytes(const ModelTable& table) {
  double items = 0;
  double bytes = 0;
  for (const ModelEntity& entity : table.entities) {
    const double weight = std::max(1.0, entity.items);
    items += weight;
    bytes += weight * entity.item_bytes;
  }
  return items == 0 ? kItemBytes : std::ceil(bytes / items);
}

class Composer {
 public:
  Composer(const DataModel& model, const std::optional<BenchmarkConfig>& benchmark)
      : model_(model), benchmark_(benchmark) {}

  std::string Compose(std::string_view title) {
    Line("[experiment]");
    Set("title", TomlText(title));
    Set("question",
        TomlText("Does the declared peak throttle, where first, and what does it cost?"));
    Set("duration", "\"15m\"  # burst capacity carries five minutes");
    Set("seed", "1");
    for (const ModelTable& table : model_.tables) AddTable(table);
    // The keys are known after the patterns, but are printed before them.
    std::string tables = std::exchange(text_, "");
    for (const ModelPattern& pattern : model_.patterns) AddPattern(pattern);
    const std::string patterns = std::exchange(text_, std::move(tables));
    for (const ModelTable& table : model_.tables) AddSources(table);
    text_ += patterns;
    Line("\n[client]  # as today's SDKs\n\n[advise]");
    Set("open", OpenMembers());
    if (benchmark_) AddDesigns(*benchmark_);
    return std::move(text_);
  }

 private:
  void Line(std::string_view line) { text_ += Concat(line, "\n"); }
  void Set(std::string_view name, std::string_view value) {
    text_ += Concat(name, " = ", value, "\n");
  }

  static std::string KeyPartText(const ModelTable& table, const std::string& attribute) {
    const auto type = table.types.find(attribute);
    if (type == table.types.end() || type->second == "S" || type->second.empty()) {
      return TomlText(attribute);
    }
    return Concat("{ name = ", TomlText(attribute), ", type = ", TomlText(type->second), " }");
  }

  static std::string UnitsText(const ModelCapacity& capacity) {
    return Concat("{ read = ", Whole(std::max(1.0, capacity.read)),
                  ", write = ", Whole(std::max(1.0, capacity.write)), " }");
  }

  void AddTable(const ModelTable& table) {
    Line("\n[[table]]");
    Set("name", TomlText(table.name));
    Set("partition_key", KeyPartText(table, table.partition_key));
    if (!table.sort_key.empty()) Set("sort_key", KeyPartText(table, table.sort_key));
    const double bytes = EstimateItemBytes(table);
    Set("item_size", Whole(bytes));
    Set("storage",
        Concat(Whole(bytes * CountItems(table)), "  # ", Whole(CountItems(table)), " items",
               table.entities.empty() ? ", which the model does not say" : ""));
    if (table.capacity) {
      Set("billing", "\"provisioned\"");
      Set("units", UnitsText(*table.capacity));
    }
    if (table.infrequent_access) Set("class", "\"infrequent-access\"");
    for (const ModelIndex& index : table.indexes) AddIndex(table, index);
  }

  void AddIndex(const ModelTable& table, const ModelIndex& index) {
    Line("\n[[table.index]]");
    Set("name", TomlText(index.name));
    Set("partition_key", KeyPartText(table, index.partition_key));
    if (!index.sort_key.empty()) Set("sort_key", KeyPartText(table, index.sort_key));
    if (index.projection == ModelProjection::kAll) return;
    const bool is_include = index.projection == ModelProjection::kInclude;
    const double bytes = EstimateItemBytes(table) * (is_include ? kPartOfInclude : kPartOfKeysOnly);
    Set("entry_size", Concat(Whole(bytes), is_include ? "  # INCLUDE: 30 % of an item"
                                                      : "  # KEYS_ONLY: 10 % of an item"));
  }

  // --- sources of keys

  // An attribute that is a key in several tables is a different one in each.
  std::string SourceName(const ModelTable& table, const std::string& attribute) const {
    const auto is_key_in = [&](const ModelTable& other) {
      return other.partition_key == attribute ||
             std::any_of(other.indexes.begin(), other.indexes.end(),
                         [&](const ModelIndex& index) { return index.partition_key == attribute; });
    };
    const auto uses = std::count_if(model_.tables.begin(), model_.tables.end(), is_key_in);
    return uses > 1 ? Concat(table.name, "-", attribute) : attribute;
  }
  std::string SourceToRead(const ModelTable& table, const std::string& attribute) const {
    const std::string name = SourceName(table, attribute);
    return HasSkew() ? Concat(name, "-read") : name;
  }
  const std::string& Used(const std::string& name) { return *used_.insert(name).first; }
  bool HasSkew() const { return benchmark_ && benchmark_->zipf; }

  // Items that a Query of the table, or of the index, finds under one key.
  double ItemsTogether(const ModelTable& table, std::string_view index) const {
    int64_t together = 1;
    for (const ModelPattern& pattern : model_.patterns) {
      const bool is_asked =
          pattern.operation == "Query" && pattern.table == table.name && pattern.index == index;
      if (is_asked) together = std::max(together, pattern.items);
    }
    return static_cast<double>(together);
  }

  void AddSources(const ModelTable& table) {
    std::map<std::string, double> counts;
    const auto add = [&](const std::string& attribute, double count) {
      double& present = counts.emplace(attribute, count).first->second;
      present = std::max(present, std::max(1.0, count));
    };
    add(table.partition_key,
        CountItems(table) / (table.sort_key.empty() ? 1 : ItemsTogether(table, "")));
    for (const ModelIndex& index : table.indexes) {
      add(index.partition_key, CountItems(table) / ItemsTogether(table, index.name));
    }
    for (const auto& [attribute, count] : counts) {
      const std::string keys = SourceName(table, attribute);
      for (const std::string& name : std::set{keys, SourceToRead(table, attribute)}) {
        if (used_.contains(name)) AddSource({name, keys, Whole(count)});
      }
    }
  }

  struct Source {
    std::string name;
    std::string keys;  // the source whose keys it draws, if not its own
    std::string count;
  };

  void AddSource(Source source) {
    Line(Concat("\n[keys.", TomlKey(source.name), "]"));
    Set("distribution", "\"uniform\"  # which keys are hot, the model does not say");
    Set("count", source.count);
    if (source.name != source.keys) Set("prefix", TomlText(Concat(source.keys, "#")));
    sources_.push_back(std::move(source));
  }

  // --- accesses

  void AddPattern(const ModelPattern& pattern) {
    Line("");
    const std::string said =
        Concat(pattern.id, pattern.description.empty() ? "" : ": ", OneLine(pattern.description));
    if (pattern.operation.empty() || pattern.operation == "SearchVectors") {
      return Line(Concat("# Not simulated, ",
                         pattern.operation.empty() ? "since it is no call" : pattern.operation,
                         ": ", said));
    }
    const ModelTable& table =
        *std::find_if(model_.tables.begin(), model_.tables.end(),
                      [&](const ModelTable& one) { return one.name == pattern.table; });
    Line(Concat("# ", said));
    Line("[[access]]");
    Set("name", TomlText(AccessName(pattern)));
    Set("operation", TomlText(pattern.operation));
    if (model_.tables.size() > 1) Set("table", TomlText(table.name));
    if (!pattern.index.empty() && IsRead(pattern.operation)) {
      Set("index", TomlText(pattern.index));
    }
    if (pattern.operation == "Scan") return AddScan(pattern);
    if (pattern.is_strong && pattern.index.empty()) Set("consistency", "\"strong\"");
    if (CountsItems(pattern.operation)) Set("items", Concat(pattern.items));
    AddItemSize(table, pattern);
    IsRead(pattern.operation) ? AddKeyToRead(table, pattern) : AddWrite(table, pattern);
    Set("load", pattern.rate ? Concat("{ rate = ", Figure(*pattern.rate), " }")
                             : "{ rate = 1 }  # a second: the model does not say it");
  }

  // The pages of a Scan in turn.
  void AddScan(const ModelPattern& pattern) {
    const double rate = std::max(pattern.rate.value_or(1), 1e-3);
    Set("page_items", Concat(pattern.items));
    Set("page_time", Concat("\"", Whole(kMicrosPerSecond / rate), "us\"  # ", Figure(rate),
                            " pages a second, until the end"));
    Set("load", "{ shape = \"once\" }");
  }

  void AddItemSize(const ModelTable& table, const ModelPattern& pattern) {
    std::vector<int64_t> sizes = pattern.item_bytes;
    for (const std::string& written : pattern.entities_written) {
      if (!pattern.item_bytes.empty()) break;
      for (const ModelEntity& entity : table.entities) {
        if (entity.name == written) sizes.push_back(static_cast<int64_t>(entity.item_bytes));
      }
    }
    if (sizes.empty()) return;
    if (sizes.size() == 1) return Set("item_size", Concat(sizes.front()));
    std::string list;
    for (const int64_t bytes : sizes) list += Concat(list.empty() ? "" : ", ", bytes);
    Set("item_size", Concat("[", list, "]"));
  }

  void AddKeyToRead(const ModelTable& table, const ModelPattern& pattern) {
    std::string attribute = table.partition_key;
    for (const ModelIndex& index : table.indexes) {
      if (index.name == pattern.index) attribute = index.partition_key;
    }
    Set("key", Concat("{ ", TomlKey(attribute), " = ",
                      TomlText(Used(SourceToRead(table, attribute))), " }"));
  }

  void AddWrite(const ModelTable& table, const ModelPattern& pattern) {
    std::vector<std::string> attributes = {table.partition_key};
    std::string changes;
    for (const ModelIndex& index : table.indexes) {
      const bool is_changed = ChangesEntry(table, pattern, index);
      if (is_changed && !Holds(attributes, index.partition_key)) {
        attributes.push_back(index.partition_key);
      }
      const bool moves = pattern.operation == "UpdateItem" && pattern.attributes_written &&
                         WritesKey(*pattern.attributes_written, index);
      if (is_changed && !moves) continue;
      changes += Concat(changes.empty() ? "" : ", ", TomlKey(index.name), " = ",
                        TomlText(is_changed ? "move" : "none"));
    }
    std::string key;
    for (const std::string& attribute : attributes) {
      key += Concat(key.empty() ? "" : ", ", TomlKey(attribute), " = ",
                    TomlText(Used(SourceName(table, attribute))));
    }
    Set("key", Concat("{ ", key, " }"));
    if (!changes.empty()) Set("index_change", Concat("{ ", changes, " }"));
    if (pattern.operation != "DeleteItem") {
      Set("adds", pattern.write == ModelWrite::kCreate ? "true" : "false");
    }
  }

  static bool WritesKey(const std::vector<std::string>& written, const ModelIndex& index) {
    return Holds(written, index.partition_key) ||
           (!index.sort_key.empty() && Holds(written, index.sort_key));
  }

  // By the rules of the model's description: an item without an index's key has no entry, and an
  // update changes the entry if it changes an attribute that is in it. What is not said counts.
  static bool ChangesEntry(const ModelTable& table, const ModelPattern& pattern,
                           const ModelIndex& index) {
    const auto has_key = [&](const ModelEntity& entity) {
      return Holds(entity.attributes, index.partition_key) &&
             (index.sort_key.empty() || Holds(entity.attributes, index.sort_key));
    };
    const auto is_written = [&](const ModelEntity& entity) {
      return has_key(entity) && Holds(pattern.entities_written, entity.name);
    };
    const std::vector<ModelEntity>& entities = table.entities;
    if (!pattern.entities_written.empty() &&
        std::any_of(entities.begin(), entities.end(), has_key) &&
        std::none_of(entities.begin(), entities.end(), is_written)) {
      return false;
    }
    if (!pattern.attributes_written) return true;
    const std::vector<std::string>& written = *pattern.attributes_written;
    if (pattern.operation != "UpdateItem") return Holds(written, index.partition_key);
    if (index.projection == ModelProjection::kAll || WritesKey(written, index)) return true;
    return index.projection == ModelProjection::kInclude &&
           std::any_of(written.begin(), written.end(),
                       [&](const std::string& name) { return Holds(index.attributes, name); });
  }

  // Two patterns may have one number.
  std::string AccessName(const ModelPattern& pattern) {
    std::string name = pattern.id;
    for (int i = 2; !names_.insert(name).second; ++i) name = Concat(pattern.id, " (", i, ")");
    if (pattern.operation != "Scan") rated_.emplace_back(pattern, name);
    return name;
  }

  static std::string OneLine(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 127; }, ' ');
    return text;
  }

  std::string OpenMembers() const {
    std::string list;
    for (const ModelTable& table : model_.tables) {
      for (const std::string_view member : {"billing", "units"}) {
        list +=
            Concat(list.empty() ? "" : ", ", TomlText(Concat("table.", table.name, ".", member)));
      }
    }
    return Concat("[", list, "]");
  }

  // --- designs

  void AddDesigns(const BenchmarkConfig& config) {
    AddDesign("declared peak", "every pattern at its peak, all keys alike");
    if (config.zipf) {
      AddDesign("declared peak, hot keys", "read by the benchmark's distribution of keys");
      SetKeysToRead(std::nullopt);
    }
    AddDesign("as benchmarked", "the scaled load that the benchmark drives");
    Set("set.experiment.duration", TomlText(Concat(Whole(config.seconds), "s")));
    for (const auto& [pattern, name] : rated_) {
      const double rate = std::clamp(pattern.rate.value_or(1) * config.scale, config.rate_least,
                                     std::max(config.rate_least, config.rate_most));
      Set(Concat("set.access.", TomlKey(name), ".load.rate"), Figure(rate));
    }
    SetKeysToRead(config.partitions);
    if (!config.capacity) return;
    for (const ModelTable& table : model_.tables) {
      if (table.capacity) continue;
      const std::string path = Concat("set.table.", TomlKey(table.name), ".");
      Set(Concat(path, "billing"), "\"provisioned\"");
      Set(Concat(path, "units"), UnitsText(*config.capacity));
    }
  }

  void AddDesign(std::string_view name, std::string_view description) {
    Line("\n[[design]]");
    Set("name", TomlText(name));
    Set("description", TomlText(description));
  }

  // The benchmark's distribution; `count` keys, or as many as the model has.
  void SetKeysToRead(std::optional<int64_t> count) {
    for (const Source& source : sources_) {
      const std::string keys = count ? Concat(*count) : source.count;
      const bool is_skewed = HasSkew() && source.name != source.keys;
      if (!is_skewed && !count) continue;
      Set(Concat("set.keys.", TomlKey(source.name)),
          Concat("{ distribution = \"", is_skewed ? "scrambled-zipfian" : "uniform", "\", count = ",
                 keys, is_skewed ? ", theta = " : "", is_skewed ? Figure(*benchmark_->zipf) : "",
                 ", prefix = ", TomlText(Concat(source.keys, "#")), " }"));
    }
  }

  const DataModel& model_;
  const std::optional<BenchmarkConfig>& benchmark_;
  std::string text_;
  std::set<std::string> names_;                              // of accesses
  std::vector<std::pair<ModelPattern, std::string>> rated_;  // by the names of their accesses
  std::set<std::string> used_;                               // of sources
  std::vector<Source> sources_;
};

}  // namespace

std::string ExperimentText(std::string_view title, const DataModel& model,
                           const std::optional<BenchmarkConfig>& benchmark) {
  return Composer(model, benchmark).Compose(title);
}

}  // namespace dynolith::lab
