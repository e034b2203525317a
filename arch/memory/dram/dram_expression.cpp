// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/dram_expression.hpp"

#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <vector>

#include "sim/config/json_path.hpp"
#include "sim/config/nearest.hpp"

namespace tilewave {
namespace {

/// Far above any timing, far below what a sum of terms could overflow with.
constexpr std::int64_t kMaxInteger = 1'000'000'000;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Parser {
 public:
  Parser(std::string_view text, const std::map<std::string, std::int64_t>& timings)
      : text_(text), rest_(text), timings_(timings) {}

  Checked<std::int64_t> parse() {
    std::int64_t sum = term(1);
    while (fault_.empty()) {
      skip_spaces();
      if (rest_.empty()) return {.value = sum, .fault = ""};
      const char sign = rest_.front();
      if (sign != '+' && sign != '-') {
        fail();
        break;
      }
      rest_.remove_prefix(1);
      sum += term(sign == '+' ? 1 : -1);
    }
    return {.value = std::nullopt, .fault = fault_};
  }

 private:
  void skip_spaces() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }

  std::int64_t term(std::int64_t sign) {
    skip_spaces();
    std::size_t length = 0;
    while (length < rest_.size() && is_word(rest_[length])) ++length;
    const std::string word(rest_.substr(0, length));
    rest_.remove_prefix(length);
    if (word.empty()) {
      fail();
      return 0;
    }
    if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) return sign * integer(word);
    const auto timing = timings_.find(word);
    if (timing == timings_.end()) {
      unknown(word);
      return 0;
    }
    return sign * timing->second;
  }

  std::int64_t integer(const std::string& word) {
    std::int64_t value = 0;
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc() || stop != end || value > kMaxInteger) {
      fault_ = fmt::format("{} is no whole number up to {}", in_quotes(word), kMaxInteger);
      return 0;
    }
    return value;
  }

  void unknown(const std::string& word) {
    std::vector<std::string_view> names;
    for (const auto& [name, cycles] : timings_) names.push_back(name);
    fault_ = fmt::format(
        "there is no timing {}{}", in_quotes(word),
        suggestion(word, std::span<const std::string_view>(names.data(), names.size())));
  }

  void fail() {
    fault_ = fmt::format("must be names of timings and whole numbers joined by + and -, is {}",
                         in_quotes(text_));
  }

  std::string_view text_, rest_;
  const std::map<std::string, std::int64_t>& timings_;
  std::string fault_;
};

}  // namespace

Checked<std::int64_t> evaluate_timing(std::string_view expression,
                                      const std::map<std::string, std::int64_t>& timings) {
  return Parser(expression, timings).parse();
}

}  // namespace tilewave
