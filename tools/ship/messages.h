// The texts of shipping: of a store's logs and table files to a target.
#ifndef DYNOLITH_TOOLS_SHIP_MESSAGES_H_
#define DYNOLITH_TOOLS_SHIP_MESSAGES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::ship::messages {

// `what`: an object's name or a file.
inline std::string ShippedUnreadable(std::string_view what) {
  return Concat(what, " is damaged: it is not as it was written");
}
inline std::string ShippedNewer(std::string_view what) {
  return Concat(what, " was written by a newer version of dynolith");
}
inline std::string FileUnread(std::string_view file, std::string_view reason) {
  return Concat("cannot read ", file, ": ", reason);
}
inline std::string FileUnwritten(std::string_view file, std::string_view reason) {
  return Concat("cannot write ", file, ": ", reason);
}
inline std::string LogGone(std::string_view folder, uint64_t log) {
  return Concat("log ", log, " of ", folder, " is gone before it was shipped");
}

// --- who ships

// `other`, `since`: of the store whose segment or base is the last one at the target.
inline std::string ShippedByOther(std::string_view target, std::string_view other,
                                  std::string_view since) {
  return Concat(target, " holds what the store ", other, " has shipped, last at ", since,
                ". To go on there with this folder, so that the other store can ship no more, give "
                "--ship-take-over once; else give another target");
}
inline std::string TakenOver(std::string_view target, std::string_view other) {
  return Concat("the store ", other, " has taken over ", target,
                ": writes that this server accepts from now on would be lost, so it ends. What it "
                "accepted since its last segment is in its folder only");
}

inline std::string TargetEmptied(std::string_view target) {
  return Concat(target,
                " is empty, though this store has shipped there: is its disk mounted? To "
                "begin there anew, give --ship-take-over once");
}

inline std::string ShipsOtherStore(std::string_view target, std::string_view folder) {
  return Concat(folder, " holds another store than the one that it has shipped to ", target,
                ": is its disk mounted? To go on there with this one, give --ship-take-over once; "
                "else give another target");
}

inline std::string NothingToTakeOver(std::string_view target) {
  return Concat("no store has shipped to ", target,
                " yet: is its disk mounted? To begin there, leave out --ship-take-over");
}
inline std::string NotTakenOver(std::string_view target) {
  return Concat("the store that ships to ", target, " is too fast to be replaced; try again");
}
inline std::string BaseNotShipped() { return "its base is not there yet"; }
inline std::string ShippingEnds(std::string_view target, std::string_view why) {
  return Concat("not all is at ", target,
                " at the end of this server; the next start goes on: ", why);
}
inline std::string TargetWithinStore(std::string_view target, std::string_view folder) {
  return Concat(target, " lies in the data folder ", folder,
                ": what is lost with one is lost with both");
}
inline std::string StoreWithinTarget(std::string_view target, std::string_view folder) {
  return Concat("the data folder ", folder, " lies in the target ", target,
                ": what is lost with one is lost with both");
}
inline std::string TargetForeign(std::string_view target, std::string_view folder) {
  return Concat(target, "/", folder, " holds what no store has shipped: give a target of its own");
}

// --- what happens

inline std::string ShippingTo(std::string_view target, std::string_view owner) {
  return Concat("shipping to ", target, " as store ", owner);
}
inline std::string ShippingFails(std::string_view target, std::string_view reason) {
  return Concat("shipping to ", target, " fails, and is tried again: ", reason);
}
inline std::string ShippingGoesOn(std::string_view target, std::string_view since) {
  return Concat("shipping to ", target, " goes on; it had failed since ", since);
}
inline std::string BaseNeeded(std::string_view target, std::string_view why) {
  return Concat("shipping to ", target, " goes on with a new base: ", why);
}
inline std::string RowsBesideLog() { return "rows came that are in no log (a bulk load)"; }
inline std::string LogNotKept(std::string_view reason) {
  return Concat("a log that was not shipped yet could not be kept: ", reason);
}
inline std::string BacklogTooLong(uint64_t bytes, uint64_t most) {
  return Concat(bytes, " bytes of logs wait, more than ", most, ", and were given up");
}
inline std::string StateNotWritten(std::string_view file, std::string_view reason) {
  return Concat("cannot write ", file, ": ", reason,
                "; after the next start --ship-take-over is needed");
}
inline std::string CheckpointWithoutLog(std::string_view folder) {
  return Concat("no log follows the checkpoint ", folder);
}

// --- a folder that receives

