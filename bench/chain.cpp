// Names are stage/engine/vocabulary/shape/hot or cold; every time is that of one token from one row.
//   bench_chain --benchmark_filter='^(read|usual)/.*/128256/' [--tier=scalar|avx2|avx512] [--quiet]
#include <benchmark/benchmark.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <sluice/sluice.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../tests/by_hand.hpp"
#include "eigen.hpp"
#include "naive.hpp"
#include "read.hpp"
#include "rows.hpp"
#include "works.hpp"

namespace bench {
namespace {

/// f(row, number of the draw), a row after the other.
template <class F>
void over(benchmark::State& state, const row_set& rows, F&& f) {
  std::size_t next = 0;
  std::uint64_t draw = 0;
  const auto step = [&] {
    auto result = f(rows[next], draw++);
    benchmark::DoNotOptimize(result);
    if (++next == rows.size()) next = 0;
  };
  for (int warm_up = 0; warm_up < 2; ++warm_up) step();
  for (auto _ : state) step();
}

/// One benchmark, for any rows.
struct entry {
  std::string stage, engine;
  std::function<void(benchmark::State&, const row_set&)> run;
};

/// A seed for each draw: all draws differ, and a history costs what it costs at every step.
template <class Chain>
void run_chain(benchmark::State& state, const row_set& rows, const work& w, const Chain& chain) {
  sluice::workspace memory;
  const sluice::call_options options{.mask = rows.mask(), .workspace = &memory};
  // Several histories, so that no single ending decides what a step costs.
  std::vector<sluice::sequence> sequences(w.kind == past::none ? 1 : 8, sluice::sequence(0));
  tests::generator g(w.length);
  for (sluice::sequence& q : sequences) {
    q.accept_prompt(history(w.kind, w.length, rows.vocab(), g));
    chain.prepare(q, rows.vocab(), &memory);
  }
  bool lost = false;
  over(state, rows, [&](std::span<const float> row, std::uint64_t draw) {
    sluice::sequence& q = sequences[draw % sequences.size()];
    q.reseed(draw);
    const sluice::sample_result drawn = chain.sample(row, q, options);
    lost |= !drawn;
    return drawn.token;
  });
  if (lost) state.SkipWithError("no token");
}

void run_standard(benchmark::State& state, const row_set& rows, const work& w,
                  sluice::truncation_engine engine) {
  sluice::sampling_params params = w.params;
  params.engine = engine;
  run_chain(state, rows, w, sluice::standard_chain(std::move(params)));
}

void run_full_gumbel(benchmark::State& state, const row_set& rows, double temperature) {
  sluice::workspace memory;
  over(state, rows, [&](std::span<const float> logits, std::uint64_t draw) {
    sluice::row row(logits, {.mask = rows.mask()}, memory, sluice::truncation_engine::select);
    row.set_temperature(temperature);
    return sluice::kernel::id_of(sluice::draw::gumbel_max(row, {draw, 0}).full_winner());
  });
}

/// The draw by itself, and how many blocks it opened on average.
void run_pruned(benchmark::State& state, const row_set& rows, double temperature) {
  sluice::workspace memory;
  std::size_t opened = 0;
  over(state, rows, [&](std::span<const float> logits, std::uint64_t draw) {
    sluice::row row(logits, {.mask = rows.mask()}, memory, sluice::truncation_engine::select);
    row.set_temperature(temperature);
    sluice::draw::gumbel_max race(row, {draw, 0});
    const auto winner = race.winner();
    opened += race.opened();
    return sluice::kernel::id_of(winner);
  });
  state.counters["blocks"] =
      benchmark::Counter(static_cast<double>(opened), benchmark::Counter::kAvgIterations);
}

/// Rejection for a top-p by itself, and how many blocks it opened in how many rounds on average.
void run_rejection(benchmark::State& state, const row_set& rows, const sluice::sampling_params& params) {
  sluice::workspace memory;
  std::size_t opened = 0, rounds = 0;
  over(state, rows, [&](std::span<const float> logits, std::uint64_t draw) {
    sluice::row row(logits, {.mask = rows.mask()}, memory, sluice::truncation_engine::select);
    const sluice::draw::rejected found =
        sluice::draw::from_nucleus(row, {draw, 0}, {.top_p = params.top_p}, double(params.temperature));
    opened += found.opened;
    rounds += static_cast<std::size_t>(found.rounds);
    return sluice::kernel::id_of(found.winner);
  });
  const auto average = [&](std::size_t sum) {
    return benchmark::Counter(static_cast<double>(sum), benchmark::Counter::kAvgIterations);
  };
  state.counters["blocks"] = average(opened);
  state.counters["rounds"] = average(rounds);
}

/// One pass of float exponentials over a row whose blocks are known: 2^(c (l - max)) and two sums.
void run_exponentials(benchmark::State& state, const row_set& rows) {
  const sluice::kernel::table& kernels = sluice::kernel::kernels(sluice::tier());
  std::vector<std::vector<sluice::kernel::block>> indexed(rows.size());
  std::vector<float> maxima(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    indexed[i].resize((rows.vocab() + 255) / 256);
    kernels.index(rows[i].data(), rows.vocab(), indexed[i].data());
    maxima[i] = read(rows[i]);
  }
  over(state, rows, [&](std::span<const float>, std::uint64_t draw) {
    const std::size_t i = draw % rows.size();
    return kernels.collision(indexed[i].data(), indexed[i].size(), below_all, maxima[i], 1.4427f).sum;
  });
}

/// Raw ln p of one token, another each time, with its rank; and the best five.
void run_logprobs(benchmark::State& state, const row_set& rows) {
  sluice::workspace memory;
  const sluice::standard_chain chain({});
  sluice::sequence q(0);
  tests::generator g(9);
  std::vector<sluice::token_id> asked(1'024);
  for (auto& token : asked) token = sluice::token_id(g.below(rows.vocab()));
  over(state, rows, [&](std::span<const float> row, std::uint64_t draw) {
    return sluice::logprobs(chain, row, q,
                            {.best = 5, .tokens = std::span(asked).subspan(draw % asked.size(), 1)},
                            {.workspace = &memory})
        .size();
  });
}

void run_naive(benchmark::State& state, const row_set& rows, const work& w) {
  naive_sampler sampler(w.params);
  tests::generator g(1);
  over(state, rows, [&](std::span<const float> row, std::uint64_t) {
    return sampler.sample(row, rows.mask(), g.uniform());
  });
}

const char* name_of(sluice::truncation_engine engine) {
  switch (engine) {
    case sluice::truncation_engine::sort:
      return "sort";
    case sluice::truncation_engine::select:
      return "select";
    case sluice::truncation_engine::rejection:
      return "rejection";
    case sluice::truncation_engine::automatic:
      break;
  }
  return "automatic";
}

bool home_made(const work& w) {
  for (const char* stage : {"temperature", "min_p", "top_k", "usual", "top_p"})
    if (w.stage == stage) return true;
  return false;
}

std::vector<entry> entries() {
  std::vector<entry> all;
  all.push_back({"read", "baseline", [](benchmark::State& state, const row_set& rows) {
                   over(state, rows, [](std::span<const float> row, std::uint64_t) { return read(row); });
                 }});
  all.push_back({"copy", "baseline", [](benchmark::State& state, const row_set& rows) {
                   std::vector<float> copy(rows.vocab());
                   over(state, rows, [&](std::span<const float> row, std::uint64_t) {
                     std::memcpy(copy.data(), row.data(), row.size_bytes());
                     benchmark::ClobberMemory();
                     return copy.data();
                   });
                 }});
  all.push_back({"exponentials", "baseline", run_exponentials});
  all.push_back({"logprobs", "automatic", run_logprobs});
  for (const work& w : works()) {
    const auto add_engine = [&](sluice::truncation_engine engine) {
      all.push_back({w.stage, name_of(engine), [w, engine](benchmark::State& state, const row_set& rows) {
                       run_standard(state, rows, w, engine);
                     }});
    };
    add_engine(sluice::truncation_engine::automatic);
    for (const sluice::truncation_engine engine : w.engines) add_engine(engine);
    if (w.params.truncation == sluice::truncation_rule::sequential)
      all.push_back({w.stage, "by_hand", [w](benchmark::State& state, const row_set& rows) {
                       run_chain(state, rows, w, tests::chain_by_hand(w.params));
                     }});
    if (home_made(w))
      all.push_back({w.stage, "naive",
                     [w](benchmark::State& state, const row_set& rows) { run_naive(state, rows, w); }});
    if (w.stage == "temperature")
      all.push_back({w.stage, "counted", [w](benchmark::State& state, const row_set& rows) {
                       run_pruned(state, rows, double(w.params.temperature));
                     }});
    if (w.stage.starts_with("top_p"))
      all.push_back({w.stage, "counted", [w](benchmark::State& state, const row_set& rows) {
                       run_rejection(state, rows, w.params);
                     }});
    if (w.stage == "temperature")
      all.push_back({w.stage, "full_gumbel", [w](benchmark::State& state, const row_set& rows) {
                       run_full_gumbel(state, rows, double(w.params.temperature));
                     }});
    if constexpr (SLUICE_HAS_EIGEN) {
      for (const eigen_entry& e : eigen_entries())
        if (w.stage == e.stage)
          all.push_back({w.stage, "eigen", [w, e](benchmark::State& state, const row_set& rows) {
                           tests::generator g(1);
                           over(state, rows, [&](std::span<const float> row, std::uint64_t) {
                             return e.sample(row, w.params.temperature, g.uniform());
                           });
                         }});
    }
  }
  return all;
}

void add(const entry& e, std::size_t vocab, const shape& s, residence where) {
  const std::string name =
      e.stage + '/' + e.engine + '/' + std::to_string(vocab) + '/' + s.name + '/' + name_of(where);
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    e.run(state, rows_of(vocab, s, where));
  })->Unit(benchmark::kMicrosecond);
}

void add_all() {
  const std::vector<entry> all = entries();
  for (const std::size_t vocab : vocabularies) {
    for (const shape& s : plain_shapes())
      for (const residence where : {residence::hot, residence::cold})
        for (const entry& e : all)
          // Eigen's samplers know no mask.
          if (s.of != form::masked || e.engine != "eigen") add(e, vocab, s, where);
    for (const shape& s : nucleus_shapes())
      for (const entry& e : all)
        if (s.nucleus < vocab && (e.stage == "read" || e.stage == "top_p" || e.stage == "top_p_t2"))
          if (e.engine != "naive") add(e, vocab, s, residence::hot);
  }
}

constexpr std::pair<sluice::instruction_tier, const char*> tiers[] = {
    {sluice::instruction_tier::scalar, "scalar"},
    {sluice::instruction_tier::avx2, "avx2"},
    {sluice::instruction_tier::avx512, "avx512"}};

bool use_tier(std::string_view name) {
  for (const auto& [tier, text] : tiers)
    if (name == text) return sluice::force_tier(tier);
  return false;
}

std::string machine() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown";
}

/// Shows nothing; what was measured goes to --benchmark_out.
struct silent : benchmark::BenchmarkReporter {
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  bool quiet = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--quiet") {
      quiet = true;
    } else if (!option.starts_with("--tier=") || !bench::use_tier(option.substr(7))) {
      std::cerr << option << ": not an option, or a tier that this machine does not have\n";
      return 2;
    }
  }
  for (const auto& [tier, name] : bench::tiers)
    if (tier == sluice::tier()) benchmark::AddCustomContext("tier", name);
  benchmark::AddCustomContext("machine", bench::machine());
  benchmark::AddCustomContext("compiler",
#if defined(__clang__)
                              "clang++ " __clang_version__
#else
                              "g++ " __VERSION__
#endif
  );
#if defined(__OPTIMIZE__)
  benchmark::AddCustomContext("optimised", "yes");
#endif
  benchmark::AddCustomContext("cold_bytes", std::to_string(bench::cold_bytes()));
  bench::add_all();
  bench::silent nothing;
  const std::size_t count =
      quiet ? benchmark::RunSpecifiedBenchmarks(&nothing) : benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return count == 0 ? 1 : 0;
}
