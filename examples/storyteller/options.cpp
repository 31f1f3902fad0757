#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <sluice/sluice.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace storyteller {
namespace {

enum class kind { value, flag, list };

// A sampling parameter: its option, which is its name, with what other programs call it, and its meaning. The
// value is read by sluice::set.
struct setting {
  std::string names;
  std::string meaning;
  kind type = kind::value;

  std::string option() const { return names.substr(0, names.find(',')); }
  std::string field() const { return option().substr(2); }
};

const setting explained[] = {
    {"--seed,-s", "the same seed tells the same story; none: another one each time"},
    {"--samplers,--order", "stages by name, as in \"penalties;top_k;temperature\"; none: the fixed order"},
    {"--sampler-seq,--sampling-seq", "stages by letter, as in edskypmxrt"},
    {"--temperature,--temp", "below 1e-5 the best token is taken"},
    {"--dynatemp-range", "how far the temperature follows the entropy"},
    {"--dynatemp-exponent,--dynatemp-exp", "how it follows"},
    {"--top-k", "keeps the k best; 0 is off"},
    {"--min-keep", "typical-p, top-p and min-p keep at least so many"},
    {"--top-p", "keeps the best that together have this probability; 1 is off"},
    {"--min-p", "keeps what has this share of the best one's probability; 0 is off"},
    {"--typical-p,--typical,--typ-p", "keeps the most typical that together have this probability; 1 is off"},
    {"--top-n-sigma,--top-nsigma", "keeps what is so many deviations below the best; 0 is off"},
    {"--p-less", "keeps what is likelier than a collision", kind::flag},
    {"--xtc-probability", "how often the best choices are excluded; 0 is off"},
    {"--xtc-threshold", "what counts as one of them"},
    {"--xtc-marginal", "excludes without a coin, by the same law", kind::flag},
    {"--xtc-protected", "token ids that are never excluded", kind::list},
    {"--mirostat", "its version, 1 or 2, in place of the filters; 0 is off"},
    {"--mirostat-tau,--mirostat-ent", "the surprise that it steers to, in bits"},
    {"--mirostat-eta,--mirostat-lr", "how fast"},
    {"--adaptive-target", "the probability that adaptive-p steers to; below 0 is off"},
    {"--adaptive-decay", "how long adaptive-p remembers"},
    {"--min-tokens", "so many are told before one of --end-tokens"},
    {"--end-tokens", "token ids that end a story", kind::list},
    {"--repetition-penalty,--repeat-penalty", "divides the logits of tokens that occurred; 1 is off"},
    {"--frequency-penalty", "subtracted for each occurrence"},
    {"--presence-penalty", "subtracted for any occurrence"},
    {"--penalty-last-n,--repeat-last-n", "the last tokens that those three see; -1 is all"},
    {"--repetition-normalized", "makes the repetition penalty blind to shifts", kind::flag},
    {"--occurrence-counts-prompt", "whether the prompt counts as an occurrence", kind::flag},
    {"--dry-multiplier", "strength of the penalty on repeated sequences; 0 is off"},
    {"--dry-base", "its growth with the length of the repetition"},
    {"--dry-allowed-length", "the length from which it acts"},
    {"--dry-penalty-last-n", "the last tokens that it sees; -1 is all"},
    {"--dry-sequence-breakers", "the same by token ids, as in \"13;29 30\""},
    {"--scatter-strength", "how much probability moves between neighbours in rank; 0 is off"},
    {"--scatter-radius", "how far it moves"},
    {"--scatter-k", "the best tokens among which it moves"},
    {"--scatter-steps", "how often"},
    {"--scatter-adaptive", "strength by entropy", kind::flag},
    {"--scatter-strength-min", "the least adaptive strength"},
    {"--scatter-strength-max", "the greatest adaptive strength"},
    {"--scatter-entropy-target", "where the adaptive strength is --scatter-strength"},
    {"--scatter-absorption", "what a repeated token loses"},
    {"--scatter-absorption-last-n", "the last tokens that absorption sees"},
    {"--scatter-collision", "how often scatter acts"},
    {"--logit-bias,-l", "as in 42+1.5 or 42-1; -inf bans", kind::list},
    {"--language-bias", "the same, where no --logit-bias is given", kind::list},
    {"--suppressed-tokens,--suppress-tokens", "token ids that are never drawn", kind::list},
    {"--truncation", "sequential or joint top-k, top-p and min-p"},
    {"--engine", "automatic, sort, select or rejection: the same tokens"},
    {"--draw", "gumbel or softmax"},
};

// Those, and the library's other parameters under their names.
std::vector<setting> all_settings() {
  std::vector<setting> all(std::begin(explained), std::end(explained));
  for (const sluice::detail::field& f : sluice::detail::fields) {
    std::string option = "--" + std::string(f.name);
    std::replace(option.begin(), option.end(), '_', '-');
    const auto names = [&](const setting& s) {
      return (',' + s.names + ',').find(',' + option + ',') != std::string::npos;
    };
    if (std::none_of(all.begin(), all.end(), names))
      all.push_back({option, "as in sampling_params", f.flag != nullptr ? kind::flag : kind::value});
  }
  return all;
}

const std::vector<setting> settings = all_settings();

const std::vector<std::string> usual_breakers = {"\n", ":", "\"", "*"};

// What tells a good story with a small model.
sluice::sampling_params story_preset() {
  sluice::sampling_params params;
  params.temperature = 0.8f;
  params.top_k = 40;
  params.top_p = 0.95f;
  params.min_p = 0.05f;
  params.dry_multiplier = 0.8f;
  params.dry_allowed_length = 4;
  return params;
}

void refuse(const std::string& option, const sluice::problem& problem) {
  if (problem) throw option_error(option + ": " + problem.text);
}

sluice::sampling_params base_of(const std::string& preset) {
  if (preset == "story") return story_preset();
  if (preset == "cli") return sluice::presets::cli();
  if (preset == "server") return sluice::presets::server({});  // its breakers are texts until later
  if (preset == "llama_server") return sluice::presets::llama_server();
  return {};
}

bool is_greedy(const sluice::sampling_params& params) {
  return params.temperature < 1e-5f || params.top_k == 1;
}

// A newline cannot be typed as it is.
std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
      continue;
    }
    const char c = text[++i];
    plain += c == 'n' ? '\n' : c == 't' ? '\t' : c;
  }
  return plain;
}

