// SPDX-License-Identifier: Apache-2.0
#include "arch/program/data_type.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace tilewave;

TEST_CASE("Data types have the names of the design", "[dtype]") {
  const std::vector<std::string> names{"int4",
                                       "int8",
                                       "int16",
                                       "int32",
                                       "fp4",
                                       "fp8",
                                       "fp8_block",
                                       "fp16",
                                       "bf16",
                                       "tf32",
                                       "fp32",
                                       "fp64",
                                       "int8_weight_only",
                                       "int4_weight_only",
                                       "nvfp4",
                                       "int16xint8",
                                       "int8xint16"};
  REQUIRE(all_data_types().size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const DataType type = all_data_types()[i];
    CHECK(to_string(type) == names[i]);
    CHECK(data_type_from_string(names[i]) == type);
  }
  CHECK(!data_type_from_string("int7"));
  CHECK(!data_type_from_string("INT8"));
  CHECK(!data_type_from_string(""));
}

TEST_CASE("Bits of data types", "[dtype]") {
  struct Case {
    DataType type;
    unsigned activation, weight, accumulator;
    bool integer;
  };
  const auto [type, activation, weight, accumulator, integer] = GENERATE(
      Case{DataType::int4, 4, 4, 32, true}, Case{DataType::int8, 8, 8, 32, true},
      Case{DataType::int16, 16, 16, 32, true}, Case{DataType::int32, 32, 32, 32, true},
      Case{DataType::fp4, 4, 4, 32, false}, Case{DataType::fp8, 8, 8, 32, false},
      Case{DataType::fp8_block, 8, 8, 32, false}, Case{DataType::fp16, 16, 16, 32, false},
      Case{DataType::bf16, 16, 16, 32, false}, Case{DataType::tf32, 32, 32, 32, false},
      Case{DataType::fp32, 32, 32, 32, false}, Case{DataType::fp64, 64, 64, 64, false},
      Case{DataType::int8_weight_only, 16, 8, 32, false},
      Case{DataType::int4_weight_only, 16, 4, 32, false}, Case{DataType::nvfp4, 4, 4, 32, false},
      Case{DataType::int16xint8, 16, 8, 32, true}, Case{DataType::int8xint16, 8, 16, 32, true});
  CAPTURE(to_string(type));
  CHECK(activation_bits(type) == activation);
  CHECK(weight_bits(type) == weight);
  CHECK(accumulator_bits(type) == accumulator);
  CHECK(is_integer(type) == integer);
}

TEST_CASE("Block scales", "[dtype]") {
  CHECK(weight_scale(DataType::int8).bits == 0);
  CHECK(weight_scale(DataType::nvfp4).bits == 8);
  CHECK(weight_scale(DataType::nvfp4).elements == 16);
  CHECK(activation_scale(DataType::fp8_block).elements == 128);
  CHECK(weight_scale(DataType::fp8_block).elements == 128 * 128);
  CHECK(activation_scale(DataType::int4_weight_only).bits == 0);
}

TEST_CASE("Storage is rounded up to bytes", "[dtype]") {
  CHECK(bytes_for(0, 4) == 0);
  CHECK(bytes_for(1, 4) == 1);
  CHECK(bytes_for(3, 4) == 2);
  CHECK(bytes_for(5, 16) == 10);
}
