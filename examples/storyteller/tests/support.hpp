// Files to read and a program to run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model.hpp"
#include "tokenizer.hpp"

namespace storyteller_tests {

// A directory of one's own, gone with its owner.
class scratch {
 public:
  scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "storyteller_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~scratch() { std::filesystem::remove_all(path_); }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

// Builds a little-endian file.
class bytes {
 public:
  bytes& number(std::int32_t value) { return append(&value, sizeof value); }
  bytes& number(float value) { return append(&value, sizeof value); }
  bytes& numbers(std::initializer_list<float> values) {
    for (const float value : values) number(value);
    return *this;
  }
  bytes& text(std::string_view value) { return append(value.data(), value.size()); }
  // A piece of a tokenizer file.
  bytes& piece(float score, std::string_view value) {
    return number(score).number(static_cast<std::int32_t>(value.size())).text(value);
  }
  const std::string& all() const { return all_; }

 private:
  bytes& append(const void* from, std::size_t count) {
    all_.append(static_cast<const char*>(from), count);
    return *this;
  }

  std::string all_;
};

struct outcome {
  int exit_code = 0;
  std::string out = {}, err = {};
};

// Runs the storyteller in a shell, every argument quoted.
inline outcome run(const std::vector<std::string>& arguments) {
  const scratch files;
  std::string command = "'" STORYTELLER "'";
  for (const std::string& argument : arguments) {
    command += " '";
    for (const char c : argument) command += c == '\'' ? std::string("'\\''") : std::string(1, c);
    command += "'";
  }
  command += " >'" + files.path("out") + "' 2>'" + files.path("err") + "' </dev/null";
  const int status = std::system(command.c_str());
  const int exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return {exit_code, read_file(files.path("out")), read_file(files.path("err"))};
}

inline std::size_t lines(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// What a model writes when it always takes its best token: the loop that --temp 0 must equal.
inline std::string best_story(storyteller::model& model, const storyteller::tokenizer& tokenizer,
                              std::string_view prompt, std::size_t n_predict) {
  std::string story;
  std::span<const float> logits = model.forward(tokenizer.begin());
  storyteller::token_id previous = tokenizer.begin();
  const auto write = [&](storyteller::token_id token) {
    story += tokenizer.decode(previous, token);
    previous = token;
  };
  for (const storyteller::token_id token : tokenizer.encode(prompt).tokens) {
    write(token);
    logits = model.forward(token);
  }
  for (std::size_t told = 0; told < n_predict; ++told) {
    const auto best =
        static_cast<storyteller::token_id>(std::max_element(logits.begin(), logits.end()) - logits.begin());
    if (tokenizer.ends(best)) break;
    write(best);
    logits = model.forward(best);
  }
  return story;
}

}  // namespace storyteller_tests
