#include "tools/lab/experiment/experiment_doubts.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "engine/base/strings.h"
#include "tools/lab/experiment/messages.h"
#include "tools/lab/text/figures_text.h"

namespace dynolith::lab {

namespace {

void AddDoubt(std::string doubt, std::vector<std::string>* doubts) {
  const bool is_known = std::find(doubts->begin(), doubts->end(), doubt) != doubts->end();
  if (!is_known) doubts->push_back(std::move(doubt));
}

// The highest rate until `end`, and the highest one at all.
std::pair<double, double> HighestRates(const Load& load, Micros end) {
  if (load.shape == Load::Shape::kRamp) {
    const double part = std::min(1.0, static_cast<double>(end) / static_cast<double>(load.period));
    return {std::max(load.low, load.low + part * (load.high - load.low)),
            std::max(load.low, load.high)};
  }
  double seen = 0;
  double all = 0;
  for (const Load::Step& step : load.steps) {
    all = std::max(all, step.rate);
    if (step.at < end) seen = std::max(seen, step.rate);
  }
  return {seen, all};
}

// What comes after the end of the run, or in a part of a period that it does not have.
void AddUnseenDoubts(const Load& load, Micros duration, std::vector<std::string>* doubts) {
  const bool repeats = load.shape == Load::Shape::kWave || load.shape == Load::Shape::kSpikes;
  if (repeats && load.period > duration) {
    AddDoubt(
        messages::LabPartOfAPeriod(load.shape == Load::Shape::kWave ? "wave" : "load of spikes",
                                   TimeText(load.period), TimeText(duration)),
        doubts);
  }
  if (load.shape != Load::Shape::kSteps && load.shape != Load::Shape::kRamp) return;
  const auto [seen, all] = HighestRates(load, duration);
  if (all > seen) {
    AddDoubt(messages::LabHigherLater(FigureText(all), TimeText(duration), FigureText(seen)),
             doubts);
  }
}

void AddLoadDoubts(const std::optional<Load>& load, Micros duration,
                   std::vector<std::string>* doubts) {
  if (load) AddUnseenDoubts(*load, duration, doubts);
  if (!load || load->file.empty() || load->steps.back().at >= duration) return;
  AddDoubt(messages::LabFileEnds(load->file, Concat(load->steps.back().at / kSecond)), doubts);
}

// A read by a key with shards that neither asks all of them nor can calculate the one.
void AddShardDoubts(const Experiment& experiment, const Access& access,
                    std::vector<std::string>* doubts) {
  if (IsWrite(access.operation) || access.gathers || !access.has_operations()) return;
  const TableDesign& table = experiment.tables[access.table];
  if (access.index && table.indexes[*access.index].shards > 1) {
    const IndexDesign& index = table.indexes[*access.index];
    AddDoubt(messages::LabAsksOneShard(access.name, index.shards,
                                       Concat("index ", table.name, "/", index.name)),
             doubts);
  }
  const KeyPart& part =
      access.index ? table.indexes[*access.index].partition_key : table.partition_key;
  const auto given = access.key.find(part.attribute);
  if (given == access.key.end()) return;
  const KeySource& source = experiment.sources[given->second];
  if (source.shards == 1 || source.is_calculated()) return;
  AddDoubt(messages::LabAsksOneShard(access.name, source.shards, Concat("key ", source.name)),
           doubts);
}

void AddAccessDoubts(const Experiment& experiment, const Access& access,
                     std::vector<std::string>* doubts) {
  AddShardDoubts(experiment, access, doubts);
  if (!IsWrite(access.operation) && !access.then) return;
  if (access.ttl + kExpiryDelayMost >= experiment.duration && access.ttl > 0) {
    AddDoubt(messages::LabExpiresLater(access.name, TimeText(experiment.duration),
                                       TimeText(access.ttl + kExpiryDelayMost)),
             doubts);
  }
  const std::vector<IndexDesign>& indexes = experiment.tables[access.table].indexes;
  for (size_t i = 0; i < indexes.size(); ++i) {
    const std::string& attribute = indexes[i].partition_key.attribute;
    if (access.key.contains(attribute) || access.index_changes[i] == IndexChange::kNone) continue;
    AddDoubt(messages::LabIndexLeftAlone(
                 access.name, trace::OperationName(access.then.value_or(access.operation)),
                 attribute, indexes[i].name),
             doubts);
  }
}

// The units that count against the account's quotas; with auto scaling its maximum.
class QuotaDoubts {
 public:
  QuotaDoubts(const Experiment& experiment, std::vector<std::string>* doubts)
      : experiment_(experiment), doubts_(doubts) {}

  void Add(const std::string& resource, const Throughput& throughput) {
    for (const auto& [kind, name] : kNames) {
      const std::optional<ScalingRule>& rule = throughput.auto_scaling.rules[kind];
      if (throughput.on_demand) {
        CheckTable(resource, Concat("warm.", name), kind, throughput.warm[kind].value_or(0));
        continue;
      }
      const int64_t units = rule ? rule->maximum : throughput.units[kind].value_or(0);
      provisioned_[kind] += units;
      CheckTable(resource,
                 rule ? Concat("auto_scaling.", name, ".maximum") : Concat("units.", name), kind,
                 units);
    }
  }
  void CheckAccount() {
    for (const auto& [kind, name] : kNames) {
      const int64_t quota = experiment_.account_quota[kind];
      if (provisioned_[kind] <= quota) continue;
      AddDoubt(messages::LabAboveAccountQuota(name, provisioned_[kind], quota), doubts_);
    }
  }

 private:
  static constexpr std::pair<AccessKind, std::string_view> kNames[] = {
      {AccessKind::kRead, "read"}, {AccessKind::kWrite, "write"}};

  void CheckTable(const std::string& resource, const std::string& member, AccessKind kind,
                  int64_t units) {
    const int64_t quota = experiment_.table_quota[kind];
    if (units <= quota) return;
    AddDoubt(messages::LabAboveTableQuota(resource, member, units, quota), doubts_);
  }

  const Experiment& experiment_;
  std::vector<std::string>* const doubts_;
  PerKind<int64_t> provisioned_;
};

void AddQuotaDoubts(const Experiment& experiment, std::vector<std::string>* doubts) {
  QuotaDoubts quotas(experiment, doubts);
  for (const TableDesign& table : experiment.tables) {
    quotas.Add(table.name, table.throughput);
    for (const IndexDesign& index : table.indexes) {
      quotas.Add(Concat(table.name, "/", index.name), index.throughput);
    }
  }
  quotas.CheckAccount();
}

}  // namespace

void AddDoubts(const Experiment& experiment, std::vector<std::string>* doubts) {
  AddQuotaDoubts(experiment, doubts);
  if (experiment.replay) return;
  AddLoadDoubts(experiment.load, experiment.duration, doubts);
  for (const Access& access : experiment.accesses) {
    AddLoadDoubts(access.load, experiment.duration, doubts);
    for (const Access& part : ListParts(access)) AddAccessDoubts(experiment, part, doubts);
  }
}

}  // namespace dynolith::lab
