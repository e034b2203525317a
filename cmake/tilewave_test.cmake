# SPDX-License-Identifier: Apache-2.0

set(TILEWAVE_TEST_TIMEOUT_FACTOR 1 CACHE STRING "Test time limits are multiplied by this")

set(catch_arguments --order rand --rng-seed time --warn NoAssertions)

set(test_environment "TILEWAVE=${PROJECT_BINARY_DIR}/tilewave" "PYTHONDONTWRITEBYTECODE=1"
                     "LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_SOURCE_DIR}/support/lsan.supp")

# tilewave_set_test_properties(TEST LABEL SECONDS): what all entries of ctest have in common. A test sees
# the presets of this source tree, whatever the caller's environment says.
function(tilewave_set_test_properties test labels seconds)
  math(EXPR timeout "${seconds} * ${TILEWAVE_TEST_TIMEOUT_FACTOR}")
  set_tests_properties(${test} PROPERTIES LABELS "${labels}" TIMEOUT ${timeout}
                       ENVIRONMENT "${test_environment}"
                       ENVIRONMENT_MODIFICATION "TILEWAVE_CONFIG_DIR=unset:")
endfunction()

# tilewave_add_test(NAME LABELS unit|formula|golden|property SOURCES x_test.cpp...
#                   [LIBRARIES target...] [TIMEOUT seconds])
# builds one program, tilewave_NAME_tests, and gives ctest one entry per source file, NAME.x: the program
# restricted to the test cases of that file, in random order, in one process. The time limit is per file.
function(tilewave_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "LABELS;SOURCES;LIBRARIES")
  if(NOT arg_LIBRARIES)
    set(arg_LIBRARIES tilewave::app)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()

  set(target tilewave_${name}_tests)
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE tilewave_test_support ${arg_LIBRARIES} tilewave_options)
  # What is tested is optimised as in a release; the tests themselves only have to compile quickly.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)

  foreach(source IN LISTS arg_SOURCES)
    cmake_path(GET source STEM LAST_ONLY stem)
    string(REGEX REPLACE "_test$" "" short "${stem}")
    if(TEST ${name}.${short})
      message(FATAL_ERROR "Two test files of ${name} are called ${stem}.cpp: rename ${source}")
    endif()
    add_test(NAME ${name}.${short}
             COMMAND ${target} --filenames-as-tags "[#${stem}]" ${catch_arguments})
    tilewave_set_test_properties(${name}.${short} "${arg_LABELS}" ${arg_TIMEOUT})
    # Catch2 2 calls it a success when a filter matches no test case.
    set_tests_properties(${name}.${short} PROPERTIES
                         FAIL_REGULAR_EXPRESSION "No test cases matched;No tests ran")
  endforeach()
endfunction()

# tilewave_add_include_test(TARGET compiles|fails HEADER): does a source of TARGET see HEADER? The
# compiler is called as for a source of that library; a failure counts only if it is the header that is
# not found.
function(tilewave_add_include_test library outcome header)
  if(NOT EXISTS "${PROJECT_SOURCE_DIR}/${header}")
    message(FATAL_ERROR "include test of ${library}: there is no ${header}")
  endif()
  string(MAKE_C_IDENTIFIER "${header}" id)
  set(test include.${library}.${id})
  set(source "${CMAKE_CURRENT_BINARY_DIR}/include/${id}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${header}\"\n")
  set(target tilewave_${library})
  set(directories "$<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>")
  set(definitions "$<TARGET_PROPERTY:${target},INTERFACE_COMPILE_DEFINITIONS>")
  add_test(NAME ${test}
           COMMAND ${CMAKE_CXX_COMPILER} ${CMAKE_CXX20_STANDARD_COMPILE_OPTION} -fsyntax-only
                   "-I$<JOIN:${directories},;-I>" "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
                   ${source}
           COMMAND_EXPAND_LISTS)
  tilewave_set_test_properties(${test} build 60)
  if(outcome STREQUAL "fails")
    string(REPLACE "." "\\." header_regex "${header}")
    set_tests_properties(${test} PROPERTIES
      ENVIRONMENT "LC_ALL=C"
      PASS_REGULAR_EXPRESSION "${header_regex}'?:? (No such file|file not found)")
  endif()
endfunction()
