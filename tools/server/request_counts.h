// Counts the calls of each operation, their outcomes and their durations.
#ifndef DYNOLITH_TOOLS_SERVER_REQUEST_COUNTS_H_
#define DYNOLITH_TOOLS_SERVER_REQUEST_COUNTS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/time/time.h"
#include "engine/base/errors.h"
#include "tools/server/wire/wire.h"

namespace dynolith {

// Thread-safe, without locks: to count a call adds to three numbers.
class RequestCounts {
 public:
  // The upper bounds of the buckets in seconds; one more bucket has the longer calls.
  static constexpr std::array<double, 16> kLatencyBounds = {
      0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025,
      0.005,   0.01,     0.025,   0.05,   0.1,     0.25,   1,     10};

  RequestCounts();

  void Add(const http::ExchangeRecord& exchange);

  struct Outcome {
    std::string_view name;  // an exception's, "success", "failure" or "dropped"
    uint64_t count = 0;
  };
  struct OperationCounts {
    std::string_view operation;
    std::vector<Outcome> outcomes;                                // those with calls
    std::array<uint64_t, kLatencyBounds.size() + 1> latencies{};  // up to each bound, and longer
    double seconds = 0;                                           // of all together
  };
  // The operations that were called, by name; calls that name no operation are "none".
  std::vector<OperationCounts> Take() const;

 private:
  // Three outcomes without an exception, and behind them one for each exception.
  static constexpr size_t kOutcomes = 3 + static_cast<size_t>(ErrorKind::kInternalServerError) + 1;

  struct Counts {
    std::array<std::atomic<uint64_t>, kOutcomes> outcomes = {};
    std::array<std::atomic<uint64_t>, kLatencyBounds.size() + 1> latencies = {};
    std::atomic<uint64_t> nanoseconds = 0;
  };

  // The operation's position among all of the model; behind them if it is none.
  size_t OperationIndex(std::string_view target) const;
  static size_t OutcomeIndex(const http::ExchangeRecord& exchange);
  static std::string_view OutcomeName(size_t outcome);

  // One for each operation of the model, and one more.
  std::vector<Counts> counts_;
  std::unordered_map<std::string_view, size_t> places_;  // by the operation's name
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_SERVER_REQUEST_COUNTS_H_
