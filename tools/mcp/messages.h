// The texts of the MCP server: errors for models and people, and sentences of explanations.
#ifndef DYNOLITH_TOOLS_MCP_MESSAGES_H_
#define DYNOLITH_TOOLS_MCP_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// ===== Messages of the protocol.

inline std::string McpNotAnObject() { return "a message is a JSON object"; }
inline std::string McpNotJson(size_t line, size_t column) {
  return Concat("this is no JSON in UTF-8, from line ", line, ", column ", column, " on");
}
inline std::string McpWrongId() { return "an id is a text or a whole number"; }
inline std::string McpNotVersion2() { return "\"jsonrpc\" has to be \"2.0\""; }
inline std::string McpWithoutMethod() { return "neither a method, which is a text, nor a result"; }
inline std::string McpParamsNotAnObject() { return "params are an object"; }
inline std::string McpBatchSize(size_t most) {
  return Concat("a batch has from 1 to ", most, " messages");
}
inline std::string McpNoBatches() {
  return "only revision 2025-03-26 of the protocol has batches of messages";
}
inline std::string McpMessageTooLarge(size_t most) {
  return Concat("a message has at most ", most, " bytes");
}
inline std::string McpTooManyPending(size_t most) {
  return Concat("more than ", most, " requests wait for their answers");
}
inline std::string McpNoSuchMethod(std::string_view method) {
  return Concat("there is no method ", method);
}
inline std::string McpNotInitialized() {
  return "the first request of a session is initialize; requests of revision 2026-07-28 have the "
         "revision in their _meta";
}
inline std::string McpTwiceInitialized() { return "this session is initialized already"; }
inline std::string McpWantsVersion() { return "initialize wants protocolVersion, a text"; }
inline std::string McpWrongVersion(std::string_view version) {
  return Concat("unsupported protocol version ", version);
}
inline std::string McpWantsToolName() { return "tools/call wants name, a text, and arguments"; }
inline std::string McpNoSuchTool(std::string_view name, std::string_view nearest) {
  return nearest.empty() ? Concat("there is no tool ", name)
                         : Concat("there is no tool ", name, "; did you mean ", nearest, "?");
}
inline std::string McpNoSuchPage() { return "there is no page with this cursor"; }
inline std::string McpWantsUri() { return "resources/read wants uri, a text"; }
inline std::string McpNoSuchResource(std::string_view uri) {
  return Concat("there is no resource ", uri,
                "; there are dynolith://table/NAME and dynolith://experiment/NAME");
}
inline std::string McpDescribesTable(std::string_view table) {
  return Concat("Table ", table, ": keys, indexes, size, as DescribeTable shows them");
}
inline std::string McpFailed(std::string_view reason) { return Concat("failed: ", reason); }

// What the server says of itself. `place`: from McpInMemory and the like.
inline std::string McpInstructions(std::string_view place, std::string_view allowed) {
  return Concat("DynamoDB tables ", place, ". ", allowed,
                " Results are bounded: go on with next_cursor where truncated is true. Use explain "
                "before a scan, and lab_simulate before a design.");
}
inline std::string McpReadsOnly() { return "This server only reads."; }
inline std::string McpWritesToo() { return "This server reads and writes; it deletes nothing."; }
inline std::string McpDeletesToo() {
  return "This server reads, writes and deletes, after an automatic snapshot.";
}
inline std::string McpInMemory() { return "in memory, gone at the end"; }
inline std::string McpInFolder(std::string_view folder) { return Concat("in ", folder); }
inline std::string McpAtEndpoint(std::string_view url) { return Concat("at ", url); }

// ===== HTTP.

inline std::string McpNoSuchPath(std::string_view path) {
  return Concat("there is no ", path, "; the endpoint is /mcp");
}
inline std::string McpWantsPost() {
  return "this endpoint takes POST, and DELETE of a session; it opens no streams";
}
inline std::string McpWantsToken() {
  return "this server wants its token: Authorization: Bearer TOKEN";
}
inline std::string McpWrongToken() { return "this is not the server's token"; }
inline std::string McpWrongHost(std::string_view host) {
  return Concat("without a token the server is called localhost, 127.0.0.1 or [::1], not ", host);
}
inline std::string McpWantsJson() { return "Content-Type has to be application/json"; }
inline std::string McpAcceptsJson() {
  return "Accept has to name application/json and text/event-stream";
}
inline std::string McpWantsSession() {
  return "this request wants the header Mcp-Session-Id, which initialize has answered";
}
inline std::string McpNoSuchSession() { return "there is no such session, or no longer"; }
inline std::string McpHeaderMismatch(std::string_view header) {
  return Concat("the header ", header, " does not agree with the body");
}
inline std::string McpListening(std::string_view url, std::string_view place) {
  return Concat("dynolith: MCP on ", url, "/mcp, tables ", place, "\n");
}

// ===== Options.

