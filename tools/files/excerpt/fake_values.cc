#include "tools/files/excerpt/fake_values.h"

#include <cstddef>
#include <iterator>
#include <string_view>

#include "absl/strings/ascii.h"
#include "engine/base/hex.h"
#include "engine/base/strings.h"

namespace dynolith::excerpt {
namespace {

constexpr std::string_view kFirstNames[] = {
    "Ada",   "Alma",   "Anton", "Aron",  "Beata", "Bela",   "Bruno", "Carla", "Cora",   "Dario",
    "Dora",  "Edgar",  "Elin",  "Emil",  "Enno",  "Esther", "Fabio", "Femke", "Filip",  "Frida",
    "Gerda", "Gustav", "Hanna", "Hugo",  "Ida",   "Ilka",   "Irma",  "Ivan",  "Jana",   "Jonas",
    "Judit", "Kasper", "Klara", "Lars",  "Lena",  "Leo",    "Livia", "Lotte", "Magnus", "Marta",
    "Milan", "Mina",   "Nils",  "Nora",  "Olga",  "Oskar",  "Paula", "Pavel", "Petra",  "Rasmus",
    "Rita",  "Romy",   "Ruben", "Selma", "Simon", "Stella", "Sven",  "Tara",  "Theo",   "Tilda",
    "Ulla",  "Viktor", "Wanda", "Yara"};
constexpr std::string_view kLastNames[] = {
    "Abelin",   "Albach",  "Ankers",  "Arlund",  "Barkow",  "Belling", "Bremer",  "Carlow",
    "Corvin",   "Dahlke",  "Denner",  "Dornik",  "Ebeling", "Elmers",  "Engstad", "Falkner",
    "Fehling",  "Fjelde",  "Forbach", "Gantner", "Gerlow",  "Grabner", "Hadler",  "Hallin",
    "Hendrup",  "Holmer",  "Ilgner",  "Jarnow",  "Jessel",  "Kallweg", "Kerner",  "Kolberg",
    "Krantz",   "Lagerin", "Lemke",   "Lindau",  "Lohmar",  "Malchow", "Mertin",  "Morland",
    "Nadler",   "Nordin",  "Olbers",  "Ostrow",  "Palmer",  "Pernow",  "Quandel", "Raben",
    "Rehder",   "Rosing",  "Salling", "Seeland", "Sorben",  "Stenner", "Tarnow",  "Thaler",
    "Tolander", "Ulmer",   "Valdin",  "Vesper",  "Wallner", "Wendel",  "Winther", "Zander"};
constexpr std::string_view kStreets[] = {
    "Alder Street",  "Anchor Lane",    "Ash Road",    "Barley Way", "Beech Avenue",
    "Birch Street",  "Bridge Road",    "Brook Lane",  "Cedar Way",  "Chapel Hill",
    "Clover Street", "Copper Lane",    "Elm Avenue",  "Ferry Road", "Field Lane",
    "Garden Way",    "Harbour Street", "Hazel Lane",  "Hill Road",  "Juniper Way",
    "Lake Avenue",   "Larch Street",   "Linden Road", "Maple Lane", "Meadow Way",
    "Mill Street",   "Orchard Road",   "Poplar Lane", "Quarry Way", "River Street",
    "Station Road",  "Willow Avenue"};
constexpr std::string_view kCities[] = {
    "Aldermoor", "Ambrow",   "Bergfeld", "Birkenau", "Brackwell", "Calderin",  "Dornby",
    "Eastmere",  "Elverum",  "Falkenby", "Glenmark", "Halvik",    "Harrowell", "Ilmstad",
    "Jarnholm",  "Kelding",  "Lindmoor", "Lowmarsh", "Marbach",   "Norwick",   "Oakhaven",
    "Ostby",     "Penmoor",  "Quellin",  "Ravensby", "Seefeld",   "Stonewick", "Tarnhill",
    "Ulmstad",   "Vestmark", "Westmere", "Yarrowby"};
constexpr std::string_view kCompanyWords[] = {
    "Amber",  "Anvil",     "Beacon",  "Bluebell", "Bramble", "Canvas",  "Cinder",  "Compass",
    "Cobalt", "Driftwood", "Ember",   "Falcon",   "Fern",    "Granite", "Harvest", "Heron",
    "Indigo", "Ivory",     "Juniper", "Kestrel",  "Lantern", "Marble",  "Nimbus",  "Opal",
    "Pebble", "Quill",     "Ridge",   "Saffron",  "Thistle", "Umber",   "Vellum",  "Walnut"};
constexpr std::string_view kCompanyKinds[] = {"Works", "Trading", "Systems", "Partners",
                                              "Foods", "Tools",   "Freight", "Textiles"};
constexpr std::string_view kLetters = "abcdefghijkmnpqrstuvwxyz23456789";

__extension__ using Wide = unsigned __int128;

// Numbers that follow from a digest, a few of its bytes for each.
class Draws {
 public:
  explicit Draws(const http::Digest& digest) : digest_(digest) {}

