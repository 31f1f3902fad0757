// sluice beside llama.cpp: the same rows, the same parameters, in turn in one process.
//   bench_peers [--quick] [--cold] [--tier=scalar|avx2|avx512] [peers.json peers.svg]
// A token is what llama_sampler_sample does with a row of logits: fill the array of candidates, apply the
// chain, accept the token. For sluice: sample from the logits, accept the token.
#include <llama.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <sluice/sluice.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../tests/llama/chain.hpp"
#include "../tests/llama/library.hpp"
#include "picture.hpp"
#include "rows.hpp"
#include "sizes.hpp"
#include "words.hpp"
#include "works.hpp"

namespace bench {
namespace {

using params = sluice::sampling_params;

/// One line of the table: a chain that both can run, and the tokens before.
struct peer_work {
  std::string name;
  params chain;
  std::size_t history = 0;
};

/// Every stage that llama.cpp has, alone, and its default chain. The order names them for both.
std::vector<peer_work> peer_works() {
  const std::string usual = "penalties;dry;top_n_sigma;top_k;typ_p;top_p;min_p;xtc;temperature";
  params defaults = sluice::presets::llama_server();
  defaults.order = usual;
  params all = defaults;
  all.repetition_penalty = 1.1f;
  all.frequency_penalty = all.presence_penalty = 0.1f;
  all.dry_multiplier = 0.8f;
  all.dry_penalty_last_n = 1'024;
  params bias{.order = "top_k"};  // off: the bias alone
  for (int token = 0; token < 100; ++token) bias.logit_bias.push_back({300 * token, 0.5f});
  return {
      {"greedy", {.order = "temperature", .temperature = 0}},
      {"draw at temperature 1", {.order = "top_k"}},
      {"temperature .8", {.order = "temperature", .temperature = 0.8f}},
      {"dynamic temperature .8 +- .5", {.order = "temperature", .temperature = 0.8f, .dynatemp_range = 0.5f}},
      {"top-k 40", {.order = "top_k", .top_k = 40}},
      {"top-p .95", {.order = "top_p", .top_p = 0.95f}},
      {"min-p .05", {.order = "min_p", .min_p = 0.05f}},
      {"typical-p .95", {.order = "typ_p", .typical_p = 0.95f}},
      {"top-n-sigma 1", {.order = "top_n_sigma", .top_n_sigma = 1}},
      {"XTC .5, .1", {.order = "xtc", .xtc_probability = 0.5f}},
      {"penalties over 64 tokens",
       {.order = "penalties",
        .repetition_penalty = 1.1f,
        .frequency_penalty = 0.1f,
        .presence_penalty = 0.1f,
        .penalty_last_n = 64},
       64},
      {"DRY over 1,024 tokens", {.order = "dry", .dry_multiplier = 0.8f, .dry_penalty_last_n = 1'024}, 1'024},
      {"logit bias of 100 tokens", bias},
      {"the default chain", defaults},
      {"the default chain, penalties, DRY", all, 1'024},
  };
}

/// The chain of llama.cpp, as its programs run it.
class llama_peer {
 public:
  llama_peer(const params& p, std::size_t vocab, std::span<const sluice::token_id> history) : data_(vocab) {
    const bool greedy = p.temperature <= 0;
    chain_ =
        greedy ? llama_sampler_chain_init(llama_sampler_chain_default_params()) : tests::chain_of(p, vocab);
    llama_sampler_chain_add(chain_, greedy ? llama_sampler_init_greedy() : llama_sampler_init_dist(1));
    for (const auto token : history) llama_sampler_accept(chain_, token);
  }
  llama_peer(const llama_peer&) = delete;
  ~llama_peer() { llama_sampler_free(chain_); }

  void next(std::span<const float> row) {
    for (std::size_t i = 0; i < row.size(); ++i) data_[i] = {llama_token(i), row[i], 0};
    llama_token_data_array array{data_.data(), data_.size(), -1, false};
    llama_sampler_apply(chain_, &array);
    llama_sampler_accept(chain_, array.data[array.selected].id);
  }

 private:
  std::vector<llama_token_data> data_;
  llama_sampler* chain_ = nullptr;
};

/// Microseconds a token, medians over the turns.
struct result {
  double sluice = 0, llama = 0;
  double ratio() const { return llama / sluice; }
};

struct plan {
  std::vector<std::size_t> sizes{vocabularies.begin(), vocabularies.end()};
  std::vector<shape> shapes{{"peaked", form::peaked}, {"flat", form::flat}};
  int turns = 15;
  double turn = 2e-3;  // seconds of one side, at least a token
  residence where = residence::hot;
};

double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

/// Both sides in turn, the one that begins changing, so that a slow moment strikes both.
result measure(const peer_work& work, const row_set& rows, const plan& p) {
  tests::generator g(work.history);
  const std::vector<sluice::token_id> history = bench::history(past::natural, work.history, rows.vocab(), g);
  llama_peer theirs(work.chain, rows.vocab(), history);
  params own = work.chain;
  own.seed = 1;
  if (own.temperature <= 0) own.order.clear();
  sluice::sampler ours(own);
  ours.accept_prompt(history);

  std::size_t next = 0;
  const auto row = [&] { return rows[next++ % rows.size()]; };
  const std::function<void()> sides[2] = {[&] { ours.next(row()); }, [&] { theirs.next(row()); }};
  const auto time = [](const std::function<void()>& side, std::size_t tokens) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < tokens; ++i) side();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / double(tokens);
  };
  std::size_t tokens[2];
  for (const int side : {0, 1}) {
    time(sides[side], 2);
    tokens[side] = std::size_t(std::max(1.0, p.turn / time(sides[side], 2)));
  }
  std::vector<double> times[2];
  for (int turn = 0; turn < p.turns; ++turn)
    for (const int side : {turn % 2, 1 - turn % 2}) times[side].push_back(time(sides[side], tokens[side]));
  return {1e6 * median(times[0]), 1e6 * median(times[1])};
}

struct line {
  std::string name;
  std::vector<std::vector<result>> results;  // by vocabulary, by shape
};

std::string machine() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string text; std::getline(info, text);)
    if (text.starts_with("model name") && text.find(": ") != std::string::npos)
      return text.substr(text.find(": ") + 2);
  return "unknown";
}