inline std::string McpTokenNeeded() {
  return "--http wants --token FILE, or --without-token for callers on this machine alone";
}
inline std::string McpTokenNeededForOthers(std::string_view host) {
  return Concat("other machines may reach ", host, ": --without-token is for 127.0.0.1 only");
}
inline std::string McpOptionNeedsHttp(std::string_view option) {
  return Concat(option, " is for --http only");
}
inline std::string McpDataOrEndpoint(std::string_view option) {
  return Concat(option, " is for data in this process, not for --endpoint");
}

// ===== Arguments of tools.

inline std::string McpWrongType(std::string_view path, std::string_view type) {
  return path.empty() ? Concat("the arguments have to be an ", type)
                      : Concat(path, " has to be of type ", type);
}
inline std::string McpNotAmong(std::string_view path, std::string_view words) {
  return Concat(path, " has to be one of: ", words);
}
inline std::string McpTooSmall(std::string_view path, std::string_view least,
                               std::string_view unit) {
  return Concat(path, unit.empty() ? " is at least " : " has at least ", least, unit);
}
inline std::string McpTooLarge(std::string_view path, std::string_view most,
                               std::string_view unit) {
  return Concat(path, unit.empty() ? " is at most " : " has at most ", most, unit);
}
inline std::string McpMissing(std::string_view path) { return Concat(path, " is missing"); }
inline std::string McpTwice(std::string_view path) { return Concat(path, " stands there twice"); }
inline std::string McpUnknownMember(std::string_view path, std::string_view nearest) {
  return nearest.empty() ? Concat("there is no argument ", path)
                         : Concat("there is no argument ", path, "; did you mean ", nearest, "?");
}
inline std::string McpNoSuchTag(std::string_view path, std::string_view tag) {
  return Concat(path, ": {\"", tag,
                "\": …} is no value; known are $number and $binary with a text, $string_set, "
                "$number_set and $binary_set with a list of texts, and $map with an object");
}
inline std::string McpWrongCursor() {
  return "this cursor is of another call: table, index, expressions and values have to be the same";
}

// ===== Permissions and snapshots.

inline std::string McpNotAllowed(std::string_view tool, bool deletes) {
  return Concat(tool, " is not allowed: start dynolith mcp with ",
                deletes ? "--allow-deletes" : "--allow-writes");
}
inline std::string McpNotASelect(bool reads_only) {
  return Concat("partiql_select runs SELECT only; other statements are for partiql_write",
                reads_only ? ", which needs dynolith mcp --allow-writes" : "");
}
inline std::string McpNotAWrite() {
  return "partiql_write runs INSERT, UPDATE and DELETE; SELECT is for partiql_select";
}
inline std::string McpStatementDeletes() {
  return "DELETE is not allowed: start dynolith mcp with --allow-deletes";
}
inline std::string McpUpdateDeletes() {
  return "deleting an index or a replica, and turning a stream or deletion protection off, is not "
         "allowed: start dynolith mcp with --allow-deletes";
}
inline std::string McpReplaceDeletes() {
  return "if_exists replace deletes tables, which is not allowed: start dynolith mcp with "
         "--allow-deletes";
}
inline std::string McpNoSnapshot(std::string_view reason) {
  return Concat("nothing was changed, since no snapshot could be taken before: ", reason,
                "; dynolith mcp --without-snapshots goes on without");
}
inline std::string McpNotASnapshotName(std::string_view name) {
  return Concat(name,
                " is no name of a snapshot: letters, digits, - _ and ., which is not the first");
}
inline std::string McpNameIsAutomatic(std::string_view prefix) {
  return Concat("names that begin with ", prefix, " are for automatic snapshots");
}
inline std::string McpSnapshotIsThere(std::string_view name) {
  return Concat("there is a snapshot ", name, " already; remove_snapshot removes it");
}
inline std::string McpNoSuchSnapshot(std::string_view name) {
  return Concat("there is no snapshot ", name, "; list_snapshots shows those that there are");
}

// ===== Results of tools.

inline std::string McpServiceError(std::string_view error, std::string_view message) {
  return message.empty() ? std::string(error) : Concat(error, ": ", message);
}
inline std::string McpAdminNotJson(std::string_view path) {
  return Concat(path, " has answered what is no JSON");
}
inline std::string McpAnswerLost() { return "the answer was lost by an injected fault"; }
inline std::string McpCancelled() { return "the client has cancelled the request"; }
inline std::string McpResultTooLarge(size_t bytes) {
  return Concat("the result has ", bytes, " bytes, more than a tool returns: ask for less");
}
inline std::string McpItemLeftOut(size_t bytes, size_t most) {
  return Concat("an item is left out: it has ", bytes, " bytes of JSON, more than max_bytes (",
                most, "); raise that, or read some attributes with projection");
}
inline std::string McpReadEnough(int64_t rows) {
  return Concat("ended after ", rows, " rows, of which few match: go on with next_cursor");
}
inline std::string McpAbsentOrCondition() {
  return "ConditionalCheckFailedException: there is no such item, or it does not satisfy the "
         "condition; create: true creates absent items";
}
inline std::string McpNotWatched() {
  return "keys of this table are not watched: start with --hot-keys, or switch Contributor "
         "Insights on for it";
}
inline std::string McpClockGoesByItself() {
  return "the clock is the machine's and cannot be moved; --clock manual makes one that can";
}
inline std::string McpNotADesignName(std::string_view name) {
  return Concat(name,
                " is no name of a file to load: one without folders that ends with .json, .jsonl, "
                ".ndjson, .yml, .yaml, .csv or .ion");
}
inline std::string McpNoTemporaryFolder(std::string_view reason) {
  return Concat("cannot keep the text in a temporary folder: ", reason);
}
inline std::string McpFinding(size_t line, size_t column, bool is_error, std::string_view text) {
  return Concat(line > 0 ? Concat("line ", line, ", column ", column, ": ") : "",
                is_error ? "error: " : "warning: ", text);
}

