// An entry of a map that is allocated before a commit and inserted behind it: what has been
// committed must become visible, also when there is no memory left.
#ifndef DYNOLITH_ENGINE_BASE_PREPARED_ENTRY_H_
#define DYNOLITH_ENGINE_BASE_PREPARED_ENTRY_H_

#include <utility>

namespace dynolith {

//   auto entry = PrepareEntry<std::map<int, std::string>>(1, "one");
//   ...
//   InsertPrepared(std::move(entry), &map);
template <typename Map, typename... Args>
typename Map::node_type PrepareEntry(Args&&... key_and_value) {
  Map alone;
  alone.emplace(std::forward<Args>(key_and_value)...);
  return alone.extract(alone.begin());
}

// Replaces the value of an entry with that key. Takes no memory.
template <typename Map>
void InsertPrepared(typename Map::node_type entry, Map* map) {
  auto inserted = map->insert(std::move(entry));
  if (!inserted.inserted) inserted.position->second = std::move(inserted.node.mapped());
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_PREPARED_ENTRY_H_
