# SPDX-License-Identifier: Apache-2.0
# tilewave::systemc: headers (as SYSTEM), library and, where the library needs it, SC_CPLUSPLUS.
#
# SystemC writes the C++ standard it was built with into a symbol that each program refers to. Debian's
# 2.3.4 is built as C++17, so that a C++20 program doesn't link unless it says SC_CPLUSPLUS=201703L. A
# library built as C++20 (3.x from source, say) must not have it. What the library at hand needs is found
# by linking a small program.
#
# A SystemC outside the system's folders is found by -DSystemCLanguage_DIR=… (its CMake package) or by
# the variable or environment variable SYSTEMC_HOME (an installation prefix).

add_library(tilewave_systemc INTERFACE)
add_library(tilewave::systemc ALIAS tilewave_systemc)

find_package(SystemCLanguage CONFIG QUIET)
if(TARGET SystemC::systemc)
  set(systemc_link SystemC::systemc)
  target_link_libraries(tilewave_systemc INTERFACE SystemC::systemc Threads::Threads)
else()
  find_path(TILEWAVE_SYSTEMC_INCLUDE systemc PATH_SUFFIXES include
            HINTS "${SYSTEMC_HOME}" ENV SYSTEMC_HOME)
  find_library(TILEWAVE_SYSTEMC_LIBRARY systemc PATH_SUFFIXES lib lib64 lib-linux64
               HINTS "${SYSTEMC_HOME}" ENV SYSTEMC_HOME)
  if(NOT TILEWAVE_SYSTEMC_INCLUDE OR NOT TILEWAVE_SYSTEMC_LIBRARY)
    message(FATAL_ERROR "SystemC not found. Run scripts/install-deps.sh, or set SYSTEMC_HOME to "
                        "where it is installed.")
  endif()
  set(systemc_link "${TILEWAVE_SYSTEMC_LIBRARY}" Threads::Threads)
  target_include_directories(tilewave_systemc SYSTEM INTERFACE "${TILEWAVE_SYSTEMC_INCLUDE}")
  target_link_libraries(tilewave_systemc INTERFACE ${systemc_link})
endif()

# Sets TILEWAVE_SYSTEMC_CPLUSPLUS (cached) to the value SC_CPLUSPLUS must have, or to "none".
function(tilewave_find_systemc_standard)
  set(program "#include <systemc>\nint sc_main(int, char**) { sc_core::sc_start(); return 0; }\n")
  foreach(standard IN ITEMS none 201703L 201402L)
    set(definition "")
    if(NOT standard STREQUAL "none")
      set(definition COMPILE_DEFINITIONS -DSC_CPLUSPLUS=${standard})
    endif()
    try_compile(links SOURCE_FROM_VAR systemc_standard.cpp program ${definition}
                CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${TILEWAVE_SYSTEMC_INCLUDE}"
                LINK_LIBRARIES ${systemc_link}
                CXX_STANDARD ${CMAKE_CXX_STANDARD} CXX_STANDARD_REQUIRED ON
                NO_CACHE OUTPUT_VARIABLE output)
    if(links)
      message(STATUS "SystemC links with SC_CPLUSPLUS: ${standard}")
      set(TILEWAVE_SYSTEMC_CPLUSPLUS ${standard} CACHE INTERNAL "SC_CPLUSPLUS of the SystemC found")
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "A C++${CMAKE_CXX_STANDARD} program does not link with the SystemC found "
                      "(${systemc_link}):\n${output}")
endfunction()

if(NOT TILEWAVE_SYSTEMC_CPLUSPLUS)
  tilewave_find_systemc_standard()
endif()
if(NOT TILEWAVE_SYSTEMC_CPLUSPLUS STREQUAL "none")
  target_compile_definitions(tilewave_systemc
                             INTERFACE SC_CPLUSPLUS=${TILEWAVE_SYSTEMC_CPLUSPLUS})
endif()
