// `dynolith lab`: experiments on capacity, from the command line (tools/lab).
#ifndef DYNOLITH_TOOLS_PROGRAM_LAB_H_
#define DYNOLITH_TOOLS_PROGRAM_LAB_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith {

// Writes a commented experiment, the shipped one of a name, or one that replays a trace ("replay"),
// to a file that is not there yet; to standard output if `file` is empty.
absl::Status LabNew(const std::string& file, const std::string& shipped);
// Whether the file makes sense; says what is in it.
absl::Status LabCheck(const std::string& file);
// The shipped experiments, one a line.
absl::Status LabList();
// What a trace holds, or, in a file, each access of it.
absl::Status LabTrace(const std::string& trace_file, const std::string& csv_file);
// The shipped prices.
absl::Status LabPrices();

struct LabSimulateOptions {
  std::string experiment;  // a file, or the name or number of a shipped experiment
  std::string design;      // only this one; empty: all
  std::optional<uint64_t> seed;
  std::string prices_file;  // empty: the shipped ones
  std::string csv_folder;   // empty: none
  std::string json_file;    // empty: none
  std::string report_file;  // empty: none
};
// Shows progress on standard error if that is a terminal. SIGINT ends the run and shows what there
// is so far, a second one the program. Returns false if it was ended so.
absl::StatusOr<bool> LabSimulate(const LabSimulateOptions& options);

struct LabMeasureOptions {
  LabSimulateOptions run;
  std::string endpoint;           // URL; empty: the library in this process
  std::string certificates_file;  // of an endpoint with TLS; empty: the system's
  std::string data_folder;        // of the library; empty: in memory
  bool is_unlimited = false;      // the library refuses nothing
  std::optional<double> duration_seconds;
  double load = 1;         // times the loads of the experiment
  size_t connections = 0;  // 0: as many as it takes
  double warm_up_seconds = 5;
  uint64_t items = 100'000;     // at most so many are loaded into a table
  std::string prefix = "lab-";  // of tables' names
  bool keeps_tables = false;
};
// The same with real requests.
absl::StatusOr<bool> LabMeasure(const LabMeasureOptions& options);

struct LabAdviseOptions {
  std::string experiment;           // a file, or the name or number of a shipped experiment
  std::string design;               // that is changed; empty: what the file says without designs
  std::optional<double> throttled;  // instead of the experiment's own
  std::optional<uint64_t> seed;
  size_t threads = 0;       // 0: one for each core
  std::string prices_file;  // empty: the shipped ones
  std::string json_file;    // empty: none
  std::string report_file;  // empty: none
};
// The cheapest design that serves. Progress and SIGINT as LabSimulate.
absl::StatusOr<bool> LabAdvise(const LabAdviseOptions& options);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_LAB_H_