const char* tier_name() {
  switch (sluice::tier()) {
    case sluice::instruction_tier::scalar:
      return "scalar";
    case sluice::instruction_tier::avx2:
      return "avx2";
    case sluice::instruction_tier::avx512:
      break;
  }
  return "avx512";
}

void print_lines(const plan& p, const std::vector<line>& lines) {
  std::printf(
      "%s, tier %s; rows %s; medians of %d turns. How many times as long as sluice llama.cpp takes,\n",
      machine().c_str(), tier_name(),
      p.where == residence::hot ? "that stay in the cache" : "out of the cache", p.turns);
  std::printf("peaked / flat row, by the size of the vocabulary:\n\n");
  std::vector<cells> ratios{{"work"}}, times{{"work, microseconds a token"}};
  for (const std::size_t vocab : p.sizes) {
    ratios[0].push_back(grouped(double(vocab)));
    times[0].push_back("sluice, " + grouped(double(vocab)));
    times[0].push_back("llama.cpp");
  }
  const auto both = [](const std::vector<result>& shapes, auto figure) {
    std::string text;
    for (const result& r : shapes) text += (text.empty() ? "" : " / ") + in_short(figure(r));
    return text;
  };
  for (const line& l : lines) {
    cells ratio{l.name}, time{l.name};
    for (const auto& shapes : l.results) {
      ratio.push_back(both(shapes, [](const result& r) { return r.ratio(); }));
      time.push_back(both(shapes, [](const result& r) { return r.sluice; }));
      time.push_back(both(shapes, [](const result& r) { return r.llama; }));
    }
    ratios.push_back(ratio);
    times.push_back(time);
  }
  print(ratios);
  print(times);
}

void write_json(const std::string& path, const plan& p, const std::vector<line>& lines) {
  std::ofstream file(path);
  file << "{\n  \"machine\": \"" << machine() << "\",\n  \"tier\": \"" << tier_name() << "\",\n  \"rows\": \""
       << name_of(p.where) << "\",\n  \"turns\": " << p.turns << ",\n  \"microseconds\": [";
  const char* comma = "";
  for (const line& l : lines)
    for (std::size_t v = 0; v < p.sizes.size(); ++v)
      for (std::size_t s = 0; s < p.shapes.size(); ++s) {
        const result& r = l.results[v][s];
        file << comma << "\n    {\"work\": \"" << l.name << "\", \"vocabulary\": " << p.sizes[v]
             << ", \"shape\": \"" << p.shapes[s].name << "\", \"sluice\": " << r.sluice
             << ", \"llama.cpp\": " << r.llama << ", \"ratio\": " << r.ratio() << "}";
        comma = ",";
      }
  file << "\n  ]\n}\n";
  if (!file.flush()) throw std::runtime_error(path + " cannot be written");
}