class command_line {
 public:
  command_line();
  std::optional<options> parse(int argc, const char* const* argv);

 private:
  using values = std::vector<std::string>;

  CLI::Option* add(const std::string& names, values& into, const std::string& meaning);
  bool is_named(const char* option) const { return app_.count(option) > 0; }
  sluice::sampling_params sampling() const;
  values breakers() const;

  CLI::App app_{"Tells a story: a language model whose every token is drawn by sluice.", "storyteller"};
  options options_;
  std::string preset_ = "story", scatter_preset_;
  values breakers_;
  std::map<const setting*, values> named_;
};

command_line::command_line() {
  app_.set_help_flag("--help,-h", "prints this");
  app_.get_formatter()->column_width(44);
  CLI::Option* model =
      app_.add_option("--model,-m", options_.model, "a llama2.c model; none: the built-in one");
  CLI::Option* tokenizer = app_.add_option("--tokenizer", options_.tokenizer, "its tokenizer");
  for (CLI::Option* file : {model, tokenizer}) file->option_text("FILE");
  model->needs(tokenizer);
  tokenizer->needs(model);
  app_.add_option("--prompt,-p", options_.prompt, "how the story begins")->option_text("TEXT");
  app_.add_option("--n-predict,-n", options_.n_predict, "the most tokens that are told (256)")
      ->option_text("N")
      ->check(CLI::Range(0, std::numeric_limits<std::int32_t>::max()));

  app_.add_option("--preset", preset_,
                  "values of what is not named: story (if none is named), neutral, cli, server, "
                  "llama_server. With --temp 0 or --top-k 1, story leaves DRY out")
      ->option_text("NAME")
      ->check(CLI::IsMember({"story", "neutral", "cli", "server", "llama_server"}));
  app_.add_option("--scatter-preset", scatter_preset_,
                  "scatter as a whole: subtle, creative, adaptive, gated, adaptive_absorbing")
      ->option_text("NAME");
  add("--dry-sequence-breaker", breakers_,
      "no repetition is seen across this (\\n: a newline); repeatable, none clears")
      ->option_text("TEXT");

  for (const setting& s : settings) {
    values& into = named_[&s];
    CLI::Option* option = add(s.names, into, s.meaning);
    option->option_text(s.type == kind::list ? "LIST" : s.type == kind::flag ? "[true]" : "VALUE");
    if (s.type == kind::flag) option->expected(0, 1);
  }
  app_.get_option("--sampler-seq")->excludes("--samplers");
  app_.get_option("--dry-sequence-breakers")->excludes("--dry-sequence-breaker");
}

// An option that may come again and takes one value each time.
CLI::Option* command_line::add(const std::string& names, values& into, const std::string& meaning) {
  return app_.add_option(names, into, meaning)->allow_extra_args(false);
}

std::optional<options> command_line::parse(int argc, const char* const* argv) {
  try {
    app_.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app_.help();
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw option_error(error.what());
  }
  options_.sampling = sampling();
  options_.breakers = breakers();
  return options_;
}

sluice::sampling_params command_line::sampling() const {
  sluice::sampling_params params = base_of(preset_);
  if (const sluice::problem wrong = sluice::apply_environment(params)) throw option_error(wrong.text);
  if (!scatter_preset_.empty()) refuse("--scatter-preset", sluice::presets::scatter(params, scatter_preset_));
  for (const setting& s : settings) {
    const values& given = named_.at(&s);
    if (given.empty()) continue;
    std::string value = given.back();
    if (s.type == kind::flag && value.empty()) value = "true";
    if (s.type == kind::list) {
      value.clear();
      for (const std::string& item : given) value += (value.empty() ? "" : ",") + item;
    }
    refuse(s.option(), sluice::set(params, s.field(), value));
  }
  // Greedy means the model's own best token, unless a penalty was asked for.
  if (preset_ == "story" && is_greedy(params) && !is_named("--dry-multiplier")) params.dry_multiplier = 0;
  if (const sluice::problem problem = sluice::check(params)) throw option_error(problem.text);
  return params;
}

command_line::values command_line::breakers() const {
  if (is_named("--dry-sequence-breakers")) return {};
  if (!is_named("--dry-sequence-breaker")) {
    return preset_ == "story" || preset_ == "server" ? usual_breakers : values{};
  }
  values texts;
  for (const std::string& text : breakers_) {
    if (text == "none") {
      texts.clear();
    } else {
      texts.push_back(unescape(text));
    }
  }
  return texts;
}

}  // namespace

std::optional<options> parse_options(int argc, const char* const* argv) {
  return command_line().parse(argc, argv);
}

}  // namespace storyteller
