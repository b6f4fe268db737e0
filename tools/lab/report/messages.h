// The texts of the lab's summary.
#ifndef DYNOLITH_TOOLS_LAB_REPORT_MESSAGES_H_
#define DYNOLITH_TOOLS_LAB_REPORT_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// ===== Invalid files of the lab, and runs that are not possible.

// --- why something was throttled

inline std::string LabPart(std::string_view part, std::string_view whole) {
  return Concat(part, " of ", whole);
}
inline std::string LabUnits(std::string_view units, bool is_write) {
  return Concat(units, is_write ? " write" : " read", " units a second");
}
inline std::string LabFromOn(std::string_view begin) { return Concat("from ", begin, " on"); }
inline std::string LabFromTo(std::string_view begin, std::string_view end) {
  return Concat("from ", begin, " to ", end);
}
inline std::string LabKeyMet(std::string_view key, std::string_view resource, std::string_view part,
                             std::string_view most) {
  return Concat("key ", key, " of ", resource, " (", part, " of it) met its partition's ", most);
}
inline std::string LabPartitionMet(size_t number, size_t all, std::string_view resource,
                                   std::string_view begin, std::string_view end,
                                   std::string_view most) {
  return Concat("partition ", number, " of the ", all, " of ", resource, " (", begin, " to ", end,
                " of the hashes), more than any other, met its ", most);
}
// For runs whose partitions are unknown.
inline std::string LabPartitionsMet(std::string_view resource, std::string_view most) {
  return Concat("partitions of ", resource, " met their ", most);
}
inline std::string LabMostThrottledKey(std::string_view key, std::string_view part) {
  return Concat("; no key has half of it, ", key, " has the most (", part, ")");
}
inline std::string LabShardsTogether(int64_t together, int64_t shards, std::string_view key) {
  return Concat("; ", together, " of the ", shards, " shards of ", key,
                " share that partition, by the chance of their hashes");
}
inline std::string LabShare(std::string_view units) { return Concat("share of ", units); }
inline std::string LabWasWarmFor(std::string_view resource, std::string_view units) {
  return Concat(resource, " was warm for ", units, " only, and grows by the half hour");
}
inline std::string LabUsedUp(std::string_view resource, std::string_view units, bool saves) {
  return Concat(resource, " had used up its ", units, saves ? " and what was saved" : "");
}
inline std::string LabScaledLate(std::string_view resource, std::string_view units) {
  return Concat(resource, " still had ", units, ": auto scaling takes minutes");
}
inline std::string LabScaledToMaximum(std::string_view resource, std::string_view units) {
  return Concat(resource, " had ", units, ", the maximum of its auto scaling");
}
inline std::string LabOwnMaximum(std::string_view resource) {
  return Concat(resource, " met the maximum that its owner has set");
}
inline std::string LabQuota(std::string_view resource, std::string_view units) {
  return Concat(resource, " met the account's quota of a table, ", units);
}

// --- the verdict

