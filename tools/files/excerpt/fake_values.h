// Values that look like those of people and companies, and belong to nobody.
#ifndef DYNOLITH_TOOLS_FILES_EXCERPT_FAKE_VALUES_H_
#define DYNOLITH_TOOLS_FILES_EXCERPT_FAKE_VALUES_H_

#include <cstdint>
#include <string>

#include "api/remote/signature.h"
#include "tools/files/excerpt/rules.h"

namespace dynolith::excerpt {

// A text that follows from `digest` alone. E-mail addresses (50 bits of it, in the domain
// example.com, which is nobody's) and UUIDs (122 bits) hardly ever are the same for two digests,
// phone numbers (36 bits, under +999, which is no country's) seldom, the others often. Requires: it
// is neither kNumber nor kDate.
std::string FakeText(FakeKind kind, const http::Digest& digest);

// From `from` to `to`, both included; follows from `digest` alone.
int64_t FakeNumber(const http::Digest& digest, int64_t from, int64_t to);

// Not 0, at most `days` in either direction.
int64_t FakeShift(const http::Digest& digest, int64_t days);

}  // namespace dynolith::excerpt

#endif  // DYNOLITH_TOOLS_FILES_EXCERPT_FAKE_VALUES_H_
