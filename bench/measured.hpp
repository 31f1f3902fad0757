// What a run of bench_chain measured, from the JSON of Google Benchmark.
#pragma once

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Microseconds over the repetitions.
struct timing {
  double least = unknown, median = unknown, most = unknown;
};

class measured {
 public:
  explicit measured(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + " cannot be read");
    const auto run = nlohmann::json::parse(file);
    context_ = run.at("context");
    std::map<std::string, std::vector<double>> times;
    for (const auto& one : run.at("benchmarks")) {
      if (one.value("run_type", "") != "iteration") continue;
      const std::string name = one.at("run_name");
      if (one.value("error_occurred", false))
        throw std::runtime_error(name + ": " + one.value("error_message", ""));
      times[name].push_back(one.at("cpu_time"));
      for (const char* counter : {"blocks", "rounds"})
        if (one.contains(counter)) counts_[name + '/' + counter] = one.at(counter);
      repetitions_ = std::max(repetitions_, times[name].size());
      if (vocab_.empty() && name.starts_with(read_prefix)) {
        vocab_ = name.substr(read_prefix.size());
        vocab_.resize(vocab_.find('/'));
      }
    }
    for (auto& [name, all] : times) {
      std::sort(all.begin(), all.end());
      const std::size_t half = all.size() / 2;
      timings_[name] = {all.front(), all.size() % 2 == 1 ? all[half] : (all[half - 1] + all[half]) / 2,
                        all.back()};
    }
  }

  /// Unknown where it was not measured. `rows` is shape/hot or shape/cold.
  timing time(const std::string& stage, const std::string& engine, const std::string& rows) const {
    const auto found = timings_.find(stage + '/' + engine + '/' + vocab_ + '/' + rows);
    return found != timings_.end() ? found->second : timing{};
  }
  /// What a benchmark counted a token, in its last repetition: "blocks" opened or "rounds".
  double count(const std::string& stage, const std::string& rows, const std::string& counter) const {
    const auto found = counts_.find(stage + "/counted/" + vocab_ + '/' + rows + '/' + counter);
    return found != counts_.end() ? found->second : unknown;
  }
  timing read(const std::string& rows) const { return time("read", "baseline", rows); }
  /// The median in reads of the same rows.
  double ratio(const std::string& stage, const std::string& engine, const std::string& rows) const {
    return time(stage, engine, rows).median / read(rows).median;
  }

  /// The vocabulary of the first read.
  const std::string& vocab() const { return vocab_; }
  std::size_t repetitions() const { return repetitions_; }
  std::string context(const char* key) const { return context_.value(key, "unknown"); }
  /// Bytes of the data cache of a level that one core sees, 0: none.
  double cache(int level) const {
    for (const auto& one : context_.at("caches"))
      if (one.at("level") == level && one.at("type") != "Instruction") return one.at("size");
    return 0;
  }

 private:
  static constexpr std::string_view read_prefix = "read/baseline/";

  nlohmann::json context_;
  std::map<std::string, timing> timings_;
  std::map<std::string, double> counts_;
  std::string vocab_;
  std::size_t repetitions_ = 0;
};

}  // namespace bench