inline std::string LabHelpUnits(bool is_write) {
  return Concat("more ", is_write ? "write" : "read", " units, auto scaling, or on demand");
}
inline std::string LabHelpScaling(bool is_at_maximum) {
  return is_at_maximum ? "a higher maximum of auto scaling, or on demand"
                       : "a higher minimum or a lower target of auto scaling, or on demand";
}
inline std::string LabHelpWarm() { return "warm throughput, or a load that grows more slowly"; }
inline std::string LabHelpShare(bool is_index) {
  return Concat("more units, ", is_index ? "more shards of the index" : "more shards of its keys",
                ", or another key");
}
inline std::string LabHelpWrites(bool is_index) {
  return is_index ? "more shards of the index, or another key for it"
                  : "more shards of its keys, another key, or a queue that collects writes";
}
inline std::string LabHelpReads(bool reads_strongly) {
  return Concat(reads_strongly ? "eventually consistent reads, " : "",
                "a cache, copies of what is hot, or another key");
}
inline std::string LabHelpMaximum() { return "a higher maximum"; }
inline std::string LabHelpQuota() { return "a higher quota of the table, or several tables"; }
inline std::string LabThrottledFinding(std::string_view share, std::string_view resource,
                                       bool is_write, std::string_view throttled,
                                       std::string_view attempts, std::string_view when,
                                       std::string_view why, std::string_view helps) {
  return Concat(share, " of the ", is_write ? "writes" : "reads", " of ", resource, " (", throttled,
                " of ", attempts, " attempts) were throttled ", when, ": ", why,
                ". What helps: ", helps, ".");
}
// For throttles by an unknown limit.
inline std::string LabThrottledSomehow(std::string_view share, std::string_view throttled,
                                       std::string_view attempts) {
  return Concat(share, " of all attempts (", throttled, " of ", attempts,
                ") were throttled; the answers do not say by which limit.");
}
inline std::string LabBurstFinding(std::string_view resource, std::string_view units,
                                   std::string_view provisioned, bool is_write,
                                   std::string_view when, std::string_view part,
                                   std::string_view time, std::string_view helps) {
  return Concat(resource, " consumed ", units, " of ", provisioned, " provisioned ",
                is_write ? "write" : "read", " units a second ", when,
                ": burst capacity carried it, and ", part,
                " of that was gone; at that load it is empty after ", time,
                ". Do not count on it. What helps: ", helps, ".");
}
inline std::string LabHelpCollections() { return "shards of the partition key, or no local index"; }
inline std::string LabFullCollections(size_t collections, std::string_view key) {
  return Concat(collections == 1 ? "the item collection"
                                 : Concat(collections, " item collections, the first that"),
                " of ", key, collections == 1 ? " has" : ", have",
                " the 10 GB that there may be beside local indexes");
}
// `which`: the text of LabFullCollections.
inline std::string LabFullFinding(std::string_view share, std::string_view resource,
                                  std::string_view refused, std::string_view operations,
                                  std::string_view when, std::string_view which,
                                  std::string_view helps) {
  return Concat(share, " of the operations on ", resource, " (", refused, " of ", operations,
                ") were refused ", when, ": ", which, ". What helps: ", helps, ".");
}
inline std::string LabStreamKeepsUp(bool is_one) { return is_one ? "keeps up" : "keep up"; }
inline std::string LabStreamBehind(bool is_one, std::string_view begin, std::string_view most,
                                   std::string_view at_end) {
  return Concat(is_one ? "falls" : "fall", " behind from ", begin, " on, by ", most,
                " s of reading at most and ", at_end, " s at the end");
}
// `answered`: the calls that are answered; empty: all.
inline std::string LabStreamShards(size_t shards, std::string_view calls,
                                   std::string_view answered) {
  return Concat(shards == 1 ? "its only shard" : Concat("each of its ", shards, " shards"),
                " is asked ", calls, " times a second",
                answered.empty() ? "" : Concat(", of which ", answered, " are answered"));
}
inline std::string LabStreamLoad(std::string_view records, std::string_view bytes) {
  return Concat("the most that one of them got in a second is ", records, " records, ", bytes);
}
inline std::string LabHelpStream(bool are_many) {
  return are_many ? "two readers at most, and what passes records on behind one of them"
                  : "a view with fewer images, or fewer readers";
}
// `helps`: may be empty.
inline std::string LabStreamFinding(int64_t readers, std::string_view table, std::string_view how,
                                    std::string_view shards, std::string_view load,
                                    std::string_view helps) {
  return Concat("The ", readers, readers == 1 ? " reader" : " readers", " of the stream of ", table,
                " ", how, ": ", shards, ", and ", load, ".",
                helps.empty() ? "" : Concat(" What helps: ", helps, "."));
}
// `kind`: the most frequent one.
inline std::string LabErrorsFinding(std::string_view share, std::string_view errors,
                                    std::string_view operations, std::string_view kind) {
  return Concat(share, " of the operations (", errors, " of ", operations,
                ") ended in errors, most of them: ", kind, ".");
}
inline std::string LabTookOfUnits(std::string_view resource, std::string_view taken,
                                  std::string_view units, bool is_on_demand) {
  return Concat(resource, " took ", taken, " of the ", units,
                is_on_demand ? " that it was warm for" : " that are provisioned",
                ", in its busiest minute");
}
inline std::string LabTookOfPartition(std::string_view key, std::string_view resource,
                                      std::string_view taken, std::string_view most) {
  return Concat("key ", key, " of ", resource, " took ", taken, " of its partition's ", most,
                " on average");
}
inline std::string LabReserve(std::string_view part, std::string_view why) {
  return Concat("; the least that was left in reserve is ", part, ": ", why);
}
// `reserve`: may be empty.
inline std::string LabServedFinding(std::string_view share, std::string_view operations,
                                    std::string_view reserve) {
  return Concat("Nothing was throttled, and ", share, " of ", operations, " operations were served",
                reserve, ".");
}
inline std::string LabNamedFinding(std::string_view design, std::string_view sentence) {
  return Concat(design, ": ", sentence);
}
inline std::string LabMoreFindings(size_t more) {
  return Concat("And ", more, " more: the tables below, or --json.");
}
inline std::string LabAskAdvice() {
  return "  dynolith lab advise finds the cheapest design that serves.\n";
}