  // Below `below`, which is small beside 2^(8 * bytes).
  uint64_t Next(uint64_t below, size_t bytes) {
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; ++i) number = number << 8 | digest_[at_++ % digest_.size()];
    return number % below;
  }
  template <size_t size>
  std::string_view Pick(const std::string_view (&words)[size]) {
    return words[Next(size, 2)];
  }
  std::string Digits(size_t count) {
    std::string digits;
    for (size_t i = 0; i < count; ++i) digits += static_cast<char>('0' + Next(10, 2));
    return digits;
  }
  std::string Letters(size_t count) {
    std::string letters;
    for (size_t i = 0; i < count; ++i) letters += kLetters[Next(kLetters.size(), 1)];
    return letters;
  }

 private:
  const http::Digest& digest_;
  size_t at_ = 0;
};

std::string FakeEmail(Draws* draws) {
  const std::string_view first = draws->Pick(kFirstNames);
  const std::string_view last = draws->Pick(kLastNames);
  std::string email = Concat(first, ".", last, ".", draws->Letters(10), "@example.com");
  absl::AsciiStrToLower(&email);
  return email;
}

std::string FakeStreet(Draws* draws) {
  const uint64_t house = 1 + draws->Next(199, 4);
  return Concat(house, " ", draws->Pick(kStreets));
}

// Of version 4, as random ones are.
std::string FakeUuid(const http::Digest& digest) {
  std::string bytes(digest.begin(), digest.begin() + 16);
  bytes[6] = static_cast<char>((bytes[6] & 0x0F) | 0x40);
  bytes[8] = static_cast<char>((bytes[8] & 0x3F) | 0x80);
  std::string text = Hex(bytes);
  for (const size_t at : {8, 13, 18, 23}) text.insert(at, "-");
  return text;
}

}  // namespace

std::string FakeText(FakeKind kind, const http::Digest& digest) {
  Draws draws(digest);
  switch (kind) {
    case FakeKind::kName: {
      const std::string_view first = draws.Pick(kFirstNames);
      return Concat(first, " ", draws.Pick(kLastNames));
    }
    case FakeKind::kFirstName:
      return std::string(draws.Pick(kFirstNames));
    case FakeKind::kLastName:
      return std::string(draws.Pick(kLastNames));
    case FakeKind::kEmail:
      return FakeEmail(&draws);
    case FakeKind::kPhone:
      return Concat("+999", draws.Digits(11));
    case FakeKind::kStreet:
      return FakeStreet(&draws);
    case FakeKind::kCity:
      return std::string(draws.Pick(kCities));
    case FakeKind::kAddress: {
      const std::string street = FakeStreet(&draws);
      const std::string code = draws.Digits(5);
      return Concat(street, ", ", code, " ", draws.Pick(kCities));
    }
    case FakeKind::kCompany: {
      const std::string_view word = draws.Pick(kCompanyWords);
      return Concat(word, " ", draws.Pick(kCompanyKinds));
    }
    case FakeKind::kUuid:
      return FakeUuid(digest);
    case FakeKind::kNumber:
    case FakeKind::kDate:
      break;
  }
  return "";
}

int64_t FakeNumber(const http::Digest& digest, int64_t from, int64_t to) {
  Wide number = 0;
  for (size_t i = 0; i < sizeof(number); ++i) number = number << 8 | digest[i];
  // In unsigned numbers, which may go around.
  const uint64_t span = static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
  const uint64_t step = static_cast<uint64_t>(number % (Wide{span} + 1));
  return static_cast<int64_t>(static_cast<uint64_t>(from) + step);
}

int64_t FakeShift(const http::Digest& digest, int64_t days) {
  const int64_t shift = FakeNumber(digest, 1, 2 * days);
  return shift <= days ? shift : days - shift;
}

}  // namespace dynolith::excerpt
