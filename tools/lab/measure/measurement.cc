#include "tools/lab/measure/measurement.h"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/process/thread_start.h"
#include "tools/lab/load/key_generator.h"
#include "tools/lab/measure/connection_need.h"
#include "tools/lab/measure/messages.h"
#include "tools/lab/measure/open_loop.h"
#include "tools/lab/measure/replay_maker.h"
#include "tools/lab/measure/request_maker.h"
#include "tools/lab/measure/table_setup.h"
#include "tools/lab/text/figures_text.h"

namespace dynolith::lab {
namespace {

constexpr size_t kConnectionsAtFirst = 4;
constexpr auto kLookPause = std::chrono::milliseconds(50);
// The generator is the bottleneck if its own lag is as long as this, and a tenth of the latency.
constexpr int64_t kLagNanosMax = 1'000'000;
constexpr int64_t kLagPart = 10;
constexpr double kWaitedPartMax = 0.01;

std::string MillisText(int64_t nanoseconds) {
  return FigureText(static_cast<double>(nanoseconds) * 1e-6);
}

// Threads that each have a connection, which they keep from the warm-up to the run.
class ConnectionPool {
 public:
  ConnectionPool(MeasuredTarget* target, size_t fixed)
      : target_(target),
        is_fixed_(fixed > 0),
        most_(is_fixed_ ? fixed : target->connections_max()) {
    const size_t first = is_fixed_ ? fixed : std::min(kConnectionsAtFirst, most_);
    while (connections_.size() < first) connections_.push_back(target->Connect());
  }

  // Runs the loop to its end. Errors: StartThread's if a connection gets no thread, since fewer
  // connections would make the measurement misleading.
  absl::Status Run(const RequestMaker& maker, OpenLoop* loop,
                   absl::FunctionRef<bool(const OpenLoop::State&)> go_on) {
    std::vector<std::thread> threads;
    absl::Status begun;
    const auto begin = [&](MeasuredConnection* connection) {
      std::thread thread;
      begun.Update(
          StartThread([&maker, loop, connection] { Work(maker, loop, connection); }, &thread));
      if (thread.joinable()) threads.push_back(std::move(thread));
    };
    for (const std::unique_ptr<MeasuredConnection>& each : connections_) begin(each.get());
    while (true) {
      const OpenLoop::State state = loop->Look();
      if (!begun.ok() || !go_on(state)) loop->Stop();
      if (state.is_over) break;
      for (size_t more = Missing(state); more > 0; --more) {
        connections_.push_back(target_->Connect());
        begin(connections_.back().get());
      }
      std::this_thread::sleep_for(kLookPause);
    }
    for (std::thread& thread : threads) thread.join();
    return begun;
  }

  size_t size() const { return connections_.size(); }
  bool is_fixed() const { return is_fixed_ || connections_.size() == most_; }

 private:
  static void Work(const RequestMaker& maker, OpenLoop* loop, MeasuredConnection* connection) {
    // The kernel may otherwise wake a thread 50 µs late, which is long for a local call.
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    while (std::optional<CallUnderWay> call = loop->Next()) {
      const ServiceCall request = maker.MakeCall(call->planned);
      loop->Send(&*call);
      const CallAnswer answer = connection->Call(request);
      loop->Finish(*std::move(call), answer);
    }
  }

  size_t Missing(const OpenLoop::State& state) {
    return std::min(most_ - connections_.size(), need_.Missing(state, connections_.size()));
  }

