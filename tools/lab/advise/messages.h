// The texts of the lab's advice: the names of designs, and the reasons why some do not serve.
#ifndef DYNOLITH_TOOLS_LAB_ADVISE_MESSAGES_H_
#define DYNOLITH_TOOLS_LAB_ADVISE_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- names of designs

// The name of a design without changes.
inline std::string AdviceAsItIs() { return "as it is"; }
inline std::string AdviceOnDemand() { return "on demand"; }
inline std::string AdviceProvisioned() { return "provisioned "; }
// One read and one write unit.
inline std::string AdviceOneUnit() { return "1 unit of each"; }
inline std::string AdviceScaled(std::string_view percent) {
  return Concat("auto scaling at ", percent, " % ");
}
inline std::string AdviceFrom(std::string_view units) { return Concat("from ", units); }
inline std::string AdviceShards(int64_t shards, std::string_view of) {
  return Concat(shards, shards == 1 ? " shard of " : " shards of ", of);
}
// `name`: an index's name and a space; empty for the table.
inline std::string AdviceWarmFor(std::string_view name, std::string_view units) {
  return Concat(", ", name, "warm for ", units);
}
inline std::string AdviceAtMost(std::string_view name, std::string_view units) {
  return Concat(", ", name, "at most ", units);
}
inline std::string AdviceReadEventually(std::string_view access) {
  return Concat(access, " eventually consistent");
}
inline std::string AdviceReadCached(std::string_view access, std::string_view time) {
  return Concat(access, " cached for ", time);
}
inline std::string AdviceReserved(std::string_view units, std::string_view term) {
  return Concat(units, units.empty() ? "" : " ", "reserved for ", term);
}
inline std::string AdviceSuffix(std::string_view from) {
  return from.empty() ? "random suffix" : Concat("suffix from ", from);
}

// --- why something was not served

inline std::string AdviceWhy(std::string_view part, std::string_view access, std::string_view when,
                             std::string_view why) {
  return Concat(part, " of ", access, " throttled ", when, ": ", why);
}
inline std::string AdviceWhyRefused(std::string_view part, std::string_view access,
                                    std::string_view when, std::string_view why) {
  return Concat(part, " of ", access, " refused ", when, ": ", why);
}
inline std::string AdviceTooShort(std::string_view least) {
  return Concat("Auto scaling is left out: it takes minutes, and the experiment is shorter than ",
                least, ".");
}
inline std::string AdviceCannotShard(std::string_view path) {
  return Concat(
      path,
      " is left out: reads by this key are batches, transactions, cached, of a varying number of "
      "items or followed by a write of what they read, and could not ask every shard.");
}
// `access`: which needs items that exist. `suffix`: the path of the suffix, and `from` an attribute
// from which it can be calculated, or empty.
inline std::string AdviceCannotDraw(std::string_view path, std::string_view access,
                                    std::string_view suffix, std::string_view from,
                                    bool is_suffix_open) {
  const std::string then =
      from.empty() ? std::string(
                         ", and there is no other attribute of its table's key to "
                         "calculate one from")
      : is_suffix_open ? std::string(", so only a calculated one is tried")
                       : Concat("; open ", suffix, " to calculate it from ", from);
  return Concat(path, " is left out with a drawn suffix: ", access,
                " needs items that exist, and would ask another shard than theirs", then, ".");
}
// Of every design; or of the named one.
inline std::string AdviceDoubt(std::string_view doubt) { return Concat("Doubt: ", doubt); }
inline std::string AdviceDoubtOf(std::string_view design, std::string_view doubt) {
  return Concat("Doubt about ", design, ": ", doubt);
}
inline std::string AdviceCheapest() { return "The cheapest that serves."; }
inline std::string AdviceDearer(std::string_view difference) {
  return Concat("serves, for ", difference, " % more");
}

inline std::string AdviceAsDear() { return "serves, for the same price"; }
// Its warm throughput costs more than it saves in a month.
inline std::string AdviceDearerAtFirst(std::string_view difference) {
  return Concat("serves, for ", difference, " % less a month, but its warm throughput costs more");
}

// --- the text for a terminal

