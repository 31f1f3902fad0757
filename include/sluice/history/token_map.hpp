#pragma once

// Finding, adding and forgetting the tokens of a token_map.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <sluice/history/storage.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::detail::inline SLUICE_ISA::maps {

/// Slots for `count` keys.
constexpr std::size_t slots_for(std::size_t count) noexcept { return count + (count * 7 >> 4) + 1; }

/// The home of a hash among `size` slots, without a division and for any size.
inline std::uint32_t home(std::uint32_t hash, std::uint32_t size) noexcept {
  return static_cast<std::uint32_t>(std::uint64_t{hash} * size >> 32);
}

/// Neighbouring ids land far apart.
inline std::uint32_t hash(token_id token) noexcept {
  return static_cast<std::uint32_t>(static_cast<std::uint32_t>(token) * 0x9E3779B97F4A7C15u >> 32);
}

/// The slot of the token, or the free one where it belongs.
template <class Entry>
std::uint32_t slot_of(const token_map<Entry>& map, token_id token) noexcept {
  const std::uint32_t size = map.places.size();
  std::uint32_t slot = home(hash(token), size);
  while (map.places[slot] != 0 && map.entries[map.places[slot] - 1].token != token)
    if (++slot == size) slot = 0;
  return slot;
}

/// The entry of the token, or null.
template <class Map>
auto find(Map& map, token_id token) noexcept -> decltype(map.entries.data()) {
  if (map.entries.size() == 0) return nullptr;
  const std::uint32_t place = map.places[slot_of(map, token)];
  return place == 0 ? nullptr : &map.entries[place - 1];
}

/// Memory for `count` tokens; false where there is none.
template <class Entry>
bool reserve(token_map<Entry>& map, std::size_t count) noexcept {
  return map.entries.try_reserve(count) && map.places.try_reserve(slots_for(count));
}

/// Spreads the entries over `size` slots, within the capacity.
template <class Entry>
void spread(token_map<Entry>& map, std::size_t size) noexcept {
  map.places.resize(static_cast<std::uint32_t>(size));
  if (size > 0) std::memset(map.places.data(), 0, size * sizeof(std::uint32_t));
  std::uint32_t place = 0;
  for (const Entry& entry : map.entries) map.places[slot_of(map, entry.token)] = ++place;
}

/// Makes room for one more. Slots double while the memory lasts: a map that has room for many and holds few
/// stays in the cache.
template <class Entry>
SLUICE_NEVER_INLINE bool make_room(token_map<Entry>& map) noexcept {
  const std::size_t count = map.entries.size() + std::size_t{1};
  const bool fits = count <= map.entries.capacity() && slots_for(count) <= map.places.capacity();
  if (!fits && !reserve(map, count < 32 ? 32 : count * 2)) return false;
  if (slots_for(count) > map.places.size()) {
    const std::size_t twice = slots_for(count < 16 ? 32 : count * 2);
    spread(map, twice < map.places.capacity() ? twice : map.places.capacity());
  }
  return true;
}

/// The entry of the token, with the value 0 where it is new; null where memory ran out.
template <class Entry>
Entry* insert(token_map<Entry>& map, token_id token) noexcept {
  const std::size_t count = map.entries.size() + std::size_t{1};
  if ((count > map.entries.capacity() || slots_for(count) > map.places.size()) && !make_room(map))
    return nullptr;
  std::uint32_t& place = map.places[slot_of(map, token)];
  if (place == 0) {
    map.entries.push_back({token, 0});
    place = map.entries.size();
  }
  return &map.entries[place - 1];
}

/// Forgets the token, which the map holds. The last entry takes its place; slots that were pushed past the
/// free one move back, so that no search stops early.
template <class Entry>
void erase(token_map<Entry>& map, token_id token) noexcept {
  const std::uint32_t size = map.places.size();
  std::uint32_t hole = slot_of(map, token);
  const std::uint32_t place = map.places[hole];
  const std::uint32_t last = map.entries.size();
  if (place != last) {
    map.places[slot_of(map, map.entries[last - 1].token)] = place;
    map.entries[place - 1] = map.entries[last - 1];
  }
  for (std::uint32_t slot = hole;;) {
    if (++slot == size) slot = 0;
    if (map.places[slot] == 0) break;
    const std::uint32_t wanted = home(hash(map.entries[map.places[slot] - 1].token), size);
    const bool stays = hole < slot ? hole < wanted && wanted <= slot : hole < wanted || wanted <= slot;
    if (stays) continue;
    map.places[hole] = map.places[slot];
    hole = slot;
  }
  map.places[hole] = 0;
  map.entries.resize(last - 1);
}

/// Forgets every token and keeps the memory.
template <class Entry>
void clear(token_map<Entry>& map) noexcept {
  map.entries.resize(0);
  const std::uint32_t few = 64;
  spread(map, map.places.capacity() < few ? map.places.capacity() : few);
}

}  // namespace sluice::inline v1::detail::inline SLUICE_ISA::maps

#include <sluice/macros_back.inc>