// --- what an experiment expects

inline std::string LabMilliseconds(std::string_view milliseconds) {
  return Concat(milliseconds, " ms");
}
inline std::string LabNothingServed() { return "nothing served"; }
inline std::string LabExpected(bool is_met, std::string_view what, std::string_view wanted,
                               std::string_view found) {
  return Concat(is_met ? "As expected: " : "NOT as expected: ", what, " ", wanted, ", found ",
                found, ".");
}
inline std::string LabExpectedServed(bool is_met, std::string_view wanted, std::string_view found,
                                     std::string_view access) {
  return LabExpected(is_met, "served of each access at least", wanted,
                     Concat(found, " of ", access));
}
inline std::string LabExpectedP99(bool is_met, std::string_view wanted, std::string_view found,
                                  std::string_view access) {
  return LabExpected(is_met, "p99 of each access at most", wanted, Concat(found, " of ", access));
}
inline std::string LabExpectedCost(bool is_met, std::string_view wanted, std::string_view found,
                                   std::string_view currency, std::string_view no_price) {
  return LabExpected(
      is_met, "a month at most", Concat(wanted, " ", currency),
      Concat(found, " ", currency, no_price.empty() ? "" : Concat(", but there is ", no_price)));
}
// `design`: may be empty.
inline std::string LabNoLatencies(std::string_view file, std::string_view design) {
  return Concat(file, ": experiment.expect.p99",
                design.empty() ? "" : Concat(" of design ", design),
                ": a simulation has no latencies but waits for other attempts, and without a "
                "[client] nothing is tried again; give it one, or a latency, or use dynolith lab "
                "measure");
}

// --- two results

// For an experiment without designs.
inline std::string LabOnlyDesign() { return "as it is"; }
inline std::string LabNoResult(std::string_view file) {
  return Concat(file, " is no result: it wants what --json of lab simulate or lab measure writes");
}
// `version`: may be empty.
inline std::string LabOtherResultVersion(std::string_view file, std::string_view version,
                                         int wanted) {
  return Concat(file, " is a result of ",
                version.empty() ? std::string("an older version") : Concat("version ", version),
                "; compared are those of version ", wanted, ": write it anew with --json");
}
inline std::string LabResultLacks(std::string_view path) { return Concat(path, " is missing"); }
inline std::string LabOtherCurrency(std::string_view before, std::string_view its,
                                    std::string_view after, std::string_view other) {
  return Concat("costs of ", before, " are in ", its, ", those of ", after, " in ", other);
}
inline std::string LabDesignMissing(std::string_view file, std::string_view design,
                                    std::string_view names) {
  return Concat(file, " has no design ", design.empty() ? LabOnlyDesign() : std::string(design),
                "; it has ", names.empty() ? "none" : names);
}
inline std::string LabCompared(std::string_view before, std::string_view after) {
  return Concat("From ", before, " to ", after, "\n");
}
inline std::string LabNothingChanged(std::string_view design) {
  return Concat("\n  ", design, ": nothing is different\n");
}
inline std::string LabDesignAdded(std::string_view design, std::string_view file) {
  return Concat("\n  ", design, ": only in ", file, "\n");
}
inline std::string LabNoTolerance(std::string_view text) {
  return Concat(text,
                " is neither a percentage, such as 5%, nor one of a figure: served=1%, month=5%, "
                "p99=20%");
}
inline std::string LabWorseWithin(std::string_view tolerated) {
  return Concat("worse, within ", tolerated);
}
inline std::string LabChanged() { return "different"; }
inline std::string LabBefore() { return "before"; }
inline std::string LabAfter() { return "after"; }
inline std::string LabWorse() { return "worse"; }
inline std::string LabServedPart() { return "served"; }
inline std::string LabMonth(std::string_view currency) { return Concat(currency, "/month"); }
inline std::string LabThrottles(std::string_view limit) {
  return Concat("throttled by the ", limit);
}
inline std::string LabHottestKey(std::string_view resource) {
  return Concat("hottest key of ", resource);
}
inline std::string LabNoHotKey() { return "none"; }
inline std::string LabP99(std::string_view access) { return Concat("p99 of ", access); }