// `reserve`: the part of every limit that is kept; may be empty.
inline std::string AdviceHead(std::string_view throttled, std::string_view serves,
                              int64_t placements, std::string_view reserve, bool burst) {
  return Concat(
      "At most ", throttled, " of any access may be throttled or refused",
      placements > 1
          ? Concat(", in ", serves, " of ", placements, " placements of the keys among the hashes")
          : "",
      reserve.empty() ? "" : Concat("; ", reserve, " of every limit is kept in reserve"),
      burst ? "; what was saved before is counted on" : "; what was saved before is not counted on",
      ".");
}
inline std::string AdviceOpen(std::string_view open, bool is_derived) {
  if (open.empty())
    return Concat("Nothing is open", is_derived ? ", since there is no [advise]" : "", ".");
  return Concat("Open", is_derived ? ", since there is no [advise]" : "", ": ", open, ".");
}
inline std::string AdvicePlacements(int64_t served, int64_t tried) {
  return Concat(served, " of ", tried);
}
inline std::string AdviceRecommendation(std::string_view design) {
  return Concat("  Take: ", design, "\n");
}
// `time`: of the run; empty if the experiment says of which days a month is composed.
inline std::string AdvicePrice(std::string_view cost, std::string_view currency,
                               std::string_view time) {
  return Concat("        ", cost, " ", currency, " a month",
                time.empty() ? "" : Concat(", if the month is as these ", time), "\n");
}
// `least`, `most`: parts of all placements, with 95 % confidence.
inline std::string AdviceServesIn(std::string_view part, int64_t served, int64_t tried,
                                  std::string_view least, std::string_view most) {
  return Concat("        It serves in ", part, " of placements (", served, " of ", tried,
                "), so of all in ", least, " to ", most, " (95 % confidence).\n");
}
// Of a design that is not tried in all placements, since too many have failed.
inline std::string AdviceFailsIn(int64_t failed, int64_t placements) {
  return Concat("fails in at least ", failed, " of ", placements);
}
inline std::string AdviceUpfront(std::string_view upfront, std::string_view currency,
                                 std::string_view term) {
  return Concat(upfront, " ", currency, " of its ", term,
                " are paid at the start; the price of a month has its part of them.");
}
inline std::string AdviceOpenReserved(std::string_view reserved, std::string_view design,
                                      std::string_view cost, std::string_view currency,
                                      std::string_view path) {
  return Concat("With ", reserved, ", ", design, " would cost ", cost, " ", currency,
                " a month: open ", path, " to compare such designs.");
}
// `against`: the cheapest design without it; empty if none serves. `days`: until it has saved its
// price; empty if it never does.
inline std::string AdviceWarmPrice(std::string_view once, std::string_view currency,
                                   std::string_view against, std::string_view days) {
  const std::string pays =
      against.empty() ? std::string("without it nothing serves")
                      : Concat("against ", against,
                               days.empty() ? " it never pays" : Concat(" it pays ", days));
  return Concat("Its warm throughput costs ", once, " ", currency, " once; ", pays, ".");
}
// `days`: empty for less than one.
inline std::string AdviceDays(std::string_view days) {
  return days.empty() ? "within a day" : Concat("after ", days, " days");
}
inline std::string AdviceMostCost(std::string_view most, std::string_view currency) {
  return Concat("With its maximum no load makes its requests cost more than ", most, " ", currency,
                " a month.");
}
inline std::string AdviceNothingServes() {
  return "  No design within what is open serves this load; why stands below.\n";
}
inline std::string AdviceHasNoFindings(std::string_view file) {
  return Concat("no design is advised, so ", file, " is not written");
}
inline std::string AdviceWhatHelps() { return "\n  What would help:\n"; }
inline std::string AdviceOpenThis(std::string_view path) { return Concat("open ", path); }
inline std::string AdviceOpenShards(std::string_view path) {
  return Concat("open ", path, ", which spreads the key over several");
}
inline std::string AdviceOpenSuffix(std::string_view path, std::string_view from) {
  return Concat("open ", path, ", with which a suffix from ", from,
                " spreads the key over several");
}
inline std::string AdviceMoreShards(std::string_view path) {
  return Concat(path, " is open, but not far enough, or not all that is hot has it in its key");
}
inline std::string AdviceOpenWarm(std::string_view path) {
  return Concat("open ", path,
                ": throughput from the first second on, for a price that is paid once");
}
inline std::string AdviceQueue(std::string_view access) {
  return Concat("collect ", access,
                " in a queue in front, if its writes of one key can be added up (aggregate)");
}
inline std::string AdviceEventual(std::string_view path) {
  return Concat("open ", path, ": eventually consistent reads take half of the units");
}
inline std::string AdviceCache(std::string_view path) {
  return Concat("open ", path, ": a cache in front answers for a second what was read of a key");
}
inline std::string AdviceNoLocalIndex(std::string_view table) {
  return Concat("global indexes of ", table,
                " instead of local ones, with which item collections have no end");
}
inline std::string AdviceCopies(int64_t copies, std::string_view key) {
  return Concat("keep ", copies, " copies of what ", key,
                " holds, each under a key of its own: a read asks any of them, a write writes all");
}
inline std::string AdviceAskForQuota() {
  return "ask for a higher quota of the table, or divide the load between tables";
}
inline std::string AdviceLessFails() { return "  Less does not do:\n"; }
inline std::string AdviceWhyNotOthers() { return "\n  Why not the others:\n"; }
inline std::string AdviceToPaste(std::string_view design) {
  return design.empty()
             ? std::string("\n  To compare those that serve, paste into the experiment:\n\n")
             : Concat(
                   "\n  To compare those that serve, paste into the experiment, with what design ",
                   design, " sets:\n\n");
}
inline std::string AdviceFooter(size_t simulations, std::string_view time, uint64_t seed,
                                std::string_view region, std::string_view date) {
  return Concat("\n  ", simulations,
                simulations == 1 ? " simulation of at most " : " simulations of at most ", time,
                ", seed ", seed, "; prices of ", region, ", ", date,
                " (--region for others, --prices FILE for your own)\n");
}
inline std::string AdviceStopped() {
  return "  Stopped before its end: there may be cheaper designs.\n";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_LAB_ADVISE_MESSAGES_H_
