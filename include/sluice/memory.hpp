#pragma once

// What copies, moves and destruction of the contract's types need: raw memory, arrays of plain values, and a
// plan that chains share. Every member is always inline, so that files of other compiler flags share no code.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include <sluice/config.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::detail {

/// Raw memory that grows and never shrinks; what it holds is lost when it grows.
class buffer {
 public:
  SLUICE_ALWAYS_INLINE buffer() noexcept = default;
  SLUICE_ALWAYS_INLINE buffer(buffer&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  SLUICE_ALWAYS_INLINE buffer& operator=(buffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  SLUICE_ALWAYS_INLINE ~buffer() { ::operator delete(memory_); }

  SLUICE_ALWAYS_INLINE std::byte* data() const noexcept { return static_cast<std::byte*>(memory_); }
  SLUICE_ALWAYS_INLINE std::size_t bytes() const noexcept { return bytes_; }
  /// Room for so many bytes, or false.
  SLUICE_ALWAYS_INLINE bool grow(std::size_t bytes) noexcept {
    if (bytes <= bytes_) return true;
    ::operator delete(memory_);
    memory_ = ::operator new(bytes, std::nothrow);
    bytes_ = memory_ != nullptr ? bytes : 0;
    return memory_ != nullptr;
  }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A vector of plain values that can also grow without throwing: what a noexcept call reads grows inside it.
/// A copy has the memory that it needs, no more.
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
    if (capacity > capacity_) move_to(static_cast<T*>(::operator new(bytes(capacity))), capacity);
  }

  /// Room for `capacity` elements, or false.
  SLUICE_ALWAYS_INLINE bool try_reserve(std::size_t capacity) noexcept {
    if (capacity <= capacity_) return true;
    if (capacity > limit) return false;
    void* memory = ::operator new(bytes(capacity), std::nothrow);
    if (memory == nullptr) return false;
    move_to(static_cast<T*>(memory), capacity);
    return true;
  }

  /// Appends `count` > 0 elements, which may be elements of this array; all of them or, with std::bad_alloc,
  /// none. Where the capacity is used up it becomes `capacity`.
  SLUICE_ALWAYS_INLINE void append(const T* values, std::size_t count, std::size_t capacity) {
    if (count > capacity_ - size_) {
      T* memory = static_cast<T*>(::operator new(bytes(capacity)));
      std::memcpy(memory + size_, values, count * sizeof(T));
      move_to(memory, capacity);
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

  SLUICE_ALWAYS_INLINE void move_to(T* memory, std::size_t capacity) noexcept {
    if (size_ > 0) std::memcpy(memory, data_, size_ * sizeof(T));
    ::operator delete(data_);
    data_ = memory;
    capacity_ = static_cast<std::uint32_t>(capacity);
  }

  T* data_ = nullptr;
  std::uint32_t size_ = 0, capacity_ = 0;
};

/// A value that is made when it is first needed; a copy has its own.
template <class T>
class owned {
 public:
  SLUICE_ALWAYS_INLINE owned() noexcept = default;
  SLUICE_ALWAYS_INLINE owned(const owned& other) : value_(other.value_ ? new T(*other.value_) : nullptr) {}
  SLUICE_ALWAYS_INLINE owned(owned&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  owned& operator=(const owned&) = delete;
  SLUICE_ALWAYS_INLINE owned& operator=(owned&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  SLUICE_ALWAYS_INLINE ~owned() { delete value_; }

  /// It is there now; false where memory ran out.
  SLUICE_ALWAYS_INLINE bool make() noexcept {
    if (value_ == nullptr) value_ = new (std::nothrow) T;
    return value_ != nullptr;
  }
  SLUICE_ALWAYS_INLINE explicit operator bool() const noexcept { return value_ != nullptr; }
  SLUICE_ALWAYS_INLINE T* operator->() const noexcept { return value_; }
  SLUICE_ALWAYS_INLINE T& operator*() const noexcept { return *value_; }

 private:
  T* value_ = nullptr;
};

struct standard_plan;

/// A plan that copies of a chain share; the last of them destroys it, with the function of the file that made
/// it.
class shared_plan {
 public:
  SLUICE_ALWAYS_INLINE shared_plan() noexcept = default;
  SLUICE_ALWAYS_INLINE shared_plan(const standard_plan* plan, void (*destroy)(const standard_plan*),
                                   long* owners) noexcept
      : plan_(plan), destroy_(destroy), owners_(owners) {}
  SLUICE_ALWAYS_INLINE shared_plan(const shared_plan& other) noexcept
      : plan_(other.plan_), destroy_(other.destroy_), owners_(other.owners_) {
    if (owners_ != nullptr) __atomic_add_fetch(owners_, 1, __ATOMIC_RELAXED);
  }
  SLUICE_ALWAYS_INLINE shared_plan(shared_plan&& other) noexcept { swap(other); }
  SLUICE_ALWAYS_INLINE shared_plan& operator=(shared_plan other) noexcept {
    swap(other);
    return *this;
  }
  SLUICE_ALWAYS_INLINE ~shared_plan() {
    if (owners_ != nullptr && __atomic_sub_fetch(owners_, 1, __ATOMIC_ACQ_REL) == 0) destroy_(plan_);
  }

  SLUICE_ALWAYS_INLINE const standard_plan& operator*() const noexcept { return *plan_; }
  SLUICE_ALWAYS_INLINE const standard_plan* operator->() const noexcept { return plan_; }

 private:
  SLUICE_ALWAYS_INLINE void swap(shared_plan& other) noexcept {
    std::swap(plan_, other.plan_);
    std::swap(destroy_, other.destroy_);
    std::swap(owners_, other.owners_);
  }

  const standard_plan* plan_ = nullptr;
  void (*destroy_)(const standard_plan*) = nullptr;
  long* owners_ = nullptr;
};

}  // namespace sluice::inline v1::detail

#include <sluice/macros_back.inc>
