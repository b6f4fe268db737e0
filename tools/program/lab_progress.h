// Shows the progress of a run of the lab on a terminal.
#ifndef DYNOLITH_TOOLS_PROGRAM_LAB_PROGRESS_H_
#define DYNOLITH_TOOLS_PROGRAM_LAB_PROGRESS_H_

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "tools/lab/advise/advice.h"
#include "tools/lab/model/simulation.h"
#include "tools/program/terminal_line.h"

namespace dynolith {

// A bar on a terminal, at most ten times a second; nothing elsewhere.
class ProgressBar {
 public:
  explicit ProgressBar(std::string name) : name_(std::move(name)) {}
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  using Text = std::string (*)(std::string_view name, std::string_view bar, std::string_view part,
                               std::string_view time, std::string_view rate);

  // Shows the progress of a simulation or a measurement, described by `text`.
  void Show(const lab::RunProgress& progress, Text text);
  void Show(const lab::AdviceProgress& progress);
  void Show(const std::string& line);

 private:
  bool IsTime();

  const std::string name_;
  TerminalLine line_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point shown_;
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_LAB_PROGRESS_H_
