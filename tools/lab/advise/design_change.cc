#include "tools/lab/advise/design_change.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "tools/files/toml/toml_text.h"
#include "tools/lab/advise/messages.h"
#include "tools/lab/text/figures_text.h"

namespace dynolith::lab {
namespace {

using OpenKind = OpenMember::Kind;

constexpr std::array kBothOfThem = {std::pair(AccessKind::kRead, "read"),
                                    std::pair(AccessKind::kWrite, "write")};

// The partition key attribute of the table or index that an access reads.
const std::string& FindPartitionAttribute(const Experiment& experiment, const Access& access) {
  const TableDesign& table = experiment.tables[access.table];
  return access.index ? table.indexes[*access.index].partition_key.attribute
                      : table.partition_key.attribute;
}

// Whether an access reads by a key that `member` shards without being able to calculate the shard.
// Replays query every shard of an index anyway.
bool MustGather(const Experiment& experiment, const Access& access, const OpenMember& member) {
  if (experiment.replay) return false;
  if (!access.members.empty()) {
    return std::any_of(access.members.begin(), access.members.end(),
                       [&](const Access& each) { return MustGather(experiment, each, member); });
  }
  if (IsWrite(access.operation) || !access.has_operations()) return false;
  if (member.kind == OpenKind::kIndexShards) {
    return access.table == member.table && access.index == member.index;
  }
  const auto given = access.key.find(FindPartitionAttribute(experiment, access));
  if (given == access.key.end() || given->second != member.source) return false;
  const KeySource& source = experiment.sources[member.source];
  return !source.is_calculated() || !access.key.contains(source.calculated_from);
}

// The attributes of the table's own key.
std::vector<std::string> ListKeyAttributes(const TableDesign& table) {
  std::vector<std::string> attributes = {table.partition_key.attribute};
  if (table.sort_key) attributes.push_back(table.sort_key->attribute);
  return attributes;
}

// Whether a drawn suffix of `source` would make this part of an access, with `write`, ask for
// another item than the one that is meant, or leave that one where it is.
bool MissesItems(const Experiment& experiment, const Access& part, Operation write, size_t source) {
  const TableDesign& table = experiment.tables[part.table];
  const std::vector<std::string> attributes = ListKeyAttributes(table);
  const bool is_in_key =
      std::any_of(attributes.begin(), attributes.end(), [&](const std::string& attribute) {
        const auto given = part.key.find(attribute);
        return given != part.key.end() && given->second == source;
      });
  if (!is_in_key) return false;
  if (part.only_checks || write == Operation::kDeleteItem) return true;
  // What it counts is the sum of what all shards have counted.
  const bool counts = write == Operation::kUpdateItem && !table.sort_key && !part.then;
  return part.adds != true && !counts;
}

class DesignLines {
 public:
  explicit DesignLines(std::string_view name) {
    text_ = Concat("[[design]]\nname = ", TomlText(name), "\n");
  }
  void Set(std::string_view path, std::string_view value) {
    text_ += Concat("set.", path, " = ", value, "\n");
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

bool SameRule(const std::optional<ScalingRule>& left, const std::optional<ScalingRule>& right) {
  if (!left || !right) return left.has_value() == right.has_value();
  return left->minimum == right->minimum && left->maximum == right->maximum &&
         left->target == right->target;
}

void SetThroughput(const std::string& path, const Throughput& base, const Throughput& design,
                   DesignLines* lines) {
  const auto set_both = [&](std::string_view name, const PerKind<std::optional<int64_t>>& before,
                            const PerKind<std::optional<int64_t>>& after) {
    if (before == after) return;
    std::string both;
    for (const auto& [kind, text] : kBothOfThem) {
      if (!after[kind]) continue;
      both += Concat(both.empty() ? "{ " : ", ", text, " = ", *after[kind]);
    }
    lines->Set(Concat(path, ".", name), both + " }");
  };
  if (design.on_demand) {
    set_both("warm", base.warm, design.warm);
    return set_both("maximum", base.maximum, design.maximum);
  }
  if (base.on_demand || design.units.read != base.units.read ||
      design.units.write != base.units.write) {
    lines->Set(path + ".units", Concat("{ read = ", design.units.read.value_or(1),
                                       ", write = ", design.units.write.value_or(1), " }"));
  }
  const PerKind<std::optional<ScalingRule>>& before = base.auto_scaling.rules;
  const PerKind<std::optional<ScalingRule>>& after = design.auto_scaling.rules;
  if (SameRule(before.read, after.read) && SameRule(before.write, after.write)) return;
  if (!design.auto_scaling.is_on()) return lines->Set(path + ".auto_scaling", "false");
  for (const auto& [kind, name] : kBothOfThem) {
    if (!after[kind]) continue;
    const double percent = std::round(after[kind]->target * 1'000) / 10;
    lines->Set(Concat(path, ".auto_scaling.", name),
               Concat("{ minimum = ", after[kind]->minimum, ", maximum = ", after[kind]->maximum,
                      ", target = ", ExactText(percent), " }"));
  }
}

bool SameReserved(const std::optional<ReservedCapacity>& left,
                  const std::optional<ReservedCapacity>& right) {
  if (!left || !right) return left.has_value() == right.has_value();
  return left->term == right->term && left->units == right->units;
}

std::string CountText(int64_t count) {
  return count < 1'000 ? Concat(count) : FigureText(static_cast<double>(count));
}

std::string UnitsText(const Throughput& throughput) {
  std::string text;
  for (const auto& [kind, name] : kBothOfThem) {
    const std::optional<ScalingRule>& rule = throughput.auto_scaling.rules[kind];
    const int64_t units = throughput.units[kind].value_or(1);
    if (units <= 1 && !(rule && rule->maximum > 1)) continue;
    text += Concat(text.empty() ? "" : " and ",
                   rule ? messages::AdviceFrom(CountText(rule->minimum)) : CountText(units), " ",
                   name, " units");
  }
  return text;
}

// Warm throughput above the initial one; empty if there is none.
std::string BothText(const PerKind<std::optional<int64_t>>& given, const PerKind<int64_t>& first) {
  std::string text;
  for (const auto& [kind, name] : kBothOfThem) {
    if (!given[kind] || *given[kind] <= first[kind]) continue;
    text += Concat(text.empty() ? "" : " and ", CountText(*given[kind]), " ", name, " units");
  }
  return text;
}

// ", warm for 8,000 write units, by-day for 6,000 write units"
std::string OnDemandText(const TableDesign& table) {
  std::string text;
  const auto add = [&](std::string_view name, const Throughput& throughput) {
    const std::string warm = BothText(
        throughput.warm, {WarmAtFirst(AccessKind::kRead), WarmAtFirst(AccessKind::kWrite)});
    const std::string most = BothText(throughput.maximum, {1, 1});
    if (!warm.empty()) text += messages::AdviceWarmFor(name, warm);
    if (!most.empty()) text += messages::AdviceAtMost(name, most);
  };
  add("", table.throughput);
  for (const IndexDesign& index : table.indexes) add(index.name + " ", index.throughput);
  return text;
}

// "orders: 100 write units; orders/by-day: …", or without names if there is only one.
std::string TableText(const Experiment& experiment, const TableDesign& table) {
  const BillingKind kind = ToBillingKind(table);
  const bool is_alone = experiment.tables.size() == 1;
  std::string text = is_alone ? "" : table.name + " ";
  if (kind == BillingKind::kOnDemand) {
    return text + messages::AdviceOnDemand() + OnDemandText(table);
  }
  const std::optional<ScalingRule>& rule = table.throughput.auto_scaling.rules.write;
  text +=
      kind == BillingKind::kScaled
          ? messages::AdviceScaled(ExactText(std::round((rule ? rule->target : 0.7) * 1'000) / 10))
          : messages::AdviceProvisioned();
  const std::string units = UnitsText(table.throughput);
  text += units.empty() ? messages::AdviceOneUnit() : units;
  for (const IndexDesign& index : table.indexes) {
    const std::string own = UnitsText(index.throughput);
    if (!own.empty()) text += Concat(", ", index.name, " ", own);
  }
  return text;
}

}  // namespace

std::string ReservedText(const ReservedCapacity& reserved) {
  std::string units;
  for (const auto& [kind, name] : kBothOfThem) {
    const int64_t count = reserved.units ? (*reserved.units)[kind] : 0;
    if (count == 0) continue;
    units += Concat(units.empty() ? "" : " and ", CountText(count), " ", name, " units");
  }
  return messages::AdviceReserved(units, reserved.term);
}

BillingKind ToBillingKind(const TableDesign& table) {
  if (table.throughput.on_demand) return BillingKind::kOnDemand;
  return table.throughput.auto_scaling.is_on() ? BillingKind::kScaled : BillingKind::kProvisioned;
}

int64_t WarmAtFirst(AccessKind kind) {
  return kind == AccessKind::kRead ? kOnDemandInitialReadUnits : kOnDemandInitialWriteUnits;
}

Throughput& ThroughputAt(Experiment* experiment, size_t table, std::optional<size_t> index) {
  TableDesign& design = experiment->tables[table];
  return index ? design.indexes[*index].throughput : design.throughput;
}

void SetBilling(BillingKind kind, double target, TableDesign* table) {
  const auto set = [&](Throughput* throughput) {
    throughput->on_demand = kind == BillingKind::kOnDemand;
    throughput->auto_scaling.rules = {};
    if (kind != BillingKind::kScaled) return;
    throughput->auto_scaling.rules = {ScalingRule{1, 1, target}, ScalingRule{1, 1, target}};
  };
  set(&table->throughput);
  for (IndexDesign& index : table->indexes) set(&index.throughput);
}

void SetShards(const OpenMember& member, int64_t shards, Experiment* experiment) {
  if (member.kind == OpenKind::kIndexShards) {
    experiment->tables[member.table].indexes[*member.index].shards = shards;
  } else {
    experiment->sources[member.source].shards = shards;
  }
  // Replays query every shard of an index anyway.
  if (shards == 1 || experiment->replay) return;
  for (Access& access : experiment->accesses) {
    if (access.gathers || !MustGather(*experiment, access, member)) continue;
    access.gathers = true;
    access.operation = Operation::kQuery;
  }
}

int64_t CountShards(const Experiment& experiment, const OpenMember& member) {
  return member.kind == OpenKind::kIndexShards
             ? experiment.tables[member.table].indexes[*member.index].shards
             : experiment.sources[member.source].shards;
}

bool IsGathered(const Experiment& experiment, const OpenMember& member) {
  return std::any_of(experiment.accesses.begin(), experiment.accesses.end(),
                     [&](const Access& access) { return MustGather(experiment, access, member); });
}

bool CanGather(const Experiment& experiment, const OpenMember& member) {
  if (experiment.replay) return true;
  return std::none_of(
      experiment.accesses.begin(), experiment.accesses.end(), [&](const Access& access) {
        const bool is_single =
            access.operation == Operation::kGetItem || access.operation == Operation::kQuery;
        // A Query that gathers is followed by no write, and has a fixed number of items.
        const bool is_whole = !access.then && access.items_least == 0 && access.cache == 0;
        return MustGather(experiment, access, member) && !(is_single && is_whole);
      });
}

std::optional<std::string> FindAccessThatMisses(const Experiment& experiment,
                                                const OpenMember& member) {
  if (experiment.replay || member.kind != OpenKind::kShards) return std::nullopt;
  if (experiment.sources[member.source].is_calculated()) return std::nullopt;
  for (const Access& access : experiment.accesses) {
    for (const Access& part : ListParts(access)) {
      const Operation operation = part.then.value_or(part.operation);
      const bool misses = (IsWrite(operation) || part.only_checks) &&
                          MissesItems(experiment, part, operation, member.source);
      if (misses) return access.name;
    }
  }
  return std::nullopt;
}

bool CanShard(const Experiment& experiment, const OpenMember& member) {
  return CanGather(experiment, member) && !FindAccessThatMisses(experiment, member);
}

std::vector<std::string> ListSuffixAttributes(const Experiment& experiment, size_t source) {
  std::optional<std::vector<std::string>> given;
  for (const Access& access : experiment.accesses) {
    for (const Access& part : ListParts(access)) {
      const bool uses = std::any_of(part.key.begin(), part.key.end(),
                                    [source](const auto& each) { return each.second == source; });
      const bool writes = IsWrite(part.operation) || part.then || part.only_checks;
      if (!uses || !writes) continue;
      std::vector<std::string> own;
      for (const std::string& attribute : ListKeyAttributes(experiment.tables[part.table])) {
        const auto at = part.key.find(attribute);
        const bool is_other = at != part.key.end() && at->second != source;
        const bool was_there =
            !given || std::find(given->begin(), given->end(), attribute) != given->end();
        if (is_other && was_there) own.push_back(attribute);
      }
      given = std::move(own);
    }
  }
  return given.value_or(std::vector<std::string>());
}

std::string DesignName(const Experiment& experiment, const AdviceRequest& request) {
  std::string name;
  const auto add = [&name](std::string_view text) {
    name += Concat(name.empty() ? "" : ", ", text);
  };
  std::vector<size_t> told;
  for (const OpenMember& member : request.open) {
    const bool is_throughput = member.kind <= OpenKind::kMaximum;
    if (is_throughput && std::find(told.begin(), told.end(), member.table) == told.end()) {
      told.push_back(member.table);
      add(TableText(experiment, experiment.tables[member.table]));
    }
  }
  for (const OpenMember& member : request.open) {
    if (member.kind == OpenKind::kIndexShards && CountShards(experiment, member) > 1) {
      add(messages::AdviceShards(CountShards(experiment, member),
                                 experiment.tables[member.table].indexes[*member.index].name));
    } else if (member.kind == OpenKind::kShards) {
      add(messages::AdviceShards(CountShards(experiment, member),
                                 experiment.sources[member.source].name));
    }
  }
  for (const OpenMember& member : request.open) {
    if (member.kind != OpenKind::kSuffix) continue;
    const KeySource& source = experiment.sources[member.source];
    if (source.shards > 1) add(messages::AdviceSuffix(source.calculated_from));
  }
  for (const OpenMember& member : request.open) {
    if (member.kind == OpenKind::kReserved && experiment.reserved) {
      add(ReservedText(*experiment.reserved));
    }
    if (member.kind != OpenKind::kConsistency && member.kind != OpenKind::kCache) continue;
    const Access& access = experiment.accesses[member.access];
    if (member.kind == OpenKind::kConsistency && access.consistency == ReadMode::kEventual) {
      add(messages::AdviceReadEventually(access.name));
    } else if (member.kind == OpenKind::kCache && access.cache > 0) {
      add(messages::AdviceReadCached(access.name, TimeText(access.cache)));
    }
  }
  return name;
}

std::string DesignText(const Experiment& base, const Experiment& design) {
  DesignLines lines(design.design);
  for (size_t i = 0; i < base.tables.size(); ++i) {
    const TableDesign& before = base.tables[i];
    const TableDesign& after = design.tables[i];
    const std::string path = "table." + TomlKey(before.name);
    if (before.throughput.on_demand != after.throughput.on_demand) {
      lines.Set(path + ".billing",
                after.throughput.on_demand ? "\"on-demand\"" : "\"provisioned\"");
    }
    SetThroughput(path, before.throughput, after.throughput, &lines);
    for (size_t j = 0; j < before.indexes.size(); ++j) {
      const std::string own = Concat(path, ".index.", TomlKey(before.indexes[j].name));
      if (before.indexes[j].shards != after.indexes[j].shards) {
        lines.Set(own + ".shards", Concat(after.indexes[j].shards));
      }
      SetThroughput(own, before.indexes[j].throughput, after.indexes[j].throughput, &lines);
    }
  }
  for (size_t i = 0; i < base.sources.size(); ++i) {
    const std::string path = "keys." + TomlKey(base.sources[i].name);
    if (base.sources[i].shards != design.sources[i].shards) {
      lines.Set(path + ".shards", Concat(design.sources[i].shards));
    }
    if (base.sources[i].calculated_from != design.sources[i].calculated_from) {
      lines.Set(path + ".from", TomlText(design.sources[i].calculated_from));
    }
  }
  for (size_t i = 0; i < base.accesses.size(); ++i) {
    const std::string path = "access." + TomlKey(base.accesses[i].name);
    if (base.accesses[i].operation != design.accesses[i].operation) {
      lines.Set(path + ".operation", "\"Query\"");
    }
    if (base.accesses[i].gathers != design.accesses[i].gathers) lines.Set(path + ".gather", "true");
    if (base.accesses[i].consistency != design.accesses[i].consistency) {
      lines.Set(path + ".consistency", "\"eventual\"");
    }
    if (base.accesses[i].cache != design.accesses[i].cache) {
      lines.Set(path + ".cache", Concat("\"", design.accesses[i].cache / kSecond, "s\""));
    }
  }
  if (!SameReserved(base.reserved, design.reserved)) {
    const std::optional<ReservedCapacity>& reserved = design.reserved;
    std::string value = "false";
    if (reserved) {
      value = "{ term = " + TomlText(reserved->term);
      for (const auto& [kind, name] : kBothOfThem) {
        if (reserved->units) value += Concat(", ", name, " = ", (*reserved->units)[kind]);
      }
      value += " }";
    }
    lines.Set("experiment.reserved", value);
  }
  return lines.Take();
}

}  // namespace dynolith::lab
