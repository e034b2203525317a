# SPDX-License-Identifier: Apache-2.0
# How our own sources are compiled. Everything hangs on one INTERFACE target, tilewave_options, which
# each target of ours links PRIVATE, so that no flag leaks to a project that includes this one.

get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(PROJECT_IS_TOP_LEVEL AND NOT multi_config AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

find_program(TILEWAVE_CCACHE ccache)
if(PROJECT_IS_TOP_LEVEL AND TILEWAVE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${TILEWAVE_CCACHE}")
  # The libraries are also compiled in the build folder of `pip install`. With paths relative to the
  # source tree, ccache knows them there.
  set(TILEWAVE_CCACHE_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}"
      "${TILEWAVE_CCACHE}")
endif()

# Warnings are errors where the project is known to be clean: with the compiler CI uses, GCC 12. A newer
# compiler has warnings we have not met, and these must not stop someone's first build. The flags are
# thus the same in scripts/quickstart.sh and scripts/test.sh, and nothing is compiled twice.
set(werror_default OFF)
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
   AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12
   AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  set(werror_default ON)
endif()
option(TILEWAVE_WERROR "Treat warnings as errors" ${werror_default})

add_library(tilewave_options INTERFACE)
target_compile_options(tilewave_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  $<$<BOOL:${TILEWAVE_WERROR}>:-Werror>
  # GCC 12 reports -Wrestrict for a plain `"text" + std::string` (GCC bug 105651, mended in 13).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  # A product and a sum stay two roundings on every machine, so that a result does not depend on
  # whether the host has a fused multiply-add.
  -ffp-contract=off)
target_compile_definitions(tilewave_options INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)

if(TILEWAVE_SANITIZE)
  set(sanitize_flags -fsanitize=${TILEWAVE_SANITIZE} -fno-sanitize-recover=all)
  target_compile_options(tilewave_options INTERFACE ${sanitize_flags} -fno-omit-frame-pointer)
  # $<LINK_ONLY> in a static library carries this to the executables.
  target_link_options(tilewave_options INTERFACE ${sanitize_flags})
  target_compile_definitions(tilewave_options INTERFACE _GLIBCXX_ASSERTIONS)
endif()