/// A bar for each work: the ratio, logarithmic, at one vocabulary.
void draw(const std::string& path, const plan& p, const std::vector<line>& lines) {
  constexpr double left = 280, right = 830, step = 34, thick = 12, top = 92;
  const std::size_t shown = std::min<std::size_t>(2, p.sizes.size() - 1);
  double most = 10;
  for (const line& l : lines)
    for (const result& r : l.results[shown]) most = std::max(most, r.ratio());
  const double decades = std::ceil(std::log10(most));
  const auto at = [=](double ratio) {
    return left + std::max(0.0, std::log10(ratio)) / decades * (right - left);
  };
  const double bottom = top + step * double(lines.size());
  picture out(900, bottom + 40);
  out.text({20, 30}, "llama.cpp's time for a token, in times of sluice's", {.size = 18, .bold = true});
  out.text({20, 50},
           machine() + ", " + tier_name() + ", V = " + grouped(double(p.sizes[shown])) + ", rows " +
               name_of(p.where),
           {.color = "#667080"});
  constexpr const char* colors[] = {"#1f5f99", "#8ab6de"};
  for (std::size_t s = 0; s < p.shapes.size(); ++s) {
    const double x = 20 + 110 * double(s);
    out.box({x, 62}, 12, 12, colors[s]);
    out.text({x + 16, 72}, p.shapes[s].name + " row");
  }
  for (double decade = 1; decade <= std::pow(10, decades) * 1.01; decade *= 10) {
    out.stroke({at(decade), top - 4}, {at(decade), bottom}, decade == 1 ? "#667080" : "#d9dde2");
    out.text({at(decade), bottom + 15}, grouped(decade),
             {.at = anchor::middle, .size = 11, .color = "#667080"});
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double y = top + step * double(i);
    out.text({left - 8, y + 18}, lines[i].name, {.at = anchor::end});
    for (std::size_t s = 0; s < p.shapes.size(); ++s) {
      const double ratio = lines[i].results[shown][s].ratio(), bar = y + 3 + thick * double(s);
      out.box({left, bar}, at(ratio) - left, thick - 1, colors[s]);
      out.text({at(ratio) + 5, bar + thick - 2}, in_short(ratio), {.size = 11});
    }
  }
  out.save(path);
}

bool use_tier(std::string_view name) {
  using tier = sluice::instruction_tier;
  for (const auto& [which, text] :
       {std::pair(tier::scalar, "scalar"), {tier::avx2, "avx2"}, {tier::avx512, "avx512"}})
    if (name == text) return sluice::force_tier(which);
  return false;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) try {
  bench::plan p;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--quick") {
      p.sizes = {32'000};
      p.turns = 3;
      p.turn = 2e-4;
    } else if (option == "--cold") {
      p.where = bench::residence::cold;
    } else if (option.starts_with("--tier=")) {
      if (!bench::use_tier(option.substr(7))) {
        std::cerr << option << ": not a tier, or one that this machine does not have\n";
        return 2;
      }
    } else {
      files.emplace_back(option);
    }
  }
  if (files.size() % 2 != 0 || files.size() > 2) {
    std::cerr << "usage: bench_peers [--quick] [--cold] [--tier=...] [peers.json peers.svg]\n";
    return 2;
  }
  const auto works = bench::peer_works();
  std::vector<bench::line> lines;
  for (const auto& work : works) lines.push_back({work.name, {}});
  for (const std::size_t vocab : p.sizes) {
    std::fprintf(stderr, "vocabulary %zu\n", vocab);
    for (std::size_t w = 0; w < works.size(); ++w) {
      lines[w].results.emplace_back();
      for (const bench::shape& s : p.shapes)
        lines[w].results.back().push_back(bench::measure(works[w], bench::rows_of(vocab, s, p.where), p));
    }
  }
  bench::print_lines(p, lines);
  if (!files.empty()) {
    bench::write_json(files[0], p, lines);
    bench::draw(files[1], p, lines);
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
