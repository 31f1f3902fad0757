// A binary file, read front to back.
#pragma once

#include <cstdint>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>

namespace storyteller {

// A file that cannot be used; the text names it and says why.
struct file_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Little-endian. Every read is checked against the bytes that are left before anything is allocated, so a
// damaged length costs a message and no memory.
class binary_file {
 public:
  explicit binary_file(const std::string& path);

  std::uint64_t left() const noexcept { return left_; }
  std::int32_t read_int32();
  float read_float();
  std::string read_bytes(std::uint64_t count);
  void read_floats(std::span<float> values);

  [[noreturn]] void refuse(const std::string& why) const;

 private:
  void read(void* to, std::uint64_t bytes);

  std::string path_;
  std::ifstream stream_;
  std::uint64_t left_ = 0;
};

}  // namespace storyteller
