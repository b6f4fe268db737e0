#include "tools/server/otlp/trace_context.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>

#include "absl/strings/escaping.h"
#include "engine/base/strings.h"

namespace dynolith::otlp {
namespace {

constexpr size_t kTraceIdBytes = 16;
constexpr size_t kSpanIdBytes = 8;
// What a header tracestate may have at least; a longer one is not handed on.
constexpr size_t kStateBytesMax = 512;

bool IsLowerHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// The bytes of an id; empty: it is none.
std::string BytesOfId(std::string_view digits, size_t bytes) {
  if (digits.size() != 2 * bytes || !IsLowerHex(digits)) return "";
  std::string id = absl::HexStringToBytes(ToAbsl(digits));
  const bool is_zero = std::all_of(id.begin(), id.end(), [](char c) { return c == 0; });
  return is_zero ? "" : id;
}

// Takes the text before the next separator, and the separator.
std::string_view TakeUntil(char separator, std::string_view* text) {
  const std::string_view part = text->substr(0, text->find(separator));
  text->remove_prefix(std::min(part.size() + 1, text->size()));
  return part;
}

std::mt19937_64& Random() {
  // Ids must be distinct, not secret.
  thread_local std::mt19937_64 random{std::random_device{}()};
  return random;
}

std::string DrawBytes(size_t bytes) {
  std::string drawn;
  while (drawn.size() < bytes) {
    // Never zero.
    uint64_t word = Random()() | 1;
    for (size_t i = 0; i < sizeof word; ++i) drawn.push_back(static_cast<char>(word >> 8 * i));
  }
  return drawn;
}

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

std::optional<TraceContext> ParseTraceparent(std::string_view header) {
  std::string_view rest = header;
  const std::string_view version = TakeUntil('-', &rest);
  const std::string_view trace = TakeUntil('-', &rest);
  const std::string_view parent = TakeUntil('-', &rest);
  const std::string_view flags = TakeUntil('-', &rest);
  constexpr size_t kBytes = 55;
  if (version.size() != 2 || !IsLowerHex(version) || version == "ff") return std::nullopt;
  // Newer versions may have more behind it.
  if (version == "00" ? header.size() != kBytes : header.size() < kBytes) return std::nullopt;
  if (flags.size() != 2 || !IsLowerHex(flags)) return std::nullopt;
  TraceContext context = {.trace = BytesOfId(trace, kTraceIdBytes),
                          .parent = BytesOfId(parent, kSpanIdBytes)};
  if (context.trace.empty() || context.parent.empty()) return std::nullopt;
  context.sampled = (absl::HexStringToBytes(ToAbsl(flags)).front() & 1) != 0;
  return context;
}

std::optional<TraceContext> ParseAmazonTraceId(std::string_view header) {
  TraceContext context;
  while (!header.empty()) {
    std::string_view value = http::Trim(TakeUntil(';', &header));
    const std::string_view name = http::Trim(TakeUntil('=', &value));
    value = http::Trim(value);
    if (name == "Root") {
      // 1, the seconds since 1970, and 96 random bits.
      constexpr std::string_view kVersion = "1-";
      constexpr size_t kTimeDigits = 8;
      if (!value.starts_with(kVersion)) return std::nullopt;
      value.remove_prefix(kVersion.size());
      const std::string_view time = TakeUntil('-', &value);
      if (time.size() != kTimeDigits) return std::nullopt;
      context.trace = BytesOfId(Concat(time, value), kTraceIdBytes);
    } else if (name == "Parent") {
      context.parent = BytesOfId(value, kSpanIdBytes);
    } else if (name == "Sampled" && (value == "0" || value == "1")) {
      context.sampled = value == "1";
    }
  }
  if (context.trace.empty()) return std::nullopt;
  return context;
}

std::optional<TraceContext> FindTraceContext(const http::Request& request) {
  if (const auto header = request.Find("traceparent")) {
    std::optional<TraceContext> context = ParseTraceparent(*header);
    if (context) {
      const std::string_view state = request.Find("tracestate").value_or("");
      if (state.size() <= kStateBytesMax && IsPrintable(state)) context->state = state;
      return context;
    }
  }
  const auto header = request.Find("x-amzn-trace-id");
  return header ? ParseAmazonTraceId(*header) : std::nullopt;
}

TraceId DrawTraceId() { return DrawBytes(kTraceIdBytes); }
SpanId DrawSpanId() { return DrawBytes(kSpanIdBytes); }

bool IsSampled(const TraceId& trace, double ratio) {
  constexpr size_t kRandomBytes = 7;
  uint64_t random = 0;
  for (size_t i = trace.size() - kRandomBytes; i < trace.size(); ++i) {
    random = random << 8 | static_cast<unsigned char>(trace[i]);
  }
  const auto first = static_cast<uint64_t>(std::ldexp(1 - ratio, 8 * kRandomBytes));
  return random >= first;
}

}  // namespace dynolith::otlp
