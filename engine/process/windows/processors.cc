#include "engine/process/processors.h"

#include <windows.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <thread>

namespace dynolith {
namespace {

int ProcessorsOfAffinity() {
  DWORD_PTR own = 0;
  DWORD_PTR machine = 0;
  // A process on several groups of processors has an affinity of 0.
  if (GetProcessAffinityMask(GetCurrentProcess(), &own, &machine) != 0 && own != 0) {
    return std::popcount(uint64_t{own});
  }
  return static_cast<int>(std::thread::hardware_concurrency());
}

// The part of the machine that the job has at most.
double RateOfJob() {
  constexpr double kRates = 10000;
  constexpr DWORD kHard = JOB_OBJECT_CPU_RATE_CONTROL_ENABLE | JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP;
  JOBOBJECT_CPU_RATE_CONTROL_INFORMATION rate = {};
  if (QueryInformationJobObject(nullptr, JobObjectCpuRateControlInformation, &rate, sizeof rate,
                                nullptr) == 0 ||
      (rate.ControlFlags & kHard) != kHard || rate.CpuRate == 0) {
    return 1;
  }
  return rate.CpuRate / kRates;
}

}  // namespace

int UsableProcessors(const std::string& /*root*/) {
  const double of_job = RateOfJob() * GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
  const double most = ProcessorsOfAffinity();
  return std::max(1, static_cast<int>(std::ceil(of_job > 0 ? std::min(most, of_job) : most)));
}

}  // namespace dynolith
