// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tilewave {

/// Where a JSON parser stood when it could not go on.
struct ParseState {
  enum class Inside { nothing, object, array };

  Inside inside = Inside::nothing;
  int opened_line = 0;            ///< line of the innermost open bracket
  bool after_key = false;         ///< a key was read, its value not yet
  std::string key;                ///< that key
  bool value_done = false;        ///< the outermost value is complete
  bool number_too_large = false;  ///< it stopped at a number no double can hold
};

/// A place in a text and what is wrong there.
struct SyntaxError {
  std::size_t offset = 0;  ///< bytes before the place
  std::string message;
};

/// Words for the place where parsing of `text` failed: what is before `sound_end` was understood,
/// `read` bytes had been taken (more than there are: the end came too early). Tells the usual slips
/// of hand-written JSON apart: comma missing or left over, comment, single quotes, bare word, NaN,
/// bracket not closed.
[[nodiscard]] SyntaxError explain_syntax_error(std::string_view text, std::size_t sound_end,
                                               std::size_t read, const ParseState& state);

}  // namespace tilewave
