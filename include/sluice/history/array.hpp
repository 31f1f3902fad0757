#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include <sluice/config.hpp>

namespace sluice::inline v1::detail {

/// A vector of plain values that can also grow without throwing: what is read inside a noexcept call grows
/// there too. Every member is a door, so files with different flags share none of them. A copy has the memory
/// that it needs, no more.
template <class T>
class array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SLUICE_ALWAYS_INLINE array() noexcept = default;
  SLUICE_ALWAYS_INLINE array(const array& other) {
    if (other.size_ > 0) append(other.data_, other.size_, other.size_);
  }
  SLUICE_ALWAYS_INLINE array(array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  array& operator=(const array&) = delete;
  SLUICE_ALWAYS_INLINE array& operator=(array&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  SLUICE_ALWAYS_INLINE ~array() { ::operator delete(data_); }

  SLUICE_ALWAYS_INLINE T* data() noexcept { return data_; }
  SLUICE_ALWAYS_INLINE const T* data() const noexcept { return data_; }
  SLUICE_ALWAYS_INLINE std::uint32_t size() const noexcept { return size_; }
  SLUICE_ALWAYS_INLINE std::uint32_t capacity() const noexcept { return capacity_; }
  SLUICE_ALWAYS_INLINE T& operator[](std::size_t i) noexcept { return data_[i]; }
  SLUICE_ALWAYS_INLINE const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  SLUICE_ALWAYS_INLINE T* begin() noexcept { return data_; }
  SLUICE_ALWAYS_INLINE T* end() noexcept { return data_ + size_; }
  SLUICE_ALWAYS_INLINE const T* begin() const noexcept { return data_; }
  SLUICE_ALWAYS_INLINE const T* end() const noexcept { return data_ + size_; }

  /// Within the capacity. New elements are not set.
  SLUICE_ALWAYS_INLINE void resize(std::uint32_t size) noexcept { size_ = size; }
  /// Within the capacity.
  SLUICE_ALWAYS_INLINE void push_back(T value) noexcept { data_[size_++] = value; }

  /// Room for `capacity` elements, or std::bad_alloc.
  SLUICE_ALWAYS_INLINE void reserve(std::size_t capacity) {
    if (capacity > capacity_) adopt(static_cast<T*>(::operator new(bytes(capacity))), capacity);
  }

  /// Room for `capacity` elements, or false.
  SLUICE_ALWAYS_INLINE bool try_reserve(std::size_t capacity) noexcept {
    if (capacity <= capacity_) return true;
    if (capacity > limit) return false;
    void* memory = ::operator new(bytes(capacity), std::nothrow);
    if (memory == nullptr) return false;
    adopt(static_cast<T*>(memory), capacity);
    return true;
  }

  /// Appends `count` > 0 elements, which may be elements of this array; all of them or, with std::bad_alloc,
  /// none. Where memory is short there will be room for `capacity` elements.
  SLUICE_ALWAYS_INLINE void append(const T* values, std::size_t count, std::size_t capacity) {
    if (count > capacity_ - size_) {
      T* memory = static_cast<T*>(::operator new(bytes(capacity)));
      std::memcpy(memory + size_, values, count * sizeof(T));
      adopt(memory, capacity);
    } else {
      std::memcpy(data_ + size_, values, count * sizeof(T));
    }
    size_ += static_cast<std::uint32_t>(count);
  }

  /// Elements are counted in 32 bits, and their sums stay there.
  static constexpr std::size_t limit = 0x7FFFFFFF;

 private:
  /// More than `limit` elements ask for more than there is.
  SLUICE_ALWAYS_INLINE static std::size_t bytes(std::size_t capacity) noexcept {
    return capacity > limit ? ~std::size_t{0} / 2 : capacity * sizeof(T);
  }

  SLUICE_ALWAYS_INLINE void adopt(T* memory, std::size_t capacity) noexcept {
    if (size_ > 0) std::memcpy(memory, data_, size_ * sizeof(T));
    ::operator delete(data_);
    data_ = memory;
    capacity_ = static_cast<std::uint32_t>(capacity);
  }

  T* data_ = nullptr;
  std::uint32_t size_ = 0, capacity_ = 0;
};

}  // namespace sluice::inline v1::detail