inline std::string ReceivesIntoOther(std::string_view folder) {
  return Concat(folder, " is not empty, and not what was received: give --receive another folder");
}
inline std::string ReceivesFromOther(std::string_view folder, std::string_view target) {
  return Concat(folder, " holds what was received from ", target,
                ": give --receive that one, or another folder");
}
inline std::string ReceivedWasWritten(std::string_view folder, std::string_view file) {
  return Concat(folder, " was opened for writing since it received last, so it is a store of its ",
                "own: to receive, give another folder; to go on with this one, remove ", file);
}
// `owner`, `time`: of its base.
inline std::string TargetOfOtherStore(std::string_view target, std::string_view owner,
                                      std::string_view time, std::string_view folder,
                                      std::string_view file) {
  return Concat(target, " holds another store than ", folder, ", with a base of ", time, " by ",
                owner,
                ": nothing of it is received. If it is the right one, end this server, remove ",
                folder, " and ", file, ", and start it again");
}
inline std::string SegmentsReplaced(std::string_view target) {
  return Concat(target, " had segments of another store meanwhile: they are read once more");
}
inline std::string ReceivedLogCut(std::string_view file) {
  return Concat(file, " is damaged: it is shorter than what was received; all is fetched anew");
}
inline std::string FolderReceives(std::string_view folder, std::string_view target,
                                  std::string_view file) {
  return Concat(folder, " receives what is shipped to ", target, ". To write in the place of the ",
                "store that ships, which then can ship no more, give --ship ", target,
                " --ship-take-over; to make it a store of its own, remove ", file);
}
inline std::string ReceivingFrom(std::string_view target, std::string_view time) {
  return Concat("receiving from ", target, ", now as of ", time);
}
inline std::string ReceivingFails(std::string_view target, std::string_view reason) {
  return Concat("receiving from ", target, " fails, and is tried again: ", reason);
}
inline std::string ReceivingGoesOn(std::string_view target, std::string_view since) {
  return Concat("receiving from ", target, " goes on; it had failed since ", since);
}
inline std::string ReceivingInterrupted() { return "interrupted before all was received"; }
inline std::string ReceivingNeedsBase(std::string_view target, std::string_view from,
                                      std::string_view to) {
  return Concat(target, " has segments from ", from,
                " on for which there is no base yet: what is here is as of ", to);
}
inline std::string NotTakenOverWithoutBase(std::string_view why, std::string_view file) {
  return Concat(why, ". Try again when the store that ships has made its base; to go on without ",
                "what these segments have, remove ", file);
}

// --- restore and verify

inline std::string NothingShipped(std::string_view target) {
  return Concat("there is no base in ", target, ": nothing that a store could be made of");
}
inline std::string NothingShippedBy(std::string_view target, std::string_view time,
                                    std::string_view first) {
  return Concat(target, " holds nothing from before ", time, ": its first base is of ", first);
}
inline std::string ObjectMissing(std::string_view object) { return Concat(object, " is missing"); }
inline std::string ObjectAltered(std::string_view object) {
  return Concat(object, " is damaged: its bytes do not have the checksum in its name");
}
inline std::string SegmentsApart(std::string_view object, uint64_t log, uint64_t offset,
                                 uint64_t bytes) {
  return Concat(object, " goes on at byte ", offset, " of log ", log, ", of which only ", bytes,
                " bytes were shipped before");
}
inline std::string NoBaseYet(std::string_view target, std::string_view from, std::string_view to) {
  return Concat(target, " has segments from ", from,
                " on for which there is no base yet. Restore the state before them by --at ", to,
                ", or try again when the store that ships them has made its base");
}
inline std::string KeyNeeded(std::string_view target) {
  return Concat(target, " holds an encrypted store: give --encryption-key");
}
inline std::string KeyNotNeeded(std::string_view target) {
  return Concat(target, " holds a store that is not encrypted, but a key was given");
}
inline std::string ShippedRestored(std::string_view folder, std::string_view target,
                                   std::string_view time, std::string_view base, uint64_t segments,
                                   uint64_t bytes) {
  return Concat(folder, ": restored from ", target, " as of ", time, " (base ", base, ", ",
                segments, " segments, ", bytes, " bytes)\n");
}
inline std::string ShippedBase(std::string_view name, std::string_view time, uint64_t files,
                               uint64_t bytes, bool is_whole) {
  return Concat(name, "  ", time, "  ", files, " files, ", bytes, " bytes",
                is_whole ? "" : ", DAMAGED", "\n");
}
inline std::string ShippedSummary(std::string_view target, uint64_t bases, uint64_t segments,
                                  std::string_view last, uint64_t damages) {
  return Concat(target, ": ", bases, " bases, ", segments, " segments, the last of ", last, "; ",
                damages, " damages\n");
}

}  // namespace dynolith::ship::messages

#endif  // DYNOLITH_TOOLS_SHIP_MESSAGES_H_
