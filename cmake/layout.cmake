# SPDX-License-Identifier: Apache-2.0
# One library a folder, and a wrong include does not compile.
#
# Our headers are included by their path from the root: "sim/units.hpp". Were the root itself on the
# include path, every folder would see every other. So each library has an include root of its own in the
# build folder, holding nothing but a link to its folder:
#
#   <build>/include/tilewave_sim/sim                   -> <source>/sim
#   <build>/include/tilewave_arch_program/arch/program -> <source>/arch/program
#
# A target has on its include path its own root and those of the libraries it names in PUBLIC_DEPS (and
# theirs). The tests include_* (tests/CMakeLists.txt) hold this to be so.

# tilewave_add_library(NAME FOLDER path SOURCES file... [PUBLIC_DEPS target...] [PRIVATE_DEPS target...])
# adds the static library tilewave_NAME (alias tilewave::NAME); a folder with headers only becomes an
# INTERFACE library.
function(tilewave_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER" "SOURCES;PUBLIC_DEPS;PRIVATE_DEPS")
  set(target tilewave_${name})
  set(include_root "${PROJECT_BINARY_DIR}/include/${target}")
  cmake_path(GET arg_FOLDER PARENT_PATH parent)
  file(MAKE_DIRECTORY "${include_root}/${parent}")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${arg_FOLDER}" "${include_root}/${arg_FOLDER}" SYMBOLIC)

  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    target_include_directories(${target} PUBLIC "${include_root}")
    target_link_libraries(${target} PUBLIC ${arg_PUBLIC_DEPS}
                          PRIVATE tilewave_options ${arg_PRIVATE_DEPS})
    # The Python module is made of the same libraries. Calls within a file stay direct.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
    if(TILEWAVE_CCACHE_LAUNCHER)
      set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${TILEWAVE_CCACHE_LAUNCHER}")
    endif()
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "${include_root}")
    target_link_libraries(${target} INTERFACE ${arg_PUBLIC_DEPS})
  endif()
  add_library(tilewave::${name} ALIAS ${target})
endfunction()