// --- the summary

inline std::string LabEvenKeys() { return "none: even over all keys"; }
inline std::string LabReason(std::string_view limit, std::string_view resource, bool is_write) {
  return Concat(limit, " of ", resource, is_write ? " (writes)" : " (reads)");
}
inline std::string LabEachWaited(std::string_view milliseconds) {
  return Concat(milliseconds, " ms each");
}
inline std::string LabScansDone(std::string_view access, uint64_t scans, std::string_view seconds) {
  return Concat("    ", access, ": ", scans, scans == 1 ? " scan" : " scans, each", " done in ",
                seconds, " s\n");
}
inline std::string LabSplits(std::string_view resource, size_t splits, size_t within,
                             std::string_view first, std::string_view last) {
  return Concat("    ", resource, ": ", splits, splits == 1 ? " split" : " splits",
                within == 0 ? "" : Concat(" (", within, " within one partition key)"),
                splits == 1 ? Concat(" after ", first)
                            : Concat(", the first after ", first, ", the last after ", last),
                "\n");
}
inline std::string LabScalings(std::string_view resource, std::string_view kind, size_t up,
                               size_t down, std::string_view least, std::string_view most,
                               std::string_view mean) {
  return Concat("    ", resource, ": ", kind, " units scaled up ", up, up == 1 ? " time" : " times",
                " and down ", down, down == 1 ? " time" : " times", ", from ", least, " to ", most,
                ", on average ", mean, "\n");
}
inline std::string LabReplicated(std::string_view resource, size_t replicas,
                                 std::string_view units) {
  return Concat("    ", resource, ": ", replicas, replicas == 1 ? " replica" : " replicas",
                " in other regions took ", units, " replicated write units/s\n");
}
// `key`: the key with most of the throttles; may be empty.
inline std::string LabThrottledBy(std::string_view resource, bool is_write, std::string_view rate,
                                  std::string_view share, std::string_view limit,
                                  std::string_view key) {
  return Concat("    ", resource, ": ", rate, is_write ? " writes/s (" : " reads/s (", share,
                ") throttled by the ", limit, key.empty() ? "" : Concat(", most of key ", key),
                "\n");
}
// --- prices

