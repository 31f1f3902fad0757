#include "binary_file.hpp"

#include <bit>
#include <filesystem>
#include <system_error>

namespace storyteller {

static_assert(std::endian::native == std::endian::little, "model files are read as they lie");

binary_file::binary_file(const std::string& path) : path_(path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) refuse("no such file");
  if (!std::filesystem::is_regular_file(path, error)) refuse("not a regular file");
  left_ = std::filesystem::file_size(path, error);
  if (error) refuse(error.message());
  stream_.open(path, std::ios::binary);
  if (!stream_) refuse("cannot be opened");
}

std::int32_t binary_file::read_int32() {
  std::int32_t value = 0;
  read(&value, sizeof value);
  return value;
}

float binary_file::read_float() {
  float value = 0;
  read(&value, sizeof value);
  return value;
}

std::string binary_file::read_bytes(std::uint64_t count) {
  if (count > left_) refuse("is cut short");
  std::string bytes(count, '\0');
  read(bytes.data(), count);
  return bytes;
}

void binary_file::read_floats(std::span<float> values) { read(values.data(), values.size_bytes()); }

void binary_file::refuse(const std::string& why) const { throw file_error(path_ + ": " + why); }

void binary_file::read(void* to, std::uint64_t bytes) {
  if (bytes > left_) refuse("is cut short");
  if (!stream_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes))) refuse("cannot be read");
  left_ -= bytes;
}

}  // namespace storyteller
