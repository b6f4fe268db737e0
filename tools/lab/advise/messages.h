// The texts of the lab's advice: how designs are called, and why some of them do not do.
#ifndef DYNOLITH_TOOLS_LAB_ADVISE_MESSAGES_H_
#define DYNOLITH_TOOLS_LAB_ADVISE_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- names of designs

// Nothing of it is open.
inline std::string AdviceAsItIs() { return "as it is"; }
inline std::string AdviceOnDemand() { return "on demand"; }
inline std::string AdviceProvisioned() { return "provisioned "; }
inline std::string AdviceScaled(std::string_view percent) {
  return Concat("auto scaling at ", percent, " % ");
}
inline std::string AdviceFrom(std::string_view units) { return Concat("from ", units); }
inline std::string AdviceShards(int64_t shards, std::string_view of) {
  return Concat(shards, shards == 1 ? " shard of " : " shards of ", of);
}
inline std::string AdviceSuffix(std::string_view from) {
  return from.empty() ? "random suffix" : Concat("suffix from ", from);
}

// --- why something was throttled

inline std::string AdviceUnits(std::string_view units, bool is_write) {
  return Concat(units, is_write ? " write" : " read", " units a second");
}
inline std::string AdviceFromOn(std::string_view begin) { return Concat("from ", begin, " on"); }
inline std::string AdviceFromTo(std::string_view begin, std::string_view end) {
  return Concat("from ", begin, " to ", end);
}
inline std::string AdviceKey(std::string_view key, std::string_view resource, std::string_view part,
                             std::string_view most) {
  return Concat("key ", key, " of ", resource, " (", part, " of it) met its partition's ", most);
}
inline std::string AdvicePartition(size_t number, size_t all, std::string_view resource,
                                   std::string_view begin, std::string_view end,
                                   std::string_view most) {
  return Concat("partition ", number, " of the ", all, " of ", resource, " (", begin, " to ", end,
                " of the hashes), more than any other, met its ", most);
}
inline std::string AdviceHottestKey(std::string_view key, std::string_view part) {
  return Concat("; no key has half of it, ", key, " has the most (", part, ")");
}
inline std::string AdviceShare(std::string_view units) { return Concat("share of ", units); }
inline std::string AdviceWarm(std::string_view resource, std::string_view units) {
  return Concat(resource, " was warm for ", units, " only, and grows by the half hour");
}
inline std::string AdviceUsedUp(std::string_view resource, std::string_view units) {
  return Concat(resource, " had used up its ", units, " and what was saved");
}
inline std::string AdviceScaledLate(std::string_view resource, std::string_view units) {
  return Concat(resource, " still had ", units, ": auto scaling takes minutes");
}
inline std::string AdviceOwnMaximum(std::string_view resource) {
  return Concat(resource, " met the maximum that its owner has set");
}
inline std::string AdviceQuota(std::string_view resource) {
  return Concat(resource, " met the quota of a table");
}
inline std::string AdviceWhy(std::string_view part, std::string_view access, std::string_view when,
                             std::string_view why) {
  return Concat(part, " of ", access, " throttled ", when, ": ", why);
}
inline std::string AdviceTooShort(std::string_view least) {
  return Concat("Auto scaling is left out: it takes minutes, and the experiment is shorter than ",
                least, ".");
}
inline std::string AdviceCannotShard(std::string_view path) {
  return Concat(
      path,
      " is left out: reads by this key are batches, transactions or cached, and could not "
      "ask every shard.");
}
inline std::string AdviceCheapest() { return "The cheapest that serves."; }
inline std::string AdviceDearer(std::string_view difference) {
  return Concat("serves, for ", difference, " % more");
}

// --- the text for a terminal

inline std::string AdviceHead(std::string_view throttled, std::string_view open, bool is_derived) {
  return Concat("At most ", throttled, " of any access may be throttled. Open",
                is_derived ? ", since there is no [advise]" : "", ": ", open, ".");
}
inline std::string AdviceRecommendation(std::string_view design) {
  return Concat("  Take: ", design, "\n");
}
// `throttled`: empty for nothing.
inline std::string AdvicePrice(std::string_view cost, std::string_view currency,
                               std::string_view throttled) {
  return Concat("        ", cost, " ", currency, " a month, ",
                throttled.empty() ? "nothing" : throttled,
                " throttled; there is no reserve beyond this load\n");
}
inline std::string AdviceNothingServes() {
  return "  No design within what is open serves this load; why stands below.\n";
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
  return Concat("\n  ", simulations, simulations == 1 ? " simulation of " : " simulations of ",
                time, ", seed ", seed, "; prices of ", region, ", ", date,
                " (--prices FILE for others)\n");
}
inline std::string AdviceStopped() {
  return "  Stopped before its end: there may be cheaper designs.\n";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_LAB_ADVISE_MESSAGES_H_