inline std::string_view LabOnDemandPosition(bool is_write) {
  return is_write ? "writes on demand" : "reads on demand";
}
inline std::string_view LabProvisionedPosition(bool is_write) {
  return is_write ? "provisioned write units" : "provisioned read units";
}
// The reserved capacity that the experiment has.
inline std::string LabReservedChosen(std::string_view term) { return Concat(term, ", as billed"); }
// If something is on demand.
inline std::string LabReservedAllProvisioned(std::string_view term) {
  return Concat(term, ", if all is provisioned");
}
// In place of a table or an index, since reserved units are the account's.
inline std::string LabReservedResource(std::string_view term) {
  return Concat("reserved for ", term);
}
inline std::string_view LabReservedPosition(bool is_write) {
  return is_write ? "100 write units, with their upfront" : "100 read units, with their upfront";
}
inline std::string LabReservedInVain(std::string_view units, bool is_write, std::string_view term,
                                     std::string_view used) {
  return Concat("the ", units, is_write ? " write" : " read", " units that are reserved for ", term,
                " cost more than they save: ", used,
                " of them are used; only provisioned units of class Standard use them");
}
inline std::string LabNoPrice(std::string_view position, std::string_view region) {
  return Concat("no price known for ", position, " in ", region);
}
inline std::string LabNotInSum(std::string_view no_price) {
  return Concat(no_price,
                ", so it is in no sum; add it to a copy of dynolith lab prices and give that "
                "with --prices");
}
inline std::string LabCannotCompare(std::string_view no_price) {
  return Concat(no_price,
                ", so ways to pay cannot be compared; add it to a copy of dynolith lab prices "
                "and give that with --prices");
}
inline std::string LabNoPrices(std::string_view region, std::string_view nearest,
                               std::string_view regions) {
  return Concat("no prices known of ", region,
                nearest.empty() ? Concat("; there are those of ", regions)
                                : Concat("; did you mean ", nearest, "?"));
}

inline std::string LabReplicaAtHome(std::string_view table, std::string_view region) {
  return Concat("the table ", table, " is in ", region,
                ", so that is no region of a replica of it");
}
inline std::string LabNoDaxType(std::string_view type, std::string_view region,
                                std::string_view nearest, std::string_view types) {
  return Concat("no price known for DAX nodes of ", type, " in ", region,
                nearest.empty() ? Concat("; there are those of ", types)
                                : Concat("; did you mean ", nearest, "?"));
}
inline std::string LabNoTerm(std::string_view term, std::string_view region,
                             std::string_view nearest, std::string_view terms) {
  return Concat("no price known for capacity reserved for ", term, " in ", region,
                !nearest.empty() ? Concat("; did you mean ", nearest, "?")
                : terms.empty()  ? ""
                                 : Concat("; there are those for ", terms));
}
inline std::string LabTransferPosition(std::string_view region) {
  return Concat("transfer to ", region, " (at most)");
}
inline std::string LabDaxPosition(std::string_view type) { return Concat("DAX nodes of ", type); }
inline std::string LabBulkPutPosition(bool is_accelerated) {
  return is_accelerated ? "bulk put, accelerated" : "bulk put";
}
inline std::string LabBulkPutVectorPosition() { return "bulk put of vectors"; }
inline std::string LabVectors(std::string_view table, std::string_view stored,
                              std::string_view written) {
  return Concat("    ", table, ": its vector indexes hold ", stored,
                ", and writes were charged for ", written, "/s of them\n");
}
inline std::string LabSearched(std::string_view access, std::string_view bytes) {
  return Concat("    ", access, ": searches were charged for ", bytes, "/s of vectors\n");
}
// `seconds`: after its beginning; empty: it has not finished.
inline std::string LabBulkPut(std::string_view access, std::string_view items,
                              std::string_view bytes, std::string_view seconds,
                              std::string_view waited) {
  return Concat("    ", access, ": a bulk put wrote ", items, " items and was charged for ", bytes,
                seconds.empty() ? "; the run ended before it was done"
                                : Concat("; it was done after ", seconds, " s"),
                waited.empty() ? "" : Concat(", of which it waited ", waited, " s for partitions"),
                "\n");
}
inline std::string LabNoSuchDay(std::string_view design, std::string_view nearest) {
  return Concat("experiment.month names design ", design, ", which is none of those that run",
                nearest.empty() ? std::string() : Concat("; did you mean ", nearest, "?"));
}
// `day`: the design of the day; may be empty.
inline std::string LabDay(std::string_view design, std::string_view factor) {
  if (!design.empty()) return Concat("design ", design);
  return factor == "1" ? std::string("this run") : Concat(factor, " of this run's load");
}
inline std::string LabWeek(std::string_view weekdays, std::string_view weekends) {
  return Concat("    a week is five days of ", weekdays, " and two of ", weekends, "\n");
}
inline std::string LabUnknownAmount() { return "unknown"; }
inline std::string LabCosts(std::string_view currency, std::string_view on_demand,
                            std::string_view provisioned, std::string_view storage) {
  return Concat("    the units of a month: ", on_demand, " ", currency, " on demand, ", provisioned,
                " ", currency, " provisioned, storage ", storage, " ", currency, "\n");
}
inline std::string LabDoubt(std::string_view doubt) {
  return Concat("\n  Warning: ", doubt, ".\n");
}
inline std::string LabSeeds(size_t seeds, uint64_t first) {
  return Concat("By chance, with ", seeds, " seeds from ", first,
                " on; from the least to the most, and the median:");
}
inline std::string LabSpread(std::string_view least, std::string_view most,
                             std::string_view median) {
  return least == most ? std::string(least) : Concat(least, " to ", most, ", ", median);
}
inline std::string LabFraction(size_t some, size_t all) { return Concat(some, " of ", all); }
inline std::string LabUncertain() {
  return "By what is uncertain in the service, when a hot partition splits and how many eventually "
         "consistent reads it serves; from the least to the most, and the median:";
}
inline std::string LabAskForDetails() {
  return "\n  --design NAME shows one of them in detail, --csv and --json all.\n";
}
inline std::string LabPricesSource(std::string_view region, std::string_view date) {
  return Concat(region, ", ", date);
}
inline std::string LabFooter(std::string_view time, std::string_view decisions, uint64_t seed,
                             std::string_view prices) {
  return Concat("\n  ", time, " simulated, ", decisions, " decisions, seed ", seed, "; prices of ",
                prices, " (--region for others, --prices FILE for your own)\n");
}
inline std::string LabStopped(std::string_view duration) {
  return Concat("  Stopped before its end: it would have lasted ", duration, ".\n");
}

