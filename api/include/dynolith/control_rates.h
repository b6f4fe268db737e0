// The account's rates of calls that are not about items, where capacity is enforced.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_CONTROL_RATES_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_CONTROL_RATES_H_

namespace dynolith {

// Calls a second; 0: no limit. Unused calls of ten seconds are saved. The numbers of changes and of
// DescribeStream are the service's (api/facts/capacity.md §6); its rate of descriptions and its
// saving are not known.
struct ControlRates {
  double changes = 1;               // of tables, tags, backups and all else
  double descriptions = 100;        // Describe…, List… and GetResourcePolicy
  double stream_descriptions = 10;  // DescribeStream
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_CONTROL_RATES_H_
