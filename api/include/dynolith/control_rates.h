// How many calls that are not about items an account may make, where capacity is enforced.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_CONTROL_RATES_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_CONTROL_RATES_H_

namespace dynolith {

// Calls a second; 0: as many as come. What is not used of ten seconds is saved. Of changes and of
// DescribeStream the numbers are the service's (api/facts/capacity.md §6); of how many descriptions
// it takes and what it saves nothing is known.
struct ControlRates {
  double changes = 1;               // of tables, tags, backups and all else
  double descriptions = 100;        // Describe…, List… and GetResourcePolicy
  double stream_descriptions = 10;  // DescribeStream
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_CONTROL_RATES_H_
