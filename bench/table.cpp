// From what bench_chain measured to the table: bench_report measured.json table.json table.svg
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "chart.hpp"
#include "figures.hpp"
#include "measured.hpp"
#include "words.hpp"

namespace bench {
namespace {

std::string cell(const figure_line& row, const char* shape, const char* rows) {
  const figure& f = row.at(shape, rows);
  if (!f.known()) return "";
  const std::string sign = row.what.as == counts::added && f.reads >= 0 ? "+" : "";
  return sign + in_short(f.reads) + (f.missed() ? " !" : "");
}

std::string cell(const goal& g, counts as) {
  std::string text;
  for (const double value : {g.peaked, g.flat, g.wide}) {
    if (value == 0) continue;
    char one[32];
    std::snprintf(one, sizeof one, "%s%s%g", text.empty() ? "" : " / ", as == counts::added ? "+" : "",
                  value);
    text += one;
  }
  return text;
}

std::string kib(double bytes) { return grouped(std::round(bytes / 1024)) + " KiB"; }

void print_head(const measured& run) {
  const double row = std::stod(run.vocab()) * 4, l2 = run.cache(2);
  std::printf(
      "%s, tier %s, %s, V = %s; medians of %zu repetitions, unit: one read of the row (its maximum).\n",
      run.context("machine").c_str(), run.context("tier").c_str(), run.context("compiler").c_str(),
      grouped(std::stod(run.vocab())).c_str(), run.repetitions());
  if (run.context("optimised") != "yes")
    std::printf("This build is not optimised: the figures mean nothing.\n");
  std::printf(
      "hot: one row of %s again and again, L2 cache %s%s. cold: %s of rows in rotation, L3 cache %s.\n",
      kib(row).c_str(), kib(l2).c_str(), row < 0.9 * l2 ? "" : " (so part of it comes from L3)",
      kib(std::stod(run.context("cold_bytes"))).c_str(), kib(run.cache(3)).c_str());
  for (const char* rows : {"peaked/hot", "flat/hot", "wide/hot", "peaked/cold"}) {
    const timing read = run.read(rows), copy = run.time("copy", "baseline", rows);
    std::printf("%s: a read %s µs (%s to %s), a copy %s.\n", rows, in_short(read.median).c_str(),
                in_short(read.least).c_str(), in_short(read.most).c_str(),
                in_short(copy.median / read.median).c_str());
  }
  std::printf("\n");
}

void print_lines(const std::vector<figure_line>& all) {
  std::vector<cells> rows{
      {"work", "peaked", "flat", "wide", "goal", "peaked, µs", "cold: peaked", "flat", "wide"}};
  std::size_t missed = 0;
  for (const figure_line& row : all) {
    const figure& first = row.at("peaked", "hot");
    rows.push_back({row.what.work, cell(row, "peaked", "hot"), cell(row, "flat", "hot"),
                    cell(row, "wide", "hot"), cell(row.goal, row.what.as),
                    first.known() ? in_short(first.microseconds) : "", cell(row, "peaked", "cold"),
                    cell(row, "flat", "cold"), cell(row, "wide", "cold")});
    missed += std::size_t(
        std::count_if(row.figures.begin(), row.figures.end(), [](const figure& f) { return f.missed(); }));
  }
  print(rows);
  std::printf("! misses its goal (peaked / flat / wide): %zu figures.\n\n", missed);
}

/// * is the fastest engine; ! an automatic that is a tenth slower than it.
void print_engines(const measured& run, const std::string& stage, const char* title) {
  std::vector<cells> rows{{title, "sort", "select", "rejection", "automatic"}};
  for (const nucleus_line& line : nucleus_lines(run, stage)) {
    const double best = std::min({line.sort, line.select, line.rejection});
    const auto engine = [best](double reads) { return in_short(reads) + (reads == best ? " *" : ""); };
    rows.push_back({grouped(line.tokens), engine(line.sort), engine(line.select), engine(line.rejection),
                    in_short(line.automatic) + (line.automatic > 1.1 * best ? " !" : "")});
  }
  if (rows.size() > 1) print(rows);
}

/// Blocks of 256 tokens that a draw opened, and the draws that rejection took.
void print_counts(const measured& run) {
  std::vector<cells> rows{{"counted a token", "peaked", "flat", "wide"}};
  const auto add = [&](const char* title, const char* stage, const char* counter) {
    cells row{title};
    for (const char* shape : {"peaked/hot", "flat/hot", "wide/hot"})
      row.push_back(in_short(run.count(stage, shape, counter)));
    rows.push_back(row);
  };
  add("temperature .8: blocks opened", "temperature", "blocks");
  add("top-p .95, T 1: blocks opened", "top_p", "blocks");
  add("top-p .95, T 1: rounds", "top_p", "rounds");
  add("top-p .95, T 2: blocks opened", "top_p_t2", "blocks");
  add("top-p .95, T 2: rounds", "top_p_t2", "rounds");
  print(rows);
}

void print_baselines(const measured& run) {
  std::vector<cells> rows{{"peaked / flat, in reads", "sluice", "sort", "naive", "Eigen", "full Gumbel"}};
  for (const line& what : lines()) {
    if (what.masked) continue;
    cells row{what.work};
    std::size_t others = 0;
    for (const char* engine : {"automatic", "sort", "naive", "eigen", "full_gumbel"}) {
      const double peaked = run.ratio(what.stage, engine, "peaked/hot");
      const double flat = run.ratio(what.stage, engine, "flat/hot");
      others += !std::isnan(peaked);
      row.push_back(std::isnan(peaked) ? "" : in_short(peaked) + " / " + in_short(flat));
    }
    if (others > 1) rows.push_back(row);
  }
  print(rows);
}

void write_json(const std::string& path, const measured& run, const std::vector<figure_line>& all) {
  nlohmann::ordered_json out{{"machine", run.context("machine")},
                             {"tier", run.context("tier")},
                             {"compiler", run.context("compiler")},
                             {"vocabulary", std::stol(run.vocab())},
                             {"repetitions", run.repetitions()}};
  const auto number = [](double value) {
    return std::isnan(value) ? nlohmann::ordered_json()
                             : nlohmann::ordered_json(std::round(value * 1000) / 1000);
  };
  for (const char* rows : {"hot", "cold"})
    for (const char* shape : {"peaked", "flat", "wide"})
      out["read_microseconds"][rows][shape] = number(run.read(std::string(shape) + '/' + rows).median);
  for (const figure_line& row : all) {
    nlohmann::ordered_json entry{{"work", row.what.work},
                                 {"stage", row.what.stage},
                                 {"counts", row.what.as == counts::added ? "added" : "total"}};
    for (const figure& f : row.figures) {
      auto& place = entry[f.rows][f.shape];
      place = {{"reads", number(f.reads)}, {"microseconds", number(f.microseconds)}};
      if (f.goal > 0) place.update({{"goal", f.goal}, {"missed", f.missed()}});
    }
    out["works"].push_back(entry);
  }
  for (const char* stage : {"top_p", "top_p_t2"})
    for (const nucleus_line& line : nucleus_lines(run, stage))
      out["engines"][stage].push_back({{"nucleus", line.tokens},
                                       {"sort", number(line.sort)},
                                       {"select", number(line.select)},
                                       {"rejection", number(line.rejection)},
                                       {"automatic", number(line.automatic)}});
  std::ofstream file(path);
  file << out.dump(2) << '\n';
  if (!file.flush()) throw std::runtime_error(path + " cannot be written");
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::fprintf(stderr, "usage: bench_report measured.json table.json table.svg\n");
    return 2;
  }
  const bench::measured run(argv[1]);
  const std::vector<bench::figure_line> all = bench::figure_lines(run);
  bench::print_head(run);
  bench::print_lines(all);
  bench::print_engines(run, "top_p", "top-p .95, T 1: tokens in the nucleus");
  bench::print_engines(run, "top_p_t2", "top-p .95, T 2: tokens in the nucleus");
  bench::print_counts(run);
  bench::print_baselines(run);
  bench::write_json(argv[2], run, all);
  bench::draw(argv[3], run, all);
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
