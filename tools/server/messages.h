// The texts of the server: its log, its start, and who may call the admin endpoint.
#ifndef DYNOLITH_TOOLS_SERVER_MESSAGES_H_
#define DYNOLITH_TOOLS_SERVER_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"
#include "tools/files/messages.h"

namespace dynolith::messages {

// ===== A server's log.

// --- warnings at the start

// `authentication` is the option's value: "shape", "off".
inline std::string ReachableByOthers(std::string_view host, std::string_view authentication) {
  return Concat("whoever can reach ", host, " can read, change and delete every table: --auth ",
                authentication,
                " does not check signatures; listen on 127.0.0.1, or start with --auth verify "
                "--credentials FILE");
}
inline std::string CredentialsOpenToOthers(std::string_view file, std::string_view mode) {
  return Concat("other users of this machine may read or change the secret keys in ", file,
                " (mode ", mode, "); chmod 600 ", file, " keeps them out");
}

inline std::string IamNeedsFolder() {
  return "--iam audit and --iam enforce need --iam-folder DIR, and DIR needs one of them";
}
inline std::string AdminTokenOpenToOthers(std::string_view file, std::string_view mode) {
  return Concat("other users of this machine may read or change the token in ", file, " (mode ",
                mode, "); chmod 600 ", file, " keeps them out");
}
inline std::string AdminOpenToAll() {
  return "whoever can reach this server may use its admin endpoint: --admin-from names every "
         "address there is; --admin-token FILE lets in only who knows a token";
}

inline std::string OwnMemoryBudget(uint64_t limit, uint64_t budget) {
  return Concat("the control group has ", limit, " bytes of memory: --memory-budget is ", budget,
                " unless it is given");
}

// --- calls

inline std::string RequestAnswered(std::string_view method, std::string_view path,
                                   std::string_view target, int status) {
  return Concat(method, " ", path, " ", target, " ", status);
}
// The same event in a log for programs, beside its parts.
inline std::string_view RequestWasAnswered() { return "a request was answered"; }
inline std::string CallFailed() { return "a call failed by the server's own fault"; }
inline std::string ImportLeftOut() { return "an import left out a record"; }
inline std::string ImportWentWrong() { return "an import FAILED"; }
inline std::string BackgroundWorkFailed() { return "work in the background failed"; }
inline std::string PageRefused(std::string_view reason) {
  return Concat("refused a web page: ", reason);
}

// The same event in a log for programs, beside the reason.
inline std::string_view PageWasRefused() { return "refused a web page"; }

// --- the log itself

inline std::string LogLinesLost() { return "lines of the log are lost, as nobody read them"; }

// ===== The admin endpoint, and the options that belong to it.

// --- who may call

inline std::string AdminOnlyFromHere() {
  return "the admin endpoint answers only programs on this machine; --admin-token FILE or "
         "--admin-from CIDR opens it to others";
}
inline std::string AdminNotForwarded() {
  return "the admin endpoint answers nothing that a proxy has forwarded";
}
inline std::string AdminNotForPages() {
  return "the admin endpoint answers no web pages but its own";
}
inline std::string AdminHostIsNotLocal(std::string_view host) {
  return Concat("the admin endpoint is called localhost, 127.0.0.1 or [::1], not ", host);
}

// For a caller from an admitted network.
inline std::string AdminHostIsPublic(std::string_view host) {
  return Concat(
      "without a token the admin endpoint is called by an address, one word such as "
      "dynolith, or a name that ends in .local, .internal or .svc, not ",
      host);
}
inline std::string AdminWrongToken() { return "this is not the token of --admin-token"; }
// `reason`: why a token is required.
inline std::string AdminWantsToken(std::string_view reason) {
  return Concat(reason, " (Authorization: Bearer TOKEN, of --admin-token)");
}
inline std::string CannotReadAdminToken(std::string_view file, std::string_view reason) {
  return Concat("cannot read the token of the admin endpoint in ", file, ": ", reason);
}
inline std::string NoAdminToken(std::string_view file, size_t least) {
  return Concat(file, " holds no token: one word of ", least,
                " or more letters, digits and signs, such as openssl rand -hex 24 prints");
}

// --- what there is

inline std::string AdminPathsOfServer() {
  return ", GET and POST /_dynolith/databases, DELETE /_dynolith/databases/test1, "
         "GET /_dynolith/regions, POST /_dynolith/regions/lag, cut, release, skew and settle, "
         "GET and POST /_dynolith/handovers, DELETE /_dynolith/handovers/TABLE, "
         "GET /_dynolith/targets, GET /_dynolith/kinesis, GET /_dynolith/shipping, "
         "GET /_dynolith/following, GET /_dynolith/receiving, "
         "POST /_dynolith/cloudwatch, "
         "POST /_dynolith/checkpoint, POST /_dynolith/checkpoint/remove, "
         "GET /_dynolith/metrics, and pages for browsers at /_dynolith/ and /_dynolith/live";
}

// --- the clock

inline std::string ClockStartNeedsManual() { return "--clock-start is for --clock manual only"; }
// Follows the place of the data in the line Serving.
inline std::string ClockStandsAt(std::string_view time) {
  return Concat("; the clock stands at ", time);
}

// The same, of each region with a port of its own.
inline std::string RegionIsAt(std::string_view region, std::string_view url) {
  return Concat("; ", region, " on ", url);
}

// ===== The program `dynolith`.

// --- serve

inline std::string ServerUrl(std::string_view scheme, std::string_view host, uint16_t port) {
  // A URL has brackets around an IPv6 address.
  const bool in_brackets = host.find(':') != std::string_view::npos;
  return Concat(scheme, "://", in_brackets ? "[" : "", host, in_brackets ? "]" : "", ":", port);
}
// The one line that says that calls are answered from now on. `where`: from DataIn or DataInMemory.
inline std::string Serving(std::string_view url, std::string_view where) {
  return Concat("dynolith: serving DynamoDB on ", url, " (", where, ")\n");
}
inline std::string DataIn(std::string_view folder) { return Concat("data in ", folder); }
// Follows DataIn.
inline std::string_view DataIsFollowed() { return ", as another process writes it"; }
inline std::string DataIsReceived(std::string_view target) {
  return Concat(", as it is shipped to ", target);
}
inline std::string FollowNeedsFolder() {
  return "--follow needs --data: the folder that another process serves";
}
inline std::string ReceiveNeedsFolder() {
  return "--receive needs --data: the folder that is kept up with what another server ships";
}
// `flag`: --follow or --receive.
inline std::string FollowWritesNothing(std::string_view flag) {
  return Concat(flag, " only reads what another process writes: without --seed, --on-stream, ",
                "--stream-targets, --kinesis, --ship and --clock manual, which belong to that one");
}
inline std::string ServerOnlyReads(std::string_view folder) {
  return Concat("this server only reads ", folder, ": ask the one that writes to it");
}
inline std::string FollowsOneDatabase(std::string_view flag) {
  return Concat(flag, " is for one database: without --regions and --isolate");
}
inline std::string ShipNeedsFolder() {
  return "--ship needs --data: a database in memory has no logs that could be shipped";
}
inline std::string ShipNeedsOwnStore() {
  return "--ship does not work with a store that several servers use: it has no folder here";
}
inline std::string ShipOfOneDatabase() {
  return "--ship does not go with --regions, --isolate-by-region or --isolate-by-access-key: it "
         "ships one database";
}
inline std::string DataFolderWithinStore(std::string_view folder, std::string_view parent) {
  return Concat("there is no data folder ", folder, ", but ", parent,
                ", in which it would be made, is one itself: give --data ", parent,
                ", or move what is in it to ", folder);
}
inline std::string DataInStore(std::string_view place) { return Concat("data in ", place); }
inline std::string DataInMemory() { return "data in memory, gone at the end"; }
inline std::string VerifyNeedsCredentials() {
  return "--auth verify needs --credentials FILE, of lines \"access_key secret_key\"";
}
inline std::string CredentialsNeedVerify() { return "--credentials is for --auth verify only"; }

// ===== Files of tables and items that are loaded or written.

// --- results

inline std::string SeedInterrupted() {
  return "stopped while the files of --seed were loaded; a table that lacks items is kept by the "
         "next start, too";
}
inline std::string DesignErrors(uint64_t errors) {
  return Concat(DesignCounted(errors, "error"), " in what was to be loaded");
}

// ===== `dynolith backup`, `restore` and `verify`: copies of a whole store in a backup folder.

// --- the checkpoint behind a backup

inline std::string CheckpointOfMemory() {
  return "the server keeps its data in memory: there are no files to copy";
}

// ===== Traces of requests: writing them, and files that are not traces.

// --- the server

inline std::string TraceEnds() { return "requests are traced no longer"; }

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_SERVER_MESSAGES_H_