// ===== Traces of requests: writing them, and files that are not traces.

// --- what a trace holds

inline std::string TraceHolds(std::string_view file, std::string_view requests, size_t files,
                              std::string_view bytes, bool has_plain_keys) {
  return Concat(file, ": ", requests, " requests, keys ", has_plain_keys ? "plain" : "hashed", ", ",
                files, files == 1 ? " file, " : " files, ", bytes, "\n");
}
inline std::string TracePeriod(std::string_view begin, std::string_view end,
                               std::string_view length) {
  return Concat("  from ", begin, " to ", end, " UTC (", length, ")\n");
}
inline std::string TraceDropped(uint64_t requests) {
  return Concat("  ", requests, requests == 1 ? " request was" : " requests were",
                " dropped: they came faster than the trace could be written\n");
}

// ===== Measured runs of the lab: the servers, and remarks on the figures.

// --- the summary

inline std::string LabMeasuredOn(std::string_view target, std::string_view warm_up) {
  return Concat("    measured on ", target, ", after a warm-up of ", warm_up, "\n");
}
inline std::string LabNote(std::string_view note) { return Concat("    ", note, "\n"); }
inline std::string LabAccessErrors(std::string_view access, uint64_t count, std::string_view kind) {
  return Concat("    ", access, ": ", count, count == 1 ? " error: " : " errors: ", kind, "\n");
}
inline std::string LabExpired(std::string_view resource, std::string_view items,
                              std::string_view units) {
  return Concat("    ", resource, ": time to live deleted ", items,
                ", for no write units here and ", units, " in each replica\n");
}
inline std::string LabFailedConditions(std::string_view access, std::string_view part) {
  return Concat("    ", access, ": the condition of ", part,
                " of what was served failed, which costs write units and changes nothing\n");
}
inline std::string LabMeasureFooter(std::string_view time, std::string_view calls, uint64_t seed,
                                    std::string_view prices) {
  return Concat("\n  ", time, " measured, ", calls, " calls, seed ", seed, "; prices of ", prices,
                " (--region for others, --prices FILE for your own)\n");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_LAB_REPORT_MESSAGES_H_
