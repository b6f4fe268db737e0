// Heat as a JSON text.
#ifndef DYNOLITH_API_JSON_HEAT_TEXT_H_
#define DYNOLITH_API_JSON_HEAT_TEXT_H_

#include <string>

#include "dynolith/heat_report.h"

namespace dynolith {

// {"table": "music", "index": "by-year", "watched": true, "now": 1790856000.123, "slot_seconds": 2,
// "slots_max": 300, "buckets": 1000, "slots": [{"at": 1790856000, "reads": use, "writes": use,
// "cells": [[bucket, operations, units, throttled], …]}, …]}, where a use is
//
//   {"operations": 3, "units": 1.5,
//    "refused": {"provisioned": 0, "key_range": 2, "max_on_demand": 0, "account": 0}}
void AppendHeat(const HeatReport& report, std::string* out);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_HEAT_TEXT_H_
