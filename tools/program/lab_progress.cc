#include "tools/program/lab_progress.h"

#include <cstddef>

#include "tools/lab/text/figures_text.h"
#include "tools/program/messages.h"

namespace dynolith {
namespace {

constexpr size_t kWidth = 30;
constexpr size_t kNarrower = 5;

std::string ProgressBarText(double part, size_t width) {
  const auto full = static_cast<size_t>(part * static_cast<double>(width));
  return std::string(full, '#') + std::string(width - full, '.');
}

}  // namespace

void ProgressBar::Show(const lab::RunProgress& progress, Text text) {
  if (!IsTime()) return;
  const double part =
      static_cast<double>(progress.simulated) / static_cast<double>(progress.duration);
  const std::chrono::duration<double> passed = shown_ - begun_;
  const double rate = static_cast<double>(progress.decisions) / passed.count();
  // Shortens the bar until the line fits, since Show would cut off the figures at its end.
  std::string line;
  for (size_t width = kWidth;; width -= kNarrower) {
    line = text(name_, ProgressBarText(part, width), lab::PartText(part),
                lab::TimeText(progress.simulated), lab::FigureText(rate));
    if (line.size() < TerminalLine::Columns() || width <= kNarrower) break;
  }
  line_.Show(line);
}

void ProgressBar::Show(const lab::AdviceProgress& progress) {
  if (!IsTime()) return;
  const double part =
      static_cast<double>(progress.kinds_done) / static_cast<double>(progress.kinds);
  line_.Show(messages::AdviceProgress(ProgressBarText(part, kWidth), progress.kinds_done,
                                      progress.kinds, progress.simulations));
}

void ProgressBar::Show(const std::string& line) {
  if (IsTime()) line_.Show(line);
}

bool ProgressBar::IsTime() {
  const auto now = std::chrono::steady_clock::now();
  if (!line_.is_terminal() || now - shown_ < std::chrono::milliseconds(100)) return false;
  shown_ = now;
  return true;
}

}  // namespace dynolith
