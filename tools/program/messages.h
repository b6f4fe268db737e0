// The texts of the program's commands.
#ifndef DYNOLITH_TOOLS_PROGRAM_MESSAGES_H_
#define DYNOLITH_TOOLS_PROGRAM_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "engine/base/strings.h"
#include "tools/files/messages.h"

namespace dynolith::messages {

// ===== The program `dynolith`.

// In front of everything on standard error.
inline std::string Failed(std::string_view reason) { return Concat("dynolith: ", reason, "\n"); }

// --- the command line

// `nearest` is empty if nothing is near.
inline std::string DidYouMean(std::string_view nearest) {
  return nearest.empty() ? std::string() : Concat("; did you mean ", nearest, "?");
}
// `command` as it was given: "dynolith serve".
inline std::string UnknownOption(std::string_view word, std::string_view command,
                                 std::string_view nearest) {
  return Concat(word, " is no option of ", command, DidYouMean(nearest), "\n");
}
// `known` are all commands that there are.
inline std::string UnknownCommand(std::string_view word, std::string_view nearest,
                                  std::string_view known) {
  return Concat(word, " is no command", DidYouMean(nearest),
                nearest.empty() ? Concat("; there are ", known) : "", "\n");
}
inline std::string CommandMissing(std::string_view known) {
  return Concat("a command is missing; there are ", known, "\n");
}
inline std::string WordTooMany(std::string_view word, std::string_view command) {
  return Concat(command, " does not know what to do with ", word, "\n");
}
inline std::string ValueMissing(std::string_view option) {
  return Concat(option, " wants a value\n");
}
inline std::string WrongUsage(std::string_view reason) { return Concat(reason, "\n"); }
inline std::string AskForHelp() { return "Run with --help for more information.\n"; }

// --- store

// What the line that says that a server is ready calls it; what orders the records of streams.
inline std::string StampedStore(std::string_view place, bool by_counter) {
  return Concat(place, by_counter ? ", streams ordered by a counter"
                                  : ", streams ordered by transaction ids");
}
inline std::string StoreInitialised() { return "the store is made\n"; }
inline std::string StoreUpgraded(int before, int now) {
  return before == now
             ? Concat("the store is of version ", now, " already\n")
             : Concat("the store was of version ", before, ", and is of version ", now, " now\n");
}

// --- key

// `reason`: of the last of it; an earlier failure may have none.
inline std::string OutputNotWritten(std::string_view reason) {
  return Concat("standard output could not be written: ", reason);
}

// `databases`: those with names.
inline std::string KeyRotated(std::string_view folder, size_t databases, size_t snapshots) {
  return Concat(folder, databases == 0 ? "" : Concat(", ", databases, " named database"),
                databases > 1 ? "s" : "", " and ", snapshots,
                snapshots == 1 ? " snapshot" : " snapshots", " open with the new key now\n");
}
inline std::string KeysRenewed(std::string_view folder, uint32_t newest, size_t retired) {
  return Concat(folder, " is written with data key ", newest, "; ", retired,
                retired == 1 ? " earlier one is forgotten\n" : " earlier ones are forgotten\n");
}

// --- serve

inline std::string NotBetween(std::string_view value, std::string_view least,
                              std::string_view most) {
  return Concat(value, " is not a number from ", least, " to ", most);
}
inline std::string EncryptionKeyOfServer(std::string_view url) {
  return Concat(
      "the key of ", url,
      " is its own: give --encryption-key to the server, or name its data folder while it "
      "does not run");
}
inline std::string MemoryBudgetOfServer(std::string_view url) {
  return Concat("the memory of ", url,
                " is its own: give --memory-budget to the server, or name its data folder while it "
                "does not run");
}
inline std::string NotNameAndValue(std::string_view value) {
  return Concat("\"", value, "\" is no NAME=VALUE");
}
inline std::string PathLikeAnOption(std::string_view value) {
  return Concat("wants a path, and ", value, " looks like an option; ./", value, " if it is meant");
}
inline std::string NotANetwork(std::string_view value) {
  return Concat("\"", value, "\" is no network such as 10.0.0.0/8 or fd00::/8, and no address");
}
inline std::string NotAHostToAllow(std::string_view value) {
  return Concat("\"", value,
                "\" is no name such as db.example, without scheme and port, and not *");
}
inline std::string NotAnOriginToAllow(std::string_view value) {
  return Concat("\"", value,
                "\" is no origin such as https://app.example or http://app.example:3000, not null "
                "and not *");
}

// --- check

struct CheckCounts {
  uint64_t tables = 0;
  uint64_t backups = 0;
  uint64_t items = 0;  // of tables and backups
  uint64_t index_entries = 0;
  uint64_t stream_records = 0;
  uint64_t expiry_rows = 0;
  uint64_t stale_expiry_rows = 0;  // among them
  uint64_t history_records = 0;
  uint64_t stale_history_records = 0;  // among them
  uint64_t replica_rows = 0;
  uint64_t stale_replica_rows = 0;  // among them
  uint64_t disagreements = 0;
};
inline std::string Counted(uint64_t count, std::string_view one, std::string_view many) {
  return Concat(count, " ", count == 1 ? one : many);
}
inline std::string CheckLine(std::string_view line, uint64_t times) {
  return times == 1 ? Concat(line, "\n") : Concat(line, " (", times, " times)\n");
}
inline std::string CheckSummaryLine(std::string_view folder, const CheckCounts& counts) {
  return Concat(
      folder, ": ", Counted(counts.tables, "table", "tables"), ", ",
      Counted(counts.backups, "backup", "backups"), ", ", Counted(counts.items, "item", "items"),
      ", ", Counted(counts.index_entries, "index entry", "index entries"), ", ",
      Counted(counts.stream_records, "stream record", "stream records"), ", ",
      Counted(counts.expiry_rows, "expiry row", "expiry rows"), " (", counts.stale_expiry_rows,
      " stale), ", Counted(counts.history_records, "history record", "history records"), " (",
      counts.stale_history_records, " stale), ",
      counts.replica_rows == 0
          ? ""
          : Concat(Counted(counts.replica_rows, "row of replicas", "rows of replicas"), " (",
                   counts.stale_replica_rows, " stale), "),
      Counted(counts.disagreements, "disagreement", "disagreements"), "\n");
}

// --- dissect

inline std::string CannotRead(std::string_view file, std::string_view reason) {
  return Concat("cannot read ", file, ": ", reason);
}
inline std::string NotHex(std::string_view text) {
  return Concat("not an even number of hexadecimal digits: ", text);
}
inline std::string NoSuchTable(std::string_view table) {
  return Concat("there is no table ", table);
}
inline std::string NoSuchIndexInTable(std::string_view table, std::string_view index) {
  return Concat("table ", table, " has no index ", index);
}
inline std::string KeyTextsWanted(size_t wanted, size_t given) {
  return Concat("the partition key has ", wanted, " attributes, but ", given, " were given");
}
inline std::string SortKeyTextUnwanted() { return "more sort key values than sort key attributes"; }
inline std::string RowHeading(std::string_view key_text, size_t key_bytes, size_t value_bytes) {
  return Concat("row ", key_text, ": key of ", key_bytes, " bytes, value of ", value_bytes,
                " bytes\n");
}
inline std::string RowCount(uint64_t rows) { return Counted(rows, "row", "rows") + "\n"; }

// ===== Files of tables and items that are loaded or written.

// --- what has been done

// What a line of items ends with.
inline std::string DesignRest(uint64_t not_taken, uint64_t errors) {
  std::string text;
  if (not_taken > 0) {
    text += Concat("; ", DesignCounted(not_taken, "item"), " left out by --filter or --sample");
  }
  if (errors > 0) text += Concat("; ", DesignCounted(errors, "error"));
  return text + "\n";
}
inline std::string DesignLoaded(std::string_view target, uint64_t made, uint64_t kept,
                                uint64_t items, uint64_t left_out, uint64_t not_taken,
                                uint64_t errors) {
  std::string text =
      Concat(target, ": ", DesignCounted(made, "table"), " made, ", DesignCounted(items, "item"));
  if (kept > 0) {
    text += Concat("; ", DesignCounted(kept, "table"), " kept, ", DesignCounted(left_out, "item"),
                   " for ", kept == 1 ? "it" : "them", " left out");
  }
  return text + DesignRest(not_taken, errors);
}
inline std::string DesignStopped() { return "stopped before the end; what has been written stays"; }
inline std::string DesignStoppedWithJournal() {
  return "stopped before the end; the same command goes on from there";
}
inline std::string DumpLine(std::string_view folder, uint64_t tables, uint64_t items,
                            uint64_t not_taken, uint64_t errors) {
  return Concat(folder, ": ", DesignCounted(tables, "table"), ", ", DesignCounted(items, "item"),
                DesignRest(not_taken, errors));
}
// "12.3 MB"
inline std::string DesignBytes(uint64_t bytes) {
  const uint64_t tenths = bytes / 100'000;
  return Concat(tenths / 10, ".", tenths % 10, " MB");
}
// "1:02:03", "2:03"
inline std::string DesignTime(uint64_t seconds) {
  const auto two = [](uint64_t number) { return Concat(number < 10 ? "0" : "", number); };
  const uint64_t minutes = seconds / 60;
  if (minutes < 60) return Concat(minutes, ":", two(seconds % 60));
  return Concat(minutes / 60, ":", two(minutes % 60), ":", two(seconds % 60));
}
struct DesignSpeed {
  uint64_t items = 0;
  uint64_t bytes = 0;
  uint64_t bytes_all = 0;  // 0: not known
  uint64_t items_a_second = 0;
  uint64_t bytes_a_second = 0;
  uint64_t seconds_left = 0;
  bool is_sorting = false;
};
// 100 items, 2.5 MB of 10.0 MB; 50 items and 1.2 MB a second, 0:06 left
inline std::string DesignProgress(const DesignSpeed& speed) {
  std::string text = Concat(speed.items, " items");
  if (speed.bytes_all == 0) return Concat(text, ", ", speed.items_a_second, " a second");
  text += Concat(", ", DesignBytes(speed.bytes), " of ", DesignBytes(speed.bytes_all), "; ");
  text +=
      Concat(speed.items_a_second, " items and ", DesignBytes(speed.bytes_a_second), " a second");
  if (speed.is_sorting) return text + "; sorting them and their index entries";
  return speed.bytes_a_second == 0 ? text
                                   : Concat(text, ", ", DesignTime(speed.seconds_left), " left");
}

// ===== `dynolith backup`, `restore` and `verify`: copies of a whole store in a backup folder.

inline std::string FilesAndBytes(uint64_t files, uint64_t bytes) {
  return Concat(files, files == 1 ? " file, " : " files, ", bytes, bytes == 1 ? " byte" : " bytes");
}

// --- files and folders

inline std::string BackupMadeButMissing(std::string_view made, std::string_view reason) {
  return Concat(made, " was made, but ", reason);
}

// --- backup

inline std::string BackupNotAllRemoved(std::string_view reason) {
  return Concat("the backup was made, but not all that should go was removed: ", reason);
}
// Two things that went wrong.
inline std::string BackupBothFailed(std::string_view first, std::string_view second) {
  return Concat(first, "; ", second);
}
inline std::string BackupLine(std::string_view folder, std::string_view name, uint64_t files,
                              uint64_t bytes, uint64_t new_files, uint64_t new_bytes) {
  return Concat(folder, ": ", name, ": ", FilesAndBytes(files, bytes),
                "; new: ", FilesAndBytes(new_files, new_bytes), "\n");
}
inline std::string BackupRemovedLine(std::string_view folder, std::string_view name) {
  return Concat(folder, ": ", name, " was removed\n");
}

// --- the checkpoint that a backup is made of

inline std::string BackupWaitsForFolder(std::string_view folder, absl::Duration timeouts) {
  return Concat("dynolith: another process holds the data folder ", folder,
                ": waiting for it, up to ", absl::ToInt64Seconds(timeouts), " s\n");
}

// --- a server that is asked whether it answers

inline std::string ServerSilent(std::string_view url, uint64_t seconds) {
  return Concat(url, " has not answered in ", seconds, " s");
}
inline std::string ServerNotHealthy(std::string_view url) {
  return Concat(url, " answers, but not as DynamoDB does");
}

// --- restore

inline std::string RestoredLine(std::string_view folder, std::string_view name, uint64_t files,
                                uint64_t bytes) {
  return Concat(folder, ": restored ", name, ": ", FilesAndBytes(files, bytes), "\n");
}

// --- what verify finds; `file` is that of the backup folder, `name` what it is called in the store

inline std::string VerifyDamageLine(std::string_view damage) { return Concat(damage, "\n"); }
inline std::string VerifySnapshotLine(std::string_view name, std::string_view store, uint64_t files,
                                      uint64_t bytes, bool is_whole) {
  return Concat(name, ": of ", store, ", ", FilesAndBytes(files, bytes), ": ",
                is_whole ? "whole" : "damaged", "\n");
}
inline std::string VerifySummaryLine(std::string_view folder, uint64_t snapshots, uint64_t files,
                                     uint64_t bytes, bool is_quick, uint64_t damages) {
  return Concat(folder, ": ", snapshots, snapshots == 1 ? " backup, " : " backups, ",
                FilesAndBytes(files, bytes), is_quick ? ", not read; " : ", read; ", damages,
                damages == 1 ? " damage\n" : " damages\n");
}

// ===== Files of the lab that make no sense, and runs that cannot be.

// --- what belongs together

inline std::string LabNoSuchDesign(std::string_view name, std::string_view known) {
  return Concat("--design: there is no design ", name,
                known.empty() ? "; the experiment has none" : Concat("; there are ", known));
}

inline std::string LabSeedsOfDays() {
  return "--seeds shows no spread of a month that is composed of designs: give factors in "
         "experiment.month";
}
inline std::string LabFindingsOfOne() {
  return "--findings is of one design: choose it with --design";
}

// --- other files

inline std::string LabCannotWrite(std::string_view file, std::string_view reason) {
  return Concat("cannot write ", file, ": ", reason);
}
inline std::string LabShippedAlone(std::string_view path) {
  return Concat("an experiment that comes with the program cannot read ", path);
}
inline std::string LabFileIsThere(std::string_view file) {
  return Concat(file, " is there already, and stays as it is");
}
inline std::string LabNoSuchExperiment(std::string_view name, std::string_view nearest) {
  return Concat("there is neither a file nor an experiment ", name,
                nearest.empty() ? "; dynolith lab list shows those that come with the program"
                                : Concat("; did you mean ", nearest, "?"));
}
inline std::string LabBillQueriesOrFiles() {
  return "give files of metrics, or --queries with tables and indexes";
}
inline std::string LabWritten(std::string_view file) {
  return Concat(file, " is written; run it with dynolith lab simulate ", file, "\n");
}
inline std::string LabChecked(std::string_view file, size_t tables, size_t accesses, size_t designs,
                              std::string_view duration) {
  return Concat(file, ": ", tables, tables == 1 ? " table, " : " tables, ", accesses,
                accesses == 1 ? " access, " : " accesses, ", designs,
                designs == 1 ? " design, " : " designs, ", duration, "\n");
}
inline std::string LabProgress(std::string_view design, std::string_view bar, std::string_view part,
                               std::string_view simulated, std::string_view rate) {
  return Concat(design, " [", bar, "] ", part, ", ", simulated, " simulated, ", rate,
                " decisions/s");
}
inline std::string LabWarning(std::string_view text) {
  return Concat("dynolith: warning: ", text, "\n");
}

// ===== `dynolith doctor`: what it has found, and what to do about it.

inline std::string DoctorNoUrl(std::string_view url) {
  return Concat(url, " is no address of a server, such as http://127.0.0.1:8000");
}
inline std::string DoctorLine(std::string_view level, std::string_view subject,
                              std::string_view text) {
  const std::string spaces(subject.size() < 13 ? 13 - subject.size() : 1, ' ');
  return Concat(level, subject, spaces, text, "\n");
}
inline std::string DoctorRemedyLine(std::string_view remedy) {
  return Concat("       do           ", remedy, "\n");
}
inline std::string DoctorSummary(size_t wrong, size_t notes) {
  if (wrong == 0 && notes == 0) return "All is well.\n";
  if (wrong == 0) return "Nothing is wrong; what is noted may surprise.\n";
  return Concat(wrong, wrong == 1 ? " thing is wrong.\n" : " things are wrong.\n");
}

// ===== `dynolith repair`: one line for each thing that could not be read, and what was saved in
// the end.

// --- the end

inline std::string RepairSummaryLine(std::string_view folder, uint64_t table_files, uint64_t logs,
                                     uint64_t changes, uint64_t losses) {
  return Concat(folder, ": saved ", table_files,
                table_files == 1 ? " table file, " : " table files, ", changes,
                changes == 1 ? " change of " : " changes of ", logs,
                logs == 1 ? " log; " : " logs; ",
                losses == 0   ? std::string("all of it is as it was")
                : losses == 1 ? std::string("1 thing is not as it was")
                              : Concat(losses, " things are not as they were"),
                "\n");
}
// `folder`: that of databases with names.
inline std::string DatabasesLeftOut(std::string_view folder) {
  return Concat("dynolith: note: the databases in ", folder,
                " are data folders of their own, and not in it\n");
}
inline std::string RepairLossLine(std::string_view line) {
  return Concat("not as it was: ", line, "\n");
}

// ===== `dynolith top`, besides figures.

inline std::string TopWaits(std::string_view reason) { return Concat(reason, "; trying again"); }
inline std::string TopNotAUrl(std::string_view text) {
  return Concat(text, " is no server's address such as http://127.0.0.1:8000");
}

// ===== `dynolith quickstart`.

inline std::string ExampleHasNoPlace() {
  return "there is no folder for temporary files: set TMPDIR, or give --files DIR";
}
inline std::string ExampleFilesKept(std::string_view folder) {
  return Concat("Its files are in ", folder, "; dynolith load takes them, too.\n");
}
inline std::string ExampleStays(std::string_view folder) {
  return Concat("Ctrl-C ends it. What you change stays in ", folder, ".\n");
}
inline std::string ExampleGoes() {
  return "Ctrl-C ends it, and all is gone; with --data DIR it stays.\n";
}

// ===== Measured runs of the lab.

// --- while it runs

inline std::string LabLoading(std::string_view done, std::string_view all) {
  return Concat("loading items: ", done, " of ", all);
}
inline std::string LabProbing(int64_t seconds) { return Concat("probing for ", seconds, " s"); }
inline std::string LabWarmingUp(std::string_view time, std::string_view calls) {
  return Concat("warming up for ", time, ": ", calls, " calls");
}
inline std::string LabMeasureProgress(std::string_view design, std::string_view bar,
                                      std::string_view part, std::string_view time,
                                      std::string_view rate) {
  return Concat(design, " [", bar, "] ", part, ", ", time, " measured, ", rate, " calls/s");
}

// ===== The lab's advice: how designs are called, and why some of them do not do.

// --- the text for a terminal

inline std::string AdviceProgress(std::string_view bar, size_t done, size_t all,
                                  size_t simulations) {
  return Concat("advice [", bar, "] ", done, " of ", all, " kinds of designs, ", simulations,
                simulations == 1 ? " simulation" : " simulations");
}

// --- shipping

inline std::string NotADuration(std::string_view text, std::string_view least) {
  return Concat(text, " is no duration like 1s, 500ms or 24h of at least ", least);
}
inline std::string SnapshotOfShipped() {
  return "--snapshot names a backup; of what was shipped --at says which state is meant";
}
inline std::string AtOfBackup() {
  return "--at is for what dynolith serve --ship has shipped; of backups --snapshot names one";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_PROGRAM_MESSAGES_H_
