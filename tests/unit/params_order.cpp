#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/chain/check.hpp>
#include <sluice/chain/order.hpp>

using sluice::check;
using sluice::detail::order_fault;
using sluice::detail::parse_order;

namespace {

using steps = std::vector<std::string_view>;

/// The names that a text spells, as the library writes them.
steps steps_of(std::string_view text) {
  const auto order = parse_order(text);
  CHECK(order.fault == order_fault::none);
  steps names;
  for (const std::uint8_t place : order) names.push_back(sluice::detail::order_names.names[place].name.text);
  return names;
}

/// What a message says of the names, each with its letter: those of the list, and what is still to come.
std::string known_names() {
  std::string text = "known: ";
  for (const auto& known : sluice::detail::order_names) {
    if (&known != sluice::detail::order_names.begin()) text += ", ";
    text += known.name.text;
    if (known.name.letter != 0) text += std::string(" (") + known.name.letter + ")";
  }
  return text;
}
const std::string known = known_names();

}  // namespace

TEST_CASE("an empty order is the fixed one") {
  CHECK(parse_order("").empty());
  CHECK(parse_order("  ").empty());
  CHECK_FALSE(check({.order = ""}));
}

TEST_CASE("an order is read while compiling") {
  static_assert(parse_order("edskypmxrt").count == 10);
  static_assert(parse_order("top_k;top_k").fault == order_fault::repeated);
}

TEST_CASE("names and letters spell the same order") {
  const steps usual = {"penalties", "dry",   "top_n_sigma", "top_k",   "typ_p",
                       "top_p",     "min_p", "xtc",         "scatter", "temperature"};
  CHECK(steps_of("penalties;dry;top_n_sigma;top_k;typ_p;top_p;min_p;xtc;scatter;temperature") == usual);
  CHECK(steps_of("edskypmxrt") == usual);
  CHECK(steps_of("a") == steps{"adaptive_p"});
}

TEST_CASE("every name has its spellings") {
  const auto reads = [](std::initializer_list<std::string_view> spellings, std::string_view meant) {
    for (const std::string_view spelling : spellings) {
      CAPTURE(spelling);
      CHECK(steps_of(spelling) == steps{meant});
    }
  };
  reads({"penalties"}, "penalties");
  reads({"dry"}, "dry");
  reads({"top_n_sigma", "top-n-sigma", "topnsigma"}, "top_n_sigma");
  reads({"p_less", "p-less", "pless"}, "p_less");
  reads({"typ_p", "typ-p", "typp", "typical_p", "typical-p", "typicalp", "typical"}, "typ_p");
  reads({"top_k", "top-k", "topk"}, "top_k");
  reads({"top_p", "top-p", "topp", "nucleus"}, "top_p");
  reads({"min_p", "min-p", "minp"}, "min_p");
  reads({"xtc"}, "xtc");
  reads({"scatter"}, "scatter");
  reads({"temperature", "temp"}, "temperature");
  reads({"adaptive_p", "adaptive-p", "adaptivep"}, "adaptive_p");
}

TEST_CASE("spellings are not mixed") {
  for (const char* spelling : {"top_n-sigma;", "top-nsigma;", "t_opk;", "Top_K;", "top__k;", "topk_;"}) {
    CAPTURE(spelling);
    CHECK(parse_order(spelling).fault == order_fault::unknown_name);
  }
}

TEST_CASE("a text that is one name is a name, though its letters are letters too") {
  CHECK(steps_of("temp") == steps{"temperature"});
  CHECK(steps_of("dry") == steps{"dry"});
  CHECK(steps_of("temk") == steps{"temperature", "penalties", "min_p", "top_k"});
  CHECK(steps_of("k") == steps{"top_k"});
}

TEST_CASE("a text with a semicolon is names") {
  CHECK(steps_of("top_k;temp") == steps{"top_k", "temperature"});
  CHECK(parse_order("k;p").fault == order_fault::unknown_name);
}

TEST_CASE("blanks around names and a semicolon at the end are harmless") {
  CHECK(steps_of(" top_k ;\ttemperature\n") == steps{"top_k", "temperature"});
  CHECK(steps_of("top_k;temperature;") == steps{"top_k", "temperature"});
  CHECK(steps_of("top_k; ") == steps{"top_k"});
  CHECK(steps_of(" kt ") == steps{"top_k", "temperature"});
}

TEST_CASE("an empty name is a problem") {
  for (const char* text : {";", ";;", ";top_k", "top_k;;temperature", "top_k; ;temperature", "top_k;;"}) {
    CAPTURE(text);
    CHECK(parse_order(text).fault == order_fault::empty_name);
  }
  const auto p = check({.order = "top_k;;temp"});
  CHECK(p.field == "order");
  CHECK(p.text == std::string("order \"top_k;;temp\" has the empty name \"\"; ") + known);
}

TEST_CASE("an unknown name or letter is told, with those that are known") {
  CHECK(check({.order = "top_k; top_q"}).text ==
        std::string("order \"top_k; top_q\" has the unknown name \"top_q\"; ") + known);
  CHECK(check({.order = "kzt"}).text == std::string("order \"kzt\" has the unknown letter \"z\"; ") + known);
  CHECK(check({.order = "top_q"}).text ==
        std::string("order \"top_q\" has the unknown letter \"o\"; ") + known);
  CHECK(check({.order = "k\xC3\xA9"}).text ==
        std::string("order \"k\xC3\xA9\" has the unknown letter \"\xC3\xA9\"; ") + known);
}

TEST_CASE("the names that are known stand in the fixed order, with their letters") {
  CHECK(known.starts_with("known: penalties (e), dry (d), top_n_sigma (s), p_less, "));
  CHECK(known.ends_with(
      "typ_p (y), top_k (k), top_p (p), min_p (m), xtc (x), scatter (r), temperature (t), adaptive_p (a)"));
}

TEST_CASE("a name is given once") {
  CHECK(check({.order = "top_k;temp;top-k"}).text ==
        std::string("order \"top_k;temp;top-k\" repeats \"top-k\"; ") + known);
  CHECK(check({.order = "ktk"}).text == std::string("order \"ktk\" repeats \"k\"; ") + known);
  CHECK(parse_order("edskypmxrtat").fault == order_fault::repeated);
}

TEST_CASE("an order tells where a stage stands") {
  constexpr auto order = parse_order("kpt");
  CHECK(order.count == 3);
  CHECK(order.names("top_p"));
  CHECK_FALSE(order.names("min_p"));
  CHECK(order.position("top_p") == 1);
  CHECK(order.position("min_p") == 3);
}

TEST_CASE("joint filters stand side by side in the order top_k, top_p, min_p") {
  const auto refused = [](const char* order) {
    return bool(check({.order = order, .truncation = sluice::truncation_rule::joint}));
  };
  for (const char* order :
       {"", "top_k;top_p;min_p", "edskpmxt", "kp", "km", "pm", "p", "xt", "tkpm", "top_p;min_p;temp"}) {
    CAPTURE(order);
    CHECK_FALSE(refused(order));
  }
  for (const char* order : {"pk", "mk", "mp", "kmp", "pkm", "kypm", "kxp", "ktm", "kpym", "edskypmxrt"}) {
    CAPTURE(order);
    CHECK(refused(order));
    CHECK_FALSE(check({.order = order}));
  }
  const auto p = check({.order = "pk", .truncation = sluice::truncation_rule::joint});
  CHECK(p.field == "order");
  CHECK(p.text ==
        "order must name top_k, top_p, min_p side by side and in this order under joint truncation, got "
        "\"pk\"");
}
