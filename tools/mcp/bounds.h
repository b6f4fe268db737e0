// The bounds of the server: what it reads, what it keeps, and what a tool returns.
#ifndef DYNOLITH_TOOLS_MCP_BOUNDS_H_
#define DYNOLITH_TOOLS_MCP_BOUNDS_H_

#include <cstddef>
#include <cstdint>

namespace dynolith::mcp {

// --- messages

// A message of a client; a line, or the body of a request.
inline constexpr size_t kMessageBytesMax = size_t{4} << 20;
inline constexpr int kMessageDepthMax = 128;
// Requests of one client that have no answer yet; more are refused.
inline constexpr size_t kRequestsPendingMax = 64;
// Sessions over HTTP; a further one ends the one that was used least recently.
inline constexpr size_t kSessionsMax = 64;

// --- results

// Items, tables, keys and other elements, unless the call says otherwise.
inline constexpr int64_t kElementsUsual = 50;
inline constexpr int64_t kElementsMax = 1'000;
// The JSON of items.
inline constexpr int64_t kBytesUsual = 64 << 10;
inline constexpr int64_t kBytesMax = 1 << 20;
// The JSON of a whole result, which no tool exceeds.
inline constexpr size_t kResultBytesMax = size_t{2} << 20;
// Rows that one call of a tool may read, and calls of the service that it may make for them.
inline constexpr int64_t kRowsReadMax = 10'000;
inline constexpr int kCallsMax = 200;
// Texts of the lab, and findings of a load.
inline constexpr size_t kSummaryBytesMax = size_t{32} << 10;
inline constexpr size_t kFindingsMax = 50;

// --- time

inline constexpr int64_t kLabSecondsUsual = 10;
inline constexpr int64_t kLabSecondsMax = 120;

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_BOUNDS_H_
