// How fast a client of the adaptive mode sends: a token bucket whose rate falls with each throttle
// and rises again along a cubic curve, as TCP CUBIC does (RFC 8312). The rule and its figures are
// those of botocore's and JavaScript's adaptive mode (api/facts/capacity.md §9).
#ifndef DYNOLITH_TOOLS_LAB_LOAD_SENDING_RATE_H_
#define DYNOLITH_TOOLS_LAB_LOAD_SENDING_RATE_H_

#include "engine/partition/tokens.h"

namespace dynolith::lab {

// For all clients of a run together. Thread-compatible. Times must not fall.
class SendingRate {
 public:
  // The wait of an attempt that wants to be sent now. Attempts are sent in the order of these
  // calls.
  Micros WaitToSend(Micros now);
  // Call at the answer to each attempt.
  void Answered(bool is_throttled, Micros now);
  // Attempts a second; meaningless before the first throttle, until which there is no limit.
  double rate() const { return rate_; }

 private:
  void Measure(double now);
  void Fill(double now);

  bool is_on_ = false;
  double rate_ = 0.5;
  double level_ = 0;  // tokens; below 0 if attempts wait for them
  double filled_ = 0;
  // Times are in seconds from here on. What was sent: smoothed, in half seconds.
  double measured_ = 0;
  double sent_ = 0;
  double measured_at_ = 0;
  // The curve: its rate before the last throttle, and how long it takes to get there again.
  double most_ = 0;
  double throttled_at_ = 0;
  double until_most_ = 0;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_LOAD_SENDING_RATE_H_
