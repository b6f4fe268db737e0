// `dynolith top`: what a server does, live in a terminal.
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "api/remote/server_address.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "tools/client/admin_call.h"
#include "tools/program/command_parts.h"
#include "tools/program/commands.h"
#include "tools/program/messages.h"
#include "tools/program/option_checks.h"
#include "tools/program/top/top_frame.h"
#include "tools/program/top/top_sample.h"
#include "tools/server/admin_guard.h"

namespace dynolith {
namespace {

struct TopOptions {
  std::string url = "http://127.0.0.1:8000";
  std::string admin_token_file;  // empty: the server needs none from this machine
  // Between two samples.
  double interval_seconds = 1;
  // Prints one frame as text and ends, as always if standard output is no terminal.
  bool once = false;
};

// Control sequences that all current terminals know (ECMA-48, and xterm's alternate screen).
constexpr std::string_view kSecondScreen = "\x1b[?1049h\x1b[?25l";
constexpr std::string_view kFirstScreen = "\x1b[?25h\x1b[?1049l";
constexpr std::string_view kHome = "\x1b[H";
constexpr std::string_view kRestOfLine = "\x1b[K";
constexpr std::string_view kRestOfScreen = "\x1b[J";
// The size of a frame that is printed as text, such as into a log.
constexpr TopSize kTextSize = {.columns = 160, .rows = 10};
// Sections, without those of items and of indexes.
constexpr size_t kSections = 5;

void Write(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

// Sets the terminal to single keys and to the alternate screen, and restores it at the end.
class Screen {
 public:
  Screen() {
    has_keys_ = tcgetattr(STDIN_FILENO, &before_) == 0;
    if (has_keys_) {
      termios raw = before_;
      raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
      tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    sigset_t signals;
    sigemptyset(&signals);
    for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH}) sigaddset(&signals, each);
    pthread_sigmask(SIG_BLOCK, &signals, &mask_before_);
    signals_ = signalfd(-1, &signals, SFD_CLOEXEC);
    Write(kSecondScreen);
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen() {
    Write(kFirstScreen);
    close(signals_);
    if (has_keys_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  }

  static TopSize Size(const TopSample& sample) {
    winsize window = {};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return {};
    const size_t sections = kSections + (sample.accessed_items.empty() ? 0 : 1) +
                            (sample.throttled_items.empty() ? 0 : 1) +
                            (sample.indexes.empty() && sample.waiting_tags.empty() ? 0 : 1);
    // The first line, and for each section its heading and the empty line before it.
    const size_t besides = 1 + 2 * sections;
    const size_t lines = std::max<size_t>(window.ws_row, besides + sections);
    return {.columns = window.ws_col, .rows = (lines - besides) / sections};
  }

  static void Show(const std::vector<std::string>& lines) {
    winsize window = {};
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &window);
    std::string text(kHome);
    const size_t most = window.ws_row > 0 ? window.ws_row : lines.size();
    for (size_t i = 0; i < std::min(lines.size(), most); ++i) {
      if (i > 0) text += "\r\n";
      text.append(lines[i]).append(kRestOfLine);
    }
    Write(text.append(kRestOfScreen));
  }

  enum class Event { kTimeOut, kResized, kEnd };
  Event Wait(absl::Duration time) const {
    pollfd waiting[] = {{.fd = signals_, .events = POLLIN, .revents = 0},
                        {.fd = has_keys_ ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0}};
    const auto milliseconds =
        static_cast<int>(std::max<int64_t>(0, absl::ToInt64Milliseconds(time)));
    if (poll(waiting, 2, milliseconds) <= 0) return Event::kTimeOut;
    if (waiting[0].revents != 0) {
      signalfd_siginfo info = {};
      const bool is_read = read(signals_, &info, sizeof info) == sizeof info;
      return is_read && info.ssi_signo == SIGWINCH ? Event::kResized : Event::kEnd;
    }
    char key = 0;
    const bool goes_on = read(STDIN_FILENO, &key, 1) == 1 && key != 'q' && key != 'Q';
    return goes_on ? Event::kResized : Event::kEnd;
  }

 private:
  bool has_keys_ = false;
  termios before_ = {};
  sigset_t mask_before_ = {};
  int signals_ = -1;
};

// Waits for the interval, and redraws the last frame when the window changes. Returns false when
// the user or a signal ends it.
bool WaitShowing(const TopOptions& options, const TopSample& before, const TopSample& after,
                 const Screen& screen) {
  const absl::Time end = absl::Now() + absl::Seconds(options.interval_seconds);
  while (absl::Now() < end) {
    const Screen::Event event = screen.Wait(end - absl::Now());
    if (event == Screen::Event::kEnd) return false;
    if (event == Screen::Event::kResized) {
      Screen::Show(TopFrame(options.url, before, after, Screen::Size(after)));
    }
  }
  return true;
}

void ShowLive(const TopOptions& options, const client::AdminServer& server, TopSample after) {
  const Screen screen;
  TopSample before = after;
  Screen::Show(TopFrame(options.url, before, after, Screen::Size(after)));
  while (WaitShowing(options, before, after, screen)) {
    absl::StatusOr<TopSample> now = TakeTopSample(server);
    if (!now.ok()) {
      Screen::Show({messages::TopWaits(MessageOf(now.status()))});
      continue;
    }
    before = std::exchange(after, *std::move(now));
    Screen::Show(TopFrame(options.url, before, after, Screen::Size(after)));
  }
}

absl::Status PrintOnce(const TopOptions& options, const client::AdminServer& server,
                       const TopSample& before) {
  absl::SleepFor(absl::Seconds(options.interval_seconds));
  DYNOLITH_ASSIGN_OR_RETURN(const TopSample after, TakeTopSample(server));
  for (const std::string& line : TopFrame(options.url, before, after, kTextSize)) {
    Write(line + "\n");
  }
  return absl::OkStatus();
}

// Runs until q, Ctrl-C or a signal, then restores the terminal. Errors: those of client::CallAdmin
// for the first sample. If a later one fails, it is tried again.
absl::Status Top(const TopOptions& options) {
  if (!http::IsServerUrl(options.url)) {
    return absl::InvalidArgumentError(messages::TopNotAUrl(options.url));
  }
  client::AdminServer server{.url = options.url, .token = "", .timeouts = {}};
  if (!options.admin_token_file.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(server.token, ReadAdminToken(options.admin_token_file));
  }
  DYNOLITH_ASSIGN_OR_RETURN(TopSample first, TakeTopSample(server));
  if (options.once || isatty(STDOUT_FILENO) == 0) return PrintOnce(options, server, first);
  ShowLive(options, server, std::move(first));
  return absl::OkStatus();
}

}  // namespace

void AddTop(CLI::App* app, int* exit_code) {
  static TopOptions options;
  CLI::App* const top = app->add_subcommand("top", "Show what a server does, live");
  top->add_option("URL", options.url, "Server that was started with --admin")
      ->capture_default_str();
  top->add_option("--interval", options.interval_seconds, "Seconds between two looks")
      ->check(Between(0.1, 3600))
      ->capture_default_str()
      ->type_name("SECONDS");
  top->add_flag("--once", options.once, "Print one frame as text, after one interval");
  AddAdminToken(top, &options.admin_token_file);
  top->callback([exit_code] { *exit_code = Finish(Top(options)); });
  top->footer(
      "Calls a second with latencies, consumed units, throttling by reason, partitions and hot "
      "keys.\n"
      "Partitions are shown where capacity is enforced, keys where they are watched. q ends it.\n"
      "Examples:\n"
      "  dynolith serve --admin --hot-keys --capacity enforce\n"
      "  dynolith top\n"
      "  dynolith top http://127.0.0.1:8000 --once --interval 5");
}

}  // namespace dynolith