// ===== Explanations.

inline std::string McpNothingToExplain() { return "explain wants a statement, or a table"; }
inline std::string McpStatementOrTable() {
  return "explain wants either a statement, or a table with expressions";
}
inline std::string McpExplainsReads() { return "explain explains SELECT, query and scan"; }
inline std::string McpNoSuchIndex(std::string_view index, std::string_view table) {
  return Concat("the table ", table, " has no index ", index);
}
inline std::string McpTheTable(std::string_view table) { return Concat("the table ", table); }
inline std::string McpTheIndex(std::string_view index, std::string_view table) {
  return Concat("the index ", index, " of the table ", table);
}
inline std::string McpAccess(bool is_query, std::string_view what) {
  return is_query ? Concat("reads the items of the given partition key in ", what)
                  : Concat("reads all of ", what);
}
inline std::string McpReadsAll(std::string_view what, int64_t items, int64_t bytes) {
  return Concat("a scan: it reads, and pays for, all of ", what, ": ", items, " items, ", bytes,
                " bytes");
}
inline std::string McpFilterDrops() {
  return "a filter costs nothing less: what it drops has been read and is paid for";
}
inline std::string McpFilterDropsMost(int64_t dropped, int64_t scanned) {
  return Concat("the filter drops most: ", dropped, " of ", scanned, " items that were read");
}
inline std::string McpMorePages() {
  return "more than one page of 1 MB: the measured units are those of the first page";
}
inline std::string McpReadsTwice() {
  return "strongly consistent reads cost twice as much as eventually consistent ones";
}
inline std::string McpProjectedOnly(std::string_view index, std::string_view projection,
                                    bool is_global) {
  return Concat("the index ", index, " holds only some attributes (", projection, "): ",
                is_global ? "others are missing in its items"
                          : "others are fetched from the table, which costs more");
}
inline std::string McpHotKey(int rank) {
  return Concat("the partition key is number ", rank, " of the hottest ones");
}
inline std::string McpThrottledKey() { return "calls of this partition key were throttled"; }
inline std::string McpQueryInstead(std::string_view what, std::string_view key) {
  return Concat("query ", what, " instead: its partition key ", key, " is given");
}
inline std::string McpIndexWouldServe(std::string_view attribute) {
  return Concat("a global index with the partition key ", attribute, " would make this a query");
}
inline std::string McpBasisOfAll() {
  return "the size in DescribeTable, in pages of 4 KB; the service refreshes that every six hours";
}
inline std::string McpBasisMeasured() { return "measured: the query has one page"; }
inline std::string McpBasisOfItem(int64_t bytes) {
  return Concat(
      "unknown before it is measured: it depends on the items under the key, of which one "
      "has ",
      bytes, " bytes on average");
}

// ===== The lab.

inline std::string McpNoFiles(std::string_view path) {
  return Concat(path, " is not read: an experiment of a client names no files of this machine");
}
inline std::string McpShortened() { return "… (shortened)\n"; }
inline std::string McpExperimentOrModel() {
  return "either experiment or data_model is wanted, and not both";
}
inline std::string McpMetricsOrLoad() {
  return "either metrics or a load is wanted: an experiment or a data model";
}
inline std::string McpNoSuchExperiment(std::string_view name, std::string_view nearest) {
  return Concat("there is no experiment ", name,
                nearest.empty() ? "" : Concat("; did you mean ", nearest, "?"),
                "; lab_experiments lists them, and a text in TOML is one, too");
}
inline std::string McpNoSuchDesign(std::string_view design, std::string_view names) {
  return Concat("the experiment has no design ", design, "; it has: ", names);
}
inline std::string McpEndedEarly() {
  return "ended before it was complete: the figures are of what was simulated; raise seconds";
}
inline std::string McpBillHead(std::string_view currency) {
  return Concat("A month, in ", currency, ":\n");
}
inline std::string McpBillLine(std::string_view design, int64_t cents) {
  const int64_t rest = cents % 100;
  return Concat("  ", design.empty() ? "the load" : design, ": ", cents / 100, ".",
                rest < 10 ? "0" : "", rest, "\n");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_MCP_MESSAGES_H_
