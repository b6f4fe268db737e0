#include "tools/lab/experiment/client_presets.h"

namespace dynolith::lab {
namespace {

// Clients with the rules of November 2026, which are also the defaults of [client].
constexpr RetryRule kSince2026 = {};
constexpr RetryRule kAdaptiveSince2026 = {.is_adaptive = true};
// The standard and the adaptive mode before.
constexpr RetryRule kStandard = {.attempts = 3};
constexpr RetryRule kAdaptive = {.attempts = 3, .is_adaptive = true};
constexpr Micros kMillisecond = kSecond / 1'000;
// Longer than any wait that its attempts can lead to: no limit.
constexpr Micros kUnlimited = kMinute;

// Earlier clients: "legacy" is the default behaviour of each, "standard" and "adaptive" the modes
// of these names; "legacy adaptive" where the version does not tell which of the two it is.
constexpr std::pair<std::string_view, RetryRule> kPresets[] = {
    {"boto3 1.44", kSince2026},
    {"adaptive boto3 1.44", kAdaptiveSince2026},
    {"aws-cli 2.40", kSince2026},
    {"adaptive aws-cli 2.40", kAdaptiveSince2026},
    {"javascript 3.1166", kSince2026},
    {"adaptive javascript 3.1166", kAdaptiveSince2026},
    {"go 1.48", kSince2026},
    {"adaptive go 1.48", kAdaptiveSince2026},
    {"dotnet 4.0.103", kSince2026},
    {"adaptive dotnet 4.0.103", kAdaptiveSince2026},
    {"powershell 5", kSince2026},
    {"adaptive powershell 5", kAdaptiveSince2026},
    {"c++ 1.11.926", kSince2026},
    {"adaptive c++ 1.11.926", kAdaptiveSince2026},
    {"java 2.44", kSince2026},
    {"adaptive java 2.44", kAdaptiveSince2026},
    {"kotlin 1", kSince2026},
    {"adaptive kotlin 1", kAdaptiveSince2026},
    {"php 3", kSince2026},
    {"adaptive php 3", kAdaptiveSince2026},
    {"ruby 3", kSince2026},
    {"adaptive ruby 3", kAdaptiveSince2026},
    {"rust 1", kSince2026},
    {"adaptive rust 1", kAdaptiveSince2026},
    {"swift 1", kSince2026},
    {"adaptive swift 1", kAdaptiveSince2026},
    {"legacy boto3 1",
     {.attempts = 10,
      .base = 50 * kMillisecond,
      .longest = kUnlimited,
      .jitter = Jitter::kNone,
      .quota = 0}},
    {"standard boto3 1", kStandard},
    {"adaptive boto3 1", kAdaptive},
    {"legacy aws-cli 2", kStandard},
    {"adaptive aws-cli 2", kAdaptive},
    {"legacy javascript 2",
     {.attempts = 11, .base = 50 * kMillisecond, .longest = kUnlimited, .quota = 0}},
    {"legacy javascript 3", {.attempts = 3, .base = 500 * kMillisecond}},
    {"adaptive javascript 3", {.attempts = 3, .base = 500 * kMillisecond, .is_adaptive = true}},
    {"legacy go 1",
     {.attempts = 11,
      .base = 50 * kMillisecond,
      .longest = kUnlimited,
      .jitter = Jitter::kNone,
      .quota = 0}},
    {"legacy go 2", {.attempts = 3, .base = 2 * kSecond}},
    {"adaptive go 2", {.attempts = 3, .base = 2 * kSecond, .is_adaptive = true}},
    {"legacy dotnet 3",
     {.attempts = 11, .base = 50 * kMillisecond, .longest = kSecond * 30, .jitter = Jitter::kNone}},
    {"legacy dotnet 4", {.attempts = 10}},
    {"adaptive dotnet 4", {.attempts = 10, .is_adaptive = true}},
    {"legacy powershell 5", {.attempts = 10}},
    {"legacy c++ 1",
     {.attempts = 11,
      .base = 25 * kMillisecond,
      .longest = kUnlimited,
      .jitter = Jitter::kNone,
      .at_once = 1,
      .quota = 0}},
    {"legacy java 1",
     {.attempts = 11, .base = 500 * kMillisecond, .jitter = Jitter::kEqual, .quota = 0}},
    {"legacy java 2",
     {.attempts = 9, .base = 500 * kMillisecond, .jitter = Jitter::kEqual, .quota = 0}},
    {"legacy kotlin 1", {.attempts = 3, .base = 10 * kMillisecond, .growth = 1.5}},
    {"legacy adaptive kotlin 1",
     {.attempts = 3, .base = 10 * kMillisecond, .growth = 1.5, .is_adaptive = true}},
    {"legacy php 3",
     {.attempts = 11,
      .base = 50 * kMillisecond,
      .longest = 10 * kSecond,
      .at_once = 1,
      .quota = 0}},
    {"legacy adaptive php 3", kAdaptive},
    {"legacy ruby 3",
     {.attempts = 11,
      .base = 25 * kMillisecond,
      .longest = kUnlimited,
      .jitter = Jitter::kNone,
      .at_once = 2,
      .quota = 0}},
    {"legacy adaptive ruby 3", kAdaptive},
    {"legacy rust 1", kStandard},
    {"legacy adaptive rust 1", kAdaptive},
    {"legacy swift 1", kStandard},
    {"legacy adaptive swift 1", kAdaptive}};

}  // namespace

absl::Span<const std::pair<std::string_view, RetryRule>> ClientPresets() { return kPresets; }

}  // namespace dynolith::lab