  MeasuredTarget* const target_;
  const bool is_fixed_;
  const size_t most_;
  ConnectionNeed need_;
  std::vector<std::unique_ptr<MeasuredConnection>> connections_;
};

std::string ModelMembers(const Experiment& experiment) {
  std::string members;
  const auto add = [&members](std::string_view member) {
    members += Concat(members.empty() ? "" : ", ", member);
  };
  if (experiment.nodes > 0) add("experiment.nodes");
  if (!experiment.splits) add("experiment.splits");
  for (const TableDesign& table : experiment.tables) {
    if (table.throughput.partitions) add(Concat("table.", table.name, ".partitions"));
    for (const IndexDesign& index : table.indexes) {
      if (!index.throughput.partitions) continue;
      add(Concat("table.", table.name, ".index.", index.name, ".partitions"));
    }
  }
  return members;
}

// The tables and indexes whose warm throughput exceeds the target's limit.
std::string TooWarm(const Experiment& experiment, std::optional<int64_t> most) {
  std::string members;
  const auto look = [&](const Throughput& throughput, const std::string& member) {
    const bool is_beyond =
        most && throughput.on_demand &&
        (throughput.warm.read.value_or(0) > *most || throughput.warm.write.value_or(0) > *most);
    if (is_beyond) members += Concat(members.empty() ? "" : ", ", member);
  };
  for (const TableDesign& table : experiment.tables) {
    look(table.throughput, Concat("table.", table.name, ".warm"));
    for (const IndexDesign& index : table.indexes) {
      look(index.throughput, Concat("table.", table.name, ".index.", index.name, ".warm"));
    }
  }
  return members;
}

// Remarks on the figures, the most important first.
void AddNotes(const LoadedItems& loaded, const ConnectionPool& connections, double waited,
              std::optional<int64_t> warm_max, RunResult* result) {
  MeasuredRun& measured = *result->measured;
  LatencyHistogram all;
  LatencyHistogram calls;
  for (const AccessResult& access : result->accesses) {
    all.Merge(access.latency->all);
    calls.Merge(access.latency->calls);
  }
  const std::string lag = MillisText(measured.lag.Percentile(0.99));
  const Hindrance hindrance = FindHindrance(measured.lag, calls, all, waited);
  measured.is_generator_slow = hindrance == Hindrance::kGenerator;
  std::vector<std::string>& notes = measured.notes;
  switch (hindrance) {
    case Hindrance::kNone:
      notes.push_back(messages::LabGeneratorKeptUp(lag));
      notes.push_back(messages::LabScheduleKept(connections.size()));
      break;
    case Hindrance::kGenerator:
      notes.push_back(messages::LabGeneratorSlow(lag));
      break;
    case Hindrance::kTarget:
      notes.push_back(messages::LabConnectionsBusy(connections.size(), PartText(waited),
                                                   MillisText(calls.Percentile(0.5)),
                                                   connections.is_fixed()));
      break;
  }
  if (measured.unsent > 0) notes.push_back(messages::LabSomeUnsent(measured.unsent));
  if (loaded.loaded < loaded.needed) {
    notes.push_back(messages::LabLoadedSome(CountText(loaded.loaded), CountText(loaded.needed)));
  } else if (loaded.loaded > 0) {
    notes.push_back(messages::LabLoadedAll(CountText(loaded.loaded)));
  }
  const std::string warm = TooWarm(result->experiment, warm_max);
  if (!warm.empty()) notes.push_back(messages::LabWarmCut(warm, *warm_max));
  const std::string members = ModelMembers(result->experiment);
  if (!members.empty()) notes.push_back(messages::LabModelOnly(members));
}

// Loads items into the existing tables, warms up, and measures.
absl::StatusOr<RunResult> MeasureTables(const Experiment& experiment,
                                        const MeasurementOptions& options,
                                        const std::vector<std::string>& tables,
                                        MeasuredTarget* target,
                                        absl::FunctionRef<bool(uint64_t, uint64_t)> loads,
                                        absl::FunctionRef<bool(const RunProgress&)> go_on) {
  uint64_t random = experiment.seed;
  const KeyGenerators generators = MakeGenerators(experiment.sources, NextRandom(&random));
  RequestMaker maker(experiment, tables, generators, NextRandom(&random));
  std::optional<ReplayMaker> replay;
  if (experiment.replay) replay.emplace(experiment, maker);
  const ReplayMaker* const replay_maker = replay ? &*replay : nullptr;
  target->BeginLoading(tables);
  bool is_stopped = false;
  const auto loads_on = [&](uint64_t done, uint64_t all) {
    is_stopped = !loads(done, all);
    return !is_stopped;
  };
  DYNOLITH_ASSIGN_OR_RETURN(
      const LoadedItems loaded,
      LoadItems(experiment, tables, options.items_most, maker, replay_maker, target, loads_on));
  target->EndLoading(tables);
  ConnectionPool connections(target, options.connections);
  if (options.warm_up > 0) {
    Experiment warm_up = experiment;
    warm_up.duration = options.warm_up;
    OpenLoop loop(warm_up, tables, &maker, replay_maker, NextRandom(&random));
    DYNOLITH_RETURN_IF_ERROR(connections.Run(maker, &loop, [&](const OpenLoop::State& state) {
      is_stopped =
          is_stopped || !go_on({state.now, options.warm_up, state.calls, /*is_warm_up=*/true});
      return !is_stopped;
    }));
  }
  if (is_stopped) return absl::CancelledError(messages::LabStoppedBefore());
  const std::vector<int64_t> stored = CountStoredBytes(experiment, tables, target);
  OpenLoop loop(experiment, tables, &maker, replay_maker, NextRandom(&random));
  loop.SetStored(stored);
  DYNOLITH_RETURN_IF_ERROR(connections.Run(maker, &loop, [&](const OpenLoop::State& state) {
    is_stopped = is_stopped || !go_on({state.now, experiment.duration, state.calls});
    return !is_stopped;
  }));
  loop.SetStored(CountStoredBytes(experiment, tables, target));
  RunResult result = loop.Result();
  result.measured->target = target->name();
  result.measured->connections = connections.size();
  result.measured->warm_up = options.warm_up;
  result.measured->loaded = loaded.loaded;
  AddNotes(loaded, connections, loop.waited_part(), target->warm_max(), &result);
  return result;
}

}  // namespace

absl::Status CheckMeasurable(const std::string& file, const Experiment& experiment) {
  const auto refuse = [&file](const std::string& path, const std::string& instead) {
    return absl::InvalidArgumentError(ToAbsl(messages::LabNotMeasured(file, path, instead)));
  };
  if (experiment.sample > 1) return refuse("experiment.sample", messages::LabSampleInstead());
  if (experiment.retry.is_adaptive) {
    return refuse("client.adaptive", messages::LabAdaptiveInstead());
  }
  for (const Access& access : experiment.accesses) {
    if (access.bulk) return refuse(Concat("access.", access.name), messages::LabBulkInstead());
  }
  for (const TableDesign& table : experiment.tables) {
    if (!table.vector_indexes.empty()) {
      return refuse(Concat("table.", table.name, ".vector_index"), messages::LabVectorsInstead());
    }
    if (table.local_indexes > 0 && !table.sort_key) {
      return refuse(Concat("table.", table.name, ".local_indexes"), messages::LabLocalInstead());
    }
  }
  for (size_t table = 0; table < experiment.tables.size(); ++table) {
    const std::vector<IndexDesign>& indexes = experiment.tables[table].indexes;
    for (size_t i = 0; i < indexes.size(); ++i) {
      if (!experiment.IsSparse(table, i)) continue;
      return refuse(Concat("table.", experiment.tables[table].name, ".index.", indexes[i].name),
                    messages::LabSparseInstead());
    }
  }
  return absl::OkStatus();
}

Hindrance FindHindrance(const LatencyHistogram& lag, const LatencyHistogram& calls,
                        const LatencyHistogram& latency, double waited) {
  if (waited > kWaitedPartMax) {
    return lag.mean() >= calls.mean() ? Hindrance::kGenerator : Hindrance::kTarget;
  }
  const int64_t longest = lag.Percentile(0.99);
  const bool is_slow = longest >= kLagNanosMax && longest >= latency.Percentile(0.99) / kLagPart;
  return is_slow ? Hindrance::kGenerator : Hindrance::kNone;
}

void ScaleLoads(double factor, Experiment* experiment) {
  const auto scale = [factor](Load* load) {
    load->low *= factor;
    load->high *= factor;
    for (Load::Step& step : load->steps) step.rate *= factor;
    const double workers = static_cast<double>(load->workers) * factor;
    if (load->workers > 0) load->workers = std::max<int64_t>(1, static_cast<int64_t>(workers));
  };
  if (experiment->replay) {
    Replay& replay = *experiment->replay;
    replay.speed *= factor;
    const auto stretch = [factor](Micros* time) {
      *time = std::llround(static_cast<double>(*time) / factor);
    };
    stretch(&replay.period);
    stretch(&replay.spread);
    replay.period = std::max<Micros>(1, replay.period);
  }
  if (experiment->load) scale(&*experiment->load);
  for (Access& access : experiment->accesses) {
    if (access.load) scale(&*access.load);
  }
}

absl::StatusOr<RunResult> Measure(const Experiment& experiment, const MeasurementOptions& options,
                                  MeasuredTarget* target,
                                  absl::FunctionRef<bool(uint64_t, uint64_t)> loads,
                                  absl::FunctionRef<bool(const RunProgress&)> go_on) {
  const std::vector<std::string> tables = TableNames(experiment, options.prefix, options.suffix);
  DYNOLITH_RETURN_IF_ERROR(MakeTables(experiment, tables, target));
  absl::StatusOr<RunResult> result =
      MeasureTables(experiment, options, tables, target, loads, go_on);
  if (options.keeps_tables) return result;
  const absl::Status deleted = DeleteTables(tables, target);
  if (result.ok() && !deleted.ok()) return deleted;
  return result;
}

}  // namespace dynolith::lab
