// SPDX-License-Identifier: Apache-2.0
#include "sim/config/syntax_error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/config/json.hpp"
#include "sim/config/json_path.hpp"

namespace tilewave {
namespace {

using Inside = ParseState::Inside;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

bool is_number_character(char c) { return is_word(c) || c == '+' || c == '-' || c == '.'; }

template <typename Predicate>
std::string_view run_of(std::string_view text, std::size_t start, Predicate&& belongs) {
  std::size_t end = start;
  while (end < text.size() && belongs(text[end])) {
    ++end;
  }
  return text.substr(start, end - start);
}

std::string lower(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

/// The last character before `start` that is no white space; '\0' if there is none.
char significant_before(std::string_view text, std::size_t start) {
  const std::size_t at = text.substr(0, start).find_last_not_of(" \t\r\n");
  return at == std::string_view::npos ? '\0' : text[at];
}

std::string name_of(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x80) {
    return "a character outside ASCII";
  }
  return byte < 0x20 || byte == 0x7f ? fmt::format("the control character 0x{:02x}", byte)
                                     : fmt::format("'{}'", c);
}

/// Name of the innermost open bracket, as "the object opened in line 3".
std::string open_bracket(const ParseState& state) {
  return fmt::format("the {} opened in line {}",
                     state.inside == Inside::object ? "object" : "array", state.opened_line);
}

std::string explain_end(const ParseState& state) {
  if (state.inside == Inside::nothing) {
    return "the text ends where a value should be";
  }
  return fmt::format("the text ends before {} is closed with '{}'", open_bracket(state),
                     state.inside == Inside::object ? '}' : ']');
}

/// A string the parser gave up on at the character at `last`.
std::string explain_bad_string(std::string_view text, std::size_t last) {
  const char c = text[last];
  if (c == '\n' || c == '\r') {
    return "a string must end on the line it begins in: a '\"' is missing";
  }
  if (static_cast<unsigned char>(c) < 0x20) {
    return fmt::format("a string must not hold {}; write it as \\u{:04x}", name_of(c),
                       static_cast<unsigned char>(c));
  }
  if (text[last - 1] == '\\' && c != 'u') {
    return fmt::format(R"(unknown escape \{} in a string; a backslash is written \\)", c);
  }
  return "a \\u escape in a string takes four hexadecimal digits, and halves of a surrogate pair "
         "come in twos";
}

/// A token that is no JSON token, other than a string.
std::string explain_bad_token(std::string_view text, std::size_t start, const ParseState& state) {
  const char first = text[start];
  if (first == '/' || first == '#') {
    return "JSON has no comments; a \"note\" key may hold one";
  }
  if (first == '\'' || first == '`') {
    return "strings and keys are written in double quotes (\")";
  }
  const std::string_view number = run_of(text, start, is_number_character);
  const std::string_view word = run_of(text, start, is_word);
  std::string plain = lower(number);
  plain.erase(0, plain.find_first_not_of("+-"));
  if (plain == "nan" || plain == "inf" || plain == "infinity") {
    return fmt::format("{} is no number in JSON: every number is finite", number);
  }
  if (number.size() > 1 && first == '0' && is_digit(number[1])) {
    return "a number must not begin with 0";
  }
  if (is_digit(first) || first == '-' || first == '+' || first == '.') {
    return fmt::format("{} is not how JSON writes a number", in_quotes(number));
  }
  if (word.empty()) {
    return fmt::format("unexpected {}", name_of(first));
  }
  if (plain == "true" || plain == "false" || plain == "null") {
    return fmt::format("write {} in lower case", plain);
  }
  if (plain == "none") {
    return "write null for None";
  }
  if (state.inside == Inside::object && !state.after_key) {
    return fmt::format("the key {} must be in double quotes", word.substr(0, 60));
  }
  return fmt::format("unexpected word {}; strings are written in double quotes", in_quotes(word));
}

/// A sound token in a place where it cannot stand. `before` is the character before it.
std::string explain_misplaced(std::string_view text, std::size_t start, const ParseState& state) {
  const char first = text[start];
  const char before = significant_before(text, start);
  if (state.value_done) {
    return "unexpected text after the end of the JSON value";
  }
  if (state.inside == Inside::object && state.after_key) {
    return before == ':' ? fmt::format("the key {} has no value", in_quotes(state.key))
                         : fmt::format("':' is missing after the key {}", in_quotes(state.key));
  }
  if (first == ',' && before == ',') {
    return "two commas in a row";
  }
  if (first == ',' && (before == '[' || before == '{')) {
    return fmt::format("no comma may follow '{}'", before);
  }
  if ((first == '}' || first == ']') && before == ',') {
    return fmt::format("no comma may stand before '{}'", first);
  }
  if (first == '}' || first == ']') {
    return state.inside == Inside::nothing
               ? fmt::format("'{}' closes nothing", first)
               : fmt::format("'{}' does not close {}", first, open_bracket(state));
  }
  if (state.inside == Inside::nothing) {
    return fmt::format("unexpected '{}' where a value should be", first);
  }
  if (state.inside == Inside::object && (before == ',' || before == '{')) {
    return fmt::format("a key in double quotes should be here, not '{}'", first);
  }
  if (first == ':') {
    return state.inside == Inside::array ? "':' in an array: only objects have keys"
                                         : "unexpected ':' after a value";
  }
  return "a comma is missing before this";
}

struct Token {
  std::size_t start = 0;
  std::string_view text;  ///< empty: the text ended
  bool sound = false;     ///< JSON has such a token
};

Token token_from(std::string_view text, std::size_t start) {
  constexpr std::string_view kPunctuation = "{}[]:,";
  if (start >= text.size()) {
    return {text.size(), {}, false};
  }
  if (kPunctuation.find(text[start]) != std::string_view::npos) {
    return {start, text.substr(start, 1), true};
  }
  std::size_t end = start + 1;
  if (text[start] == '"') {
    while (end < text.size() && text[end] != '"' && text[end] != '\n') {
      end += text[end] == '\\' ? 2 : 1;
    }
    end = std::min(end + 1, text.size());
  } else {
    end = std::min(text.find_first_of("{}[]:,\" \t\r\n", end), text.size());
  }
  const std::string_view found = text.substr(start, end - start);
  return {start, found, Json::accept(found)};
}

/// The first token from `begin` that is unsound or holds the last of the `read` bytes: between what
/// was understood and that, there are a comma and a colon at most.
Token token_at_fault(std::string_view text, std::size_t begin, std::size_t read) {
  Token token;
  do {
    begin = std::min(text.find_first_not_of(" \t\r\n", begin), text.size());
    token = token_from(text, begin);
    begin += token.text.size();
  } while (token.sound && begin < read);
  return token;
}

}  // namespace

SyntaxError explain_syntax_error(std::string_view text, std::size_t sound_end, std::size_t read,
                                 const ParseState& state) {
  const Token token = token_at_fault(text, sound_end, read);
  if (token.text.starts_with('"') && !token.sound) {
    return read > text.size() ? SyntaxError{text.size(), "the text ends inside a string"}
                              : SyntaxError{read - 1, explain_bad_string(text, read - 1)};
  }
  if (token.text.empty()) {
    return {text.size(), explain_end(state)};
  }
  if (state.number_too_large) {
    return {token.start, fmt::format("the number {} is too large", in_quotes(token.text))};
  }
  return {token.start, token.sound ? explain_misplaced(text, token.start, state)
                                   : explain_bad_token(text, token.start, state)};
}

}  // namespace tilewave
