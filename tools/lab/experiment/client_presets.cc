#include "tools/lab/experiment/client_presets.h"

namespace dynolith::lab {
namespace {

// Clients with the rules of November 2026, which are also the defaults of [client].
constexpr RetryRule kSince2026 = {};
constexpr Micros kMillisecond = kSecond / 1'000;
// Longer than any wait that its attempts can lead to: no limit.
constexpr Micros kUnlimited = kMinute;

// Earlier clients: "legacy" is the default behaviour of each, "standard" the mode of that name.
constexpr std::pair<std::string_view, RetryRule> kPresets[] = {
    {"boto3 1.44", kSince2026},
    {"aws-cli 2.40", kSince2026},
    {"javascript 3.1166", kSince2026},
    {"go 1.48", kSince2026},
    {"dotnet 4.0.103", kSince2026},
    {"c++ 1.11.926", kSince2026},
    {"legacy boto3 1",
     {.attempts = 10,
      .base = 50 * kMillisecond,
      .longest = kUnlimited,
      .jitter = Jitter::kNone,
      .quota = 0}},
    {"standard boto3 1", {.attempts = 3}},
    {"legacy javascript 2",
     {.attempts = 11, .base = 50 * kMillisecond, .longest = kUnlimited, .quota = 0}},
    {"legacy javascript 3", {.attempts = 3, .base = 500 * kMillisecond}},
    {"legacy go 1",
     {.attempts = 11,
      .base = 50 * kMillisecond,
      .longest = kUnlimited,
      .jitter = Jitter::kNone,
      .quota = 0}},
    {"legacy go 2", {.attempts = 3, .base = 2 * kSecond}},
    {"legacy dotnet 3",
     {.attempts = 11, .base = 50 * kMillisecond, .longest = kSecond * 30, .jitter = Jitter::kNone}},
    {"legacy c++ 1",
     {.attempts = 11,
      .base = 25 * kMillisecond,
      .longest = kUnlimited,
      .jitter = Jitter::kNone,
      .at_once = true,
      .quota = 0}},
    {"legacy java 1",
     {.attempts = 11, .base = 500 * kMillisecond, .jitter = Jitter::kEqual, .quota = 0}},
    {"legacy java 2",
     {.attempts = 9, .base = 500 * kMillisecond, .jitter = Jitter::kEqual, .quota = 0}}};

}  // namespace

absl::Span<const std::pair<std::string_view, RetryRule>> ClientPresets() { return kPresets; }

}  // namespace dynolith::lab
