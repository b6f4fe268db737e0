// Each line with "refused:" must not compile, and the compiler's message there must contain the
// rest of the comment (package_test.sh). Nothing else in here may be refused.
#include <dynolith/typed.h>

struct Studio {
  std::string city;
};

template <>
inline constexpr auto dynolith::typed::kFields<Studio> = dynolith::typed::Fields(
    Attribute("city", &Studio::city), Attribute("place", "CITY#", &Studio::city));

struct Song {
  std::string artist;
  std::string title;
  int64_t plays = 0;
  std::optional<std::string> label;
  std::set<std::string> tags;
  std::string album;
  uint32_t track = 0;
  Studio studio;
};

struct Version {
  std::string of;
  std::string name;
};

template <>
inline constexpr auto dynolith::typed::kFields<Version> = dynolith::typed::Fields(
    PartitionKey("of", &Version::of), SortKey("sk", "V#", &Version::name, "#END"));

template <>
inline constexpr auto dynolith::typed::kFields<Song> = dynolith::typed::Fields(
    PartitionKey("pk", "ARTIST#", &Song::artist), SortKey("title", &Song::title),
    Attribute("plays", &Song::plays), Attribute("label", &Song::label),
    Attribute("tags", &Song::tags), Attribute("album", &Song::album),
    Attribute("track", &Song::track), Attribute("studio", &Song::studio),
    Index("by-place", PartitionKey("place", "PLACE#", &Song::album, "#", Padded<3>(&Song::track))));

struct Unmapped {
  int member = 0;
};

using namespace dynolith::typed;

void Right(const Table<Song>& songs) {
  static_cast<void>(songs.Get({"Ray", "Hi"}));
  static_cast<void>(songs.Query({"Ray", StartsWith("H")}));
  static_cast<void>(At<&Song::plays> == 1 && At<&Song::label> == "Blue");
  static_cast<void>(Set(At<&Song::plays>, At<&Song::plays> + 1));
  static_cast<void>(Remove(At<&Song::label>));
}

void Wrong(const Table<Song>& songs) {
  static_cast<void>(At<&Song::plays> == "one");                  // refused: of different types
  static_cast<void>(At<&Song::label> == 1);                      // refused: of different types
  static_cast<void>(At<&Song::tags> < std::set<std::string>{});  // refused: have an order
  static_cast<void>(At<&Song::artist> == "Ray");                 // refused: variable template
  static_cast<void>(At<&Unmapped::member> == 1);                 // refused: variable template
  static_cast<void>(BeginsWith(At<&Song::plays>, 1));            // refused: only texts and bytes
  static_cast<void>(SizeOf(At<&Song::plays>) == 1);              // refused: numbers have no size
  static_cast<void>(Set(At<&Song::title>, "Ho"));                // refused: a part of the key
  static_cast<void>(Set(At<&Song::album>, "One"));               // refused: put the whole item
  static_cast<void>(Add(At<&Song::label>, "x"));                 // refused: only numbers and sets
  static_cast<void>(Remove(At<&Song::plays>));                   // refused: make it an optional
  static_cast<void>(songs.Query({"Ray", AtLeast(1)}));           // refused: of another type
  static_cast<void>(songs.Query({}));                            // refused: all of the partition
  static_cast<void>(songs.Query({"Ray", "Hi", "Ho"}));           // refused: has fewer members
  static_cast<void>(songs.Query<"by-plays">({"Ray"}));           // refused: no such index
  static_cast<void>(songs.Get({1, "Hi"}));                       // refused: of another type
  static_cast<void>(Set(At<&Song::plays>, 0.5));                 // refused: cannot hold this
  static_cast<void>(Add(At<&Song::plays>, 0.5F));                // refused: cannot hold this
  static_cast<void>(Set(At<&Song::studio, &Studio::city>, "Oslo"));  // refused: of the inner struct
  static_cast<void>(
      Table<Version>(nullptr, "v").Query({"a", AtLeast("b")}));    // refused: has no ranges
  static_cast<void>(Attribute("x", &Song::artist, &Song::title));  // refused: a text has to stand
  static_cast<void>(Attribute("x", "A#", &Song::plays));           // refused: composed of are texts
}
