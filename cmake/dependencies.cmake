# SPDX-License-Identifier: Apache-2.0
# Packages of the library and the command line. Those of tests and benchmarks are looked for in their
# own folders, SystemC in systemc.cmake. scripts/install-deps.sh installs all of them.

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(fmt REQUIRED)
find_package(Boost 1.71 CONFIG REQUIRED COMPONENTS program_options)
find_package(SQLite3 3.31 REQUIRED)
