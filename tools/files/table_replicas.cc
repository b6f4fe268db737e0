#include "tools/files/table_replicas.h"

#include <algorithm>
#include <utility>

#include "tools/files/messages.h"
#include "tools/files/table/json_parts.h"

namespace dynolith::designs {
namespace {

// Nobody has it: what is said of it tells whether there are regions at all.
constexpr std::string_view kNoSuchTable = "dynolith.load.asks.whether.there.are.regions";

// {"Create": action}
JsonTree OneUpdate(std::string_view kind, JsonTree action) {
  JsonTree update = MapTree();
  SetMember(&update, kind, std::move(action));
  return update;
}

JsonTree RegionAction(std::string_view region) {
  JsonTree action = MapTree();
  SetMember(&action, "RegionName", TextTree(region));
  return action;
}

// arn:aws:dynamodb:us-east-1:000000000000:table/music
std::string_view RegionInArn(std::string_view arn) {
  for (int i = 0; i < 3; ++i) arn.remove_prefix(std::min(arn.find(':') + 1, arn.size()));
  return arn.substr(0, arn.find(':'));
}

// Those in other regions than the table's own.
std::vector<std::string> RegionsOfReplicas(const JsonTree& table) {
  const std::string_view own = RegionInArn(MemberText(table.Find("TableArn")));
  std::vector<std::string> regions;
  const JsonTree* const replicas = table.Find("Replicas");
  if (replicas == nullptr) return regions;
  for (const JsonTree& replica : replicas->elements) {
    const std::string_view region = MemberText(replica.Find("RegionName"));
    if (region != own) regions.emplace_back(region);
  }
  return regions;
}

bool IsActive(const JsonTree& table) { return MemberText(table.Find("TableStatus")) == "ACTIVE"; }

bool IsReplicaActive(const JsonTree& table, std::string_view region) {
  const JsonTree* const replicas = table.Find("Replicas");
  return replicas != nullptr &&
         std::any_of(replicas->elements.begin(), replicas->elements.end(),
                     [&](const JsonTree& replica) {
                       return MemberText(replica.Find("RegionName")) == region &&
                              MemberText(replica.Find("ReplicaStatus")) == "ACTIVE";
                     });
}

}  // namespace

TableCall WithArn(TableCall call, const JsonTree& described) {
  if (call.arn_of == ArnOf::kNone) return call;
  const JsonTree* const arn =
      described.Find(call.arn_of == ArnOf::kStream ? "LatestStreamArn" : "TableArn");
  if (arn != nullptr) SetMember(&call.input, "ResourceArn", *arn);
  return call;
}

bool TableReplicas::HasRegions(client::ServiceConnection* connection) {
  if (!options_.in_region) return false;
  JsonTree action = RegionAction(options_.region);
  SetMember(&action, "TableClassOverride", TextTree("STANDARD"));
  JsonTree updates = ListTree();
  updates.elements.push_back(OneUpdate("Update", std::move(action)));
  JsonTree input = MapTree();
  SetMember(&input, "TableName", TextTree(kNoSuchTable));
  SetMember(&input, "ReplicaUpdates", std::move(updates));
  // With one region the update is refused before the table is looked for.
  has_regions_ =
      client::CallPatiently(connection, "UpdateTable", PrintJson(input)).error == kNoTable;
  return has_regions_;
}

client::ServiceConnection* TableReplicas::InRegion(const std::string& region) {
  const auto known = regions_.find(region);
  if (known != regions_.end()) return known->second.connection.get();
  Region& entry = regions_[region];
  absl::StatusOr<std::unique_ptr<client::ServiceTarget>> target = options_.in_region(region);
  if (!target.ok() || !(*target)->Open().ok()) return nullptr;
  entry.target = *std::move(target);
  std::unique_ptr<client::ServiceConnection> connection = entry.target->Connect();
  // Signed for a region that is not served, no call is answered.
  const bool is_served = client::CallPatiently(connection.get(), "ListTables", "{}").error.empty();
  if (is_served) entry.connection = std::move(connection);
  return entry.connection.get();
}

bool TableReplicas::Reduce(std::vector<TableDesign>* tables) {
  bool is_right = true;
  for (TableDesign& design : *tables) {
    const size_t wanted = design.replicas.size();
    std::erase_if(design.replicas, [&](const ReplicaDesign& replica) {
      if (has_regions_ && InRegion(replica.region) != nullptr) return false;
      options_.find({replica.place,
                     has_regions_ ? messages::DesignReplicaNotServed(replica.region)
                                  : messages::DesignReplicaLeftOut(replica.region),
                     false});
      return true;
    });
    for (const ReplicaDesign& replica : design.replicas) {
      for (const Finding& finding : replica.findings) {
        options_.find(finding);
        is_right = is_right && !finding.is_error;
      }
    }
    if (!design.strong || design.replicas.size() == wanted) continue;
    Fail(*design.strong, messages::DesignStrongNeedsRegions());
    is_right = false;
  }
  return is_right;
}

bool TableReplicas::Do(client::ServiceConnection* connection, const TableCall& call) {
  const client::ServiceAnswer answer =
      client::CallPatiently(connection, call.operation, PrintJson(call.input));
  if (!answer.error.empty()) {
    Fail(call.place, messages::DesignRefused(answer.error, answer.message));
  }
  return answer.error.empty();
}

std::optional<JsonTree> TableReplicas::Describe(client::ServiceConnection* connection,
                                                const TableDesign& design) {
  JsonTree input = MapTree();
  SetMember(&input, "TableName", TextTree(design.name));
  client::ServiceAnswer answer =
      client::CallPatiently(connection, "DescribeTable", PrintJson(input));
  JsonTree* const table = answer.output.Find("Table");
  if (table != nullptr) return std::move(*table);
  Fail(design.place, messages::DesignRefused(answer.error, answer.message));
  return std::nullopt;
}

bool TableReplicas::UpdateReplicas(client::ServiceConnection* connection, const TableDesign& design,
                                   JsonTree updates,
                                   const std::function<bool(const JsonTree&)>& is_done,
                                   JsonTree more) {
  TableCall call{"UpdateTable", MapTree(), design.place};
  SetMember(&call.input, "TableName", TextTree(design.name));
  for (JsonTree::Member& member : more.members) {
    SetMember(&call.input, member.name, std::move(member.value));
  }
  if (!updates.elements.empty()) SetMember(&call.input, "ReplicaUpdates", std::move(updates));
  if (!Do(connection, call)) return false;
  if (options_.begun) options_.begun();
  for (int look = 1; look <= kLooksMax; ++look) {
    const std::optional<JsonTree> table = Describe(connection, design);
    if (!table) return false;
    if (IsActive(*table) && is_done(*table)) return true;
    client::WaitBeforeLook(look);
    if (client::IsPatienceOver()) return false;
  }
  Fail(design.place, messages::DesignWaitTooLong(design.name));
  return false;
}

bool TableReplicas::Make(client::ServiceConnection* connection, const TableDesign& design) {
  if (design.replicas.empty()) return true;
  // Without it a table with provisioned units gets no replicas.
  if (!design.scaling.members.empty() &&
      !Do(connection, {"UpdateTableReplicaAutoScaling", design.scaling, design.place})) {
    return false;
  }
  JsonTree together = ListTree();
  for (const ReplicaDesign& replica : design.replicas) {
    JsonTree updates = ListTree();
    updates.elements.push_back(OneUpdate("Create", replica.create));
    const auto is_done = [&](const JsonTree& t) { return IsReplicaActive(t, replica.region); };
    if (design.strong) {
      together.elements.push_back(std::move(updates.elements.front()));
    } else if (!UpdateReplicas(connection, design, std::move(updates), is_done)) {
      return false;
    }
  }
  if (design.strong) {
    JsonTree more = MapTree();
    SetMember(&more, "MultiRegionConsistency", TextTree("STRONG"));
    JsonTree witnesses = ListTree();
    for (const std::string& region : design.witnesses) {
      witnesses.elements.push_back(OneUpdate("Create", RegionAction(region)));
    }
    if (!witnesses.elements.empty()) {
      SetMember(&more, "GlobalTableWitnessUpdates", std::move(witnesses));
    }
    const auto are_done = [&](const JsonTree& table) {
      return std::all_of(design.replicas.begin(), design.replicas.end(), [&](const auto& replica) {
        return IsReplicaActive(table, replica.region);
      });
    };
    if (!UpdateReplicas(connection, design, std::move(together), are_done, std::move(more))) {
      return false;
    }
  }
  return std::all_of(design.replicas.begin(), design.replicas.end(),
                     [&](const ReplicaDesign& replica) { return SetUp(design, replica); });
}

bool TableReplicas::SetUp(const TableDesign& design, const ReplicaDesign& replica) {
  if (replica.calls.empty()) return true;
  client::ServiceConnection* const there = InRegion(replica.region);
  const std::optional<JsonTree> table = Describe(there, design);
  return table &&
         std::all_of(replica.calls.begin(), replica.calls.end(),
                     [&](const TableCall& call) { return Do(there, WithArn(call, *table)); });
}

void TableReplicas::SayMissing(const TableDesign& design, const JsonTree& described) {
  const std::vector<std::string> there = RegionsOfReplicas(described);
  for (const ReplicaDesign& replica : design.replicas) {
    if (std::find(there.begin(), there.end(), replica.region) != there.end()) continue;
    options_.find(
        {replica.place, messages::DesignReplicaMissing(design.name, replica.region), false});
  }
}

bool TableReplicas::Remove(client::ServiceConnection* connection, const TableDesign& design) {
  const std::optional<JsonTree> table = Describe(connection, design);
  if (!table) return false;
  const std::vector<std::string> regions = RegionsOfReplicas(*table);
  const bool is_strong = MemberText(table->Find("MultiRegionConsistency")) == "STRONG";
  JsonTree together = ListTree();
  for (const std::string& region : regions) {
    JsonTree update = OneUpdate("Delete", RegionAction(region));
    if (is_strong) {
      together.elements.push_back(std::move(update));
      continue;
    }
    JsonTree updates = ListTree();
    updates.elements.push_back(std::move(update));
    const auto is_gone = [&](const JsonTree& now) {
      const std::vector<std::string> left = RegionsOfReplicas(now);
      return std::find(left.begin(), left.end(), region) == left.end();
    };
    if (!UpdateReplicas(connection, design, std::move(updates), is_gone)) return false;
  }
  if (!is_strong || regions.empty()) return true;
  JsonTree more = MapTree();
  JsonTree witnesses = ListTree();
  if (const JsonTree* const there = table->Find("GlobalTableWitnesses")) {
    for (const JsonTree& witness : there->elements) {
      witnesses.elements.push_back(
          OneUpdate("Delete", RegionAction(MemberText(witness.Find("RegionName")))));
    }
  }
  if (!witnesses.elements.empty()) {
    SetMember(&more, "GlobalTableWitnessUpdates", std::move(witnesses));
  }
  return UpdateReplicas(
      connection, design, std::move(together),
      [](const JsonTree& now) { return RegionsOfReplicas(now).empty(); }, std::move(more));
}

}  // namespace dynolith::designs
