// The texts about invalid files of the lab.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_MESSAGES_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"
#include "tools/lab/text/messages.h"

namespace dynolith::messages {

// ===== Invalid files of the lab, and runs that are not possible.

// --- members; `path` is a member's whole name: "access.like.share"

inline std::string LabNotASize(std::string_view path) {
  return Concat(path,
                " must be a size such as 300 or \"4KB\", { from = 100, to = 900 }, or a list "
                "of sizes");
}
inline std::string LabItemTooLarge(std::string_view path, size_t kilobytes_max) {
  return Concat(path, " must be at most ", kilobytes_max, " KB, the limit of an item");
}
inline std::string LabNotAKeyPart(std::string_view path) {
  return Concat(path,
                " must be the attribute's name in quotes, or { name = \"day\", type = \"N\" }");
}

// --- what belongs together

inline std::string LabNothingNamed(std::string_view path, std::string_view what,
                                   std::string_view name, std::string_view nearest) {
  return Concat(path, ": there is no ", what, " ", name,
                nearest.empty() ? "" : Concat("; did you mean ", nearest, "?"));
}
inline std::string LabWithinItself(std::string_view path) {
  return Concat(path, " leads to itself");
}
inline std::string LabNothingToRemove(std::string_view path, std::string_view what,
                                      std::string_view nearest) {
  return Concat(path, ": there is nothing named ", what,
                nearest.empty() ? "; it wants texts such as \"access.like\" or \"table.posts\""
                                : Concat("; did you mean ", nearest, "?"));
}
inline std::string LabNameTwice(std::string_view what, std::string_view name) {
  return Concat("there are two ", what, " ", name);
}
inline std::string LabNoBlocks(std::string_view path, int64_t units) {
  return Concat(path, " is reserved in blocks of ", units, " units");
}
inline std::string LabScaledMonth() {
  return "experiment.month: what auto scaling provisions on other days does not follow a factor; "
         "name a "
         "design whose run is such a day";
}
inline std::string LabNeedsSome(std::string_view what, std::string_view example) {
  return Concat("there is no ", what, "; it begins with ", example);
}
inline std::string LabNotAKey(std::string_view path, std::string_view attribute,
                              std::string_view table, const std::vector<std::string>& keys) {
  return Concat(path, ": ", attribute, " is no key attribute of ", table, "; they are ",
                LabListed(keys, " and "));
}
inline std::string LabKeyMissing(std::string_view path, std::string_view attribute) {
  return Concat(path, " gives no value of the partition key ", attribute, ": key = { ", attribute,
                " = … }");
}
inline std::string LabLocalWithoutSort(std::string_view path, std::string_view table) {
  return Concat(path, ": only a table with a sort_key has local indexes, and ", table, " has none");
}
inline std::string LabOneItemOfAKey(std::string_view path, int64_t most, std::string_view table) {
  return Concat(path, " must be at most ", most, ": ", table,
                " has no sort_key, so a Query finds one item of a partition key; give the table a "
                "sort_key, or query an index");
}
inline std::string LabNumberWithSuffix(std::string_view path, std::string_view attribute) {
  return Concat(path, ": ", attribute, " is a number, so it can have no suffix; make it an S");
}
inline std::string LabNotNumbers(std::string_view path, std::string_view attribute) {
  return Concat(path, ": ", attribute, " is a number, but its values are not");
}
inline std::string LabSuffixUnknown(std::string_view path, std::string_view attribute,
                                    std::string_view from) {
  return Concat(path, ": the suffix of ", attribute, " is calculated from ", from,
                ", which this access does not give; a Query may gather = true instead");
}
inline std::string LabEntriesUnknown(std::string_view path, std::string_view table,
                                     std::string_view index) {
  return Concat(path, ": \"add\" needs table.", table, ".index.", index,
                ".entries, the part of the items that have an entry at the start, such as 0.1");
}
inline std::string LabOnlyFor(std::string_view path, std::string_view whom) {
  return Concat(path, " is only for ", whom);
}
inline std::string LabNotWith(std::string_view path, std::string_view other) {
  return Concat(path, " does not go together with ", other);
}
inline std::string LabSearchedBytes() {
  return "the bytes that a search is charged for. The service publishes no figure: it depends on "
         "what the search examines and returns. Measure it, as VectorSearchRequestBytes of its "
         "ConsumedCapacity, such as \"41KB\"";
}
inline std::string LabBulkUnits() {
  return "the write units a second that it may take, as MaxWriteRequestUnits. The service "
         "publishes "
         "no figure for an operation without that limit";
}
// `member`: one whose value the trace gives, like "access".
inline std::string LabNotWithReplay(std::string_view member) {
  return Concat(member,
                " does not go together with [replay]: what is asked for, and by which keys, is in "
                "the trace",
                member == "keys" ? "; keys of a trace get no suffixes" : "");
}
inline std::string LabOnlyInTrace(std::string_view path) {
  return Concat(path, " does not go together with [replay]: it is as in the trace");
}
inline std::string LabWeightsDiffer(std::string_view path, size_t values) {
  return Concat(path, " must be as many as there are values, which is ", values);
}
inline std::string LabNotBelow(std::string_view path, std::string_view least) {
  return Concat(path, " must not be below ", least);
}
// `index`: the index with these units; empty: the table.
inline std::string LabReplicasNotScaled(std::string_view path, std::string_view table,
                                        std::string_view index) {
  return Concat(path,
                ": write units of a table with replicas in other regions are on demand or "
                "scaled, but those of ",
                table, index.empty() ? "" : Concat("/", index),
                " are provisioned; give it auto_scaling.write");
}
inline std::string LabNothingToOpen(std::string_view path, std::string_view nearest) {
  return path.empty() ? std::string("advise.open must be a list of texts")
                      : Concat("advise.open: ", path, " is nothing that can be open",
                               nearest.empty() ? "" : Concat("; did you mean ", nearest, "?"));
}
inline std::string LabNoCandidates(std::string_view path) {
  return Concat("advise.", path, " has no candidates: name it in advise.open");
}
inline std::string LabNotCandidates(std::string_view path, int64_t least, int64_t most,
                                    bool is_range) {
  return Concat("advise.", path, " must be a list of whole numbers from ", least, " to ", most,
                is_range ? ", or { from = 1, to = 500 }" : "");
}
inline std::string LabTooLong(std::string_view path, std::string_view what) {
  return Concat(path, " must be at most ", what);
}

// --- members whose values are in a file; cells are told by the file's own lines

inline std::string LabCsvColumn() { return "the name of a column"; }
inline std::string LabNotAMoment(std::string_view path) {
  return Concat(path, " must be a date and time such as \"2026-11-26T10:00:00Z\", or seconds");
}
inline std::string LabCsvEmpty(std::string_view file) {
  return Concat(file, " has no rows; its first line has the names of the columns");
}
inline std::string LabCsvTooShort(std::string_view file) {
  return Concat(file, " has fewer than two rows, so that nothing says how long they last");
}
inline std::string LabCsvLacks(std::string_view path, std::string_view file,
                               std::string_view column, std::string_view nearest,
                               const std::vector<std::string>& columns) {
  return Concat(path, ": ", file, " has no column ", column,
                nearest.empty() ? Concat("; they are ", LabListed(columns, " and "))
                                : Concat("; did you mean ", nearest, "?"));
}
inline std::string LabCsvCell(std::string_view file, int64_t line, std::string_view column,
                              std::string_view cell, std::string_view expected) {
  return Concat(file, ":", line, ": ", column, " is ", cell.empty() ? "empty" : cell, ", but ",
                expected);
}
inline std::string LabCsvMoment() {
  return "must be a date and time such as 2026-11-26T10:00:00Z, or seconds";
}
inline std::string LabCsvLater() { return "must be later than in the row before"; }
inline std::string LabCsvRate(double most) {
  std::ostringstream text;
  text << "must be a number from 0 to " << most;
  return text.str();
}
inline std::string LabCsvKey() { return "must be the name of a key"; }
inline std::string LabCsvKeyTwice(int64_t line) { return Concat("it is in line ", line, ", too"); }
inline std::string LabCsvWeight() { return "must be a number above 0"; }

// --- metrics of CloudWatch as rates

inline std::string LabMetricLabel() {
  return "the label of a metric, such as \"orders ConsumedReadCapacityUnits\"";
}
inline std::string LabMetricLacks(std::string_view path, std::string_view file,
                                  std::string_view label, std::string_view nearest,
                                  const std::vector<std::string>& labels) {
  if (labels.empty()) {
    return Concat(path, ": ", file, " has neither MetricDataResults nor Datapoints");
  }
  return Concat(path, ": ", file, " has no metric with the label ", label,
                nearest.empty() ? Concat("; they are ", LabListed(labels, " and "))
                                : Concat("; did you mean ", nearest, "?"));
}
inline std::string LabMetricUnequal(std::string_view path) {
  return Concat(path, " must have as many elements as Values");
}
inline std::string LabMetricNegative() { return "a count must be 0 or more"; }
inline std::string LabMetricRate(std::string_view file, double most) {
  std::ostringstream text;
  text << file << " has more than " << most << " a second";
  return text.str();
}

// --- reports of Contributor Insights

inline std::string LabInsightPairs(std::string_view path) {
  return Concat(path,
                " must be one, the partition key: the report of the rule "
                "DynamoDBContributorInsights-PKC-…");
}
inline std::string LabInsightNothing() { return "it has no contributors, and counts none"; }

// --- logs of calls

inline std::string LabLogCompressed(std::string_view file) {
  return Concat(file, " is compressed: gunzip it first");
}
inline std::string LabLogNotATime() {
  return "eventTime must be a date and time such as 2026-11-26T10:00:00Z";
}
inline std::string LabLogNotAKey() { return "it must be the attributes of a key, one or two"; }
inline std::string LabLogNotAKeyValue(std::string_view attribute) {
  return Concat(attribute,
                " must be a text, a number, or one of these with its type: { \"S\": \"x\" }");
}
inline std::string LabLogOtherKey(std::string_view table, std::string_view partition) {
  return Concat("it has other attributes, or others of their types, than the first key of ", table,
                ", or no ", partition, ", its partition key");
}
inline std::string LabLogSizes(std::string_view file, int64_t item, int64_t page) {
  return Concat(file, " has no sizes: an item counts as ", item,
                " bytes (replay.item_size), what a Query or a Scan evaluates as ", page,
                " (replay.page_size); nor does it say what indexes a write changes, so that costs "
                "nothing here");
}
inline std::string LabLogPartitionKey(std::string_view table, std::string_view attribute) {
  return Concat("the partition key of ", table, " is taken to be ", attribute,
                ", the first attribute of its keys (replay.partition_keys)");
}
inline std::string LabLogWithoutKey(std::string_view file, const std::vector<std::string>& counts) {
  return Concat(file, " has no key of ", LabListed(counts, " and "),
                ": each is taken to be on a key of its own");
}
inline std::string LabLogFailed(std::string_view file, int64_t count) {
  return Concat(count, " of the calls in ", file, " failed without using capacity: left out");
}
inline std::string LabLogOthers(std::string_view file, int64_t count) {
  return Concat(count, " of the calls in ", file, " are none on items: left out");
}
inline std::string LabOnlyOfLog(std::string_view path, std::string_view file) {
  return Concat(path, " is only for a log of calls; ", file, " is a trace, which has it");
}

// --- what makes sense, but may not be what is meant

inline std::string LabIndexLeftAlone(std::string_view access, std::string_view operation,
                                     std::string_view attribute, std::string_view index) {
  return Concat("access.", access, " does not give ", attribute, ", the key of the index ", index,
                ", so its ", operation, " writes no entry there, which costs nothing: add key.",
                attribute, " if its items have one, or say index_change = { ", index,
                " = \"none\" }");
}

inline std::string LabExpiresLater(std::string_view access, std::string_view lasts,
                                   std::string_view takes) {
  return Concat("not all that expires of access ", access,
                " does so within the experiment, which lasts ", lasts,
                ": from a write until its item is deleted it takes up to ", takes);
}
// `member`: "units.write".
inline std::string LabAboveTableQuota(std::string_view resource, std::string_view member,
                                      int64_t units, int64_t quota) {
  return Concat(resource, ": ", member, " = ", units,
                " is above what the account may give a table or ", "an index, ", quota,
                ", so the service refuses it: say experiment.quota.table if the account has more");
}
inline std::string LabAboveAccountQuota(std::string_view kind, int64_t units, int64_t quota) {
  return Concat("tables and indexes may be provisioned with ", units, " ", kind,
                " units together, above what the account may have, ", quota,
                ", so the service refuses it: say experiment.quota.account if it has more");
}
// `what`: "key post" or "index orders/by-status".
inline std::string LabAsksOneShard(std::string_view access, int64_t shards, std::string_view what) {
  return Concat(access, " asks one of the ", shards, " shards of ", what,
                " each time, drawn at random, and misses what the others have: a Query with "
                "gather = true asks all of them");
}
// `shape`: "wave", "load of spikes"; times as texts.
inline std::string LabPartOfAPeriod(std::string_view shape, std::string_view period,
                                    std::string_view duration) {
  return Concat("a ", shape, " comes back every ", period, ", but the experiment lasts ", duration,
                ": what it says of a month repeats that part");
}
inline std::string LabHigherLater(std::string_view later, std::string_view duration,
                                  std::string_view seen) {
  return Concat("a load reaches ", later, " a second after the experiment's ", duration,
                ", in which it has at most ", seen, ": nothing says what happens then");
}
inline std::string LabFileEnds(std::string_view file, std::string_view seconds) {
  return Concat("the load of ", file, " ends after ", seconds,
                " s, before the experiment: nothing is asked for from then on");
}

// --- other files

inline std::string LabCannotRead(std::string_view file, std::string_view reason) {
  return Concat("cannot read ", file, ": ", reason);
}
inline std::string LabNotAWorkbenchModel(std::string_view file, std::string_view reason) {
  return Concat(file, " is no model of NoSQL Workbench: ", reason);
}
inline std::string LabModelNotJson() { return "it is not JSON"; }
inline std::string LabModelWithoutTables() { return "there is no DataModel in it"; }
inline std::string LabModelTableLacks(size_t line, size_t column) {
  return Concat("the table at ", line, ":", column,
                " lacks a name, a partition key, or the name or partition key of an index");
}

// ===== Traces of requests: writing them, and files that are not traces.

// --- readers

inline std::string TraceEmpty(std::string_view file) {
  return Concat(file, " holds no request that was served, so there is nothing to replay");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_MESSAGES_H_
