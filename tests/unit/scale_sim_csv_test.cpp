// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/scale_sim_csv.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.hpp"

#include "workloads/ops/conv2d.hpp"

using namespace tilewave;
using test::contains;

namespace {

struct Imported {
  Workload workload;
  Diagnostics diagnostics;

  [[nodiscard]] const Conv2d& conv(std::size_t i) const {
    return std::get<Conv2d>(workload.ops.at(i).shape);
  }
  [[nodiscard]] const Gemm& gemm(std::size_t i) const {
    return std::get<Gemm>(workload.ops.at(i).shape);
  }
};

Imported import_text(const std::string& text, const ScaleSimOptions& options = {}) {
  Imported result;
  result.workload = import_scale_sim_csv(text, "t.csv", "t", options, result.diagnostics);
  return result;
}

const std::string kConvHeader =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
    "Strides,\n";
const std::string kGemmHeader = "Layer, M, N, K,\n";

void check_only_error(const Imported& r, int line, const std::string& part) {
  REQUIRE(r.diagnostics.errors().size() == 1);
  const Fault& fault = r.diagnostics.errors()[0];
  CHECK(fault.file == "t.csv");
  CHECK(fault.line == line);
  CHECK_THAT(fault.message, contains(part));
}

void check_only_warning(const Imported& r, int line, const std::string& part) {
  CHECK(r.diagnostics.ok());
  REQUIRE(r.diagnostics.warnings().size() == 1);
  const Fault& fault = r.diagnostics.warnings()[0];
  CHECK(fault.file == "t.csv");
  CHECK(fault.line == line);
  CHECK_THAT(fault.message, contains(part));
}

}  // namespace

TEST_CASE("The two forms", "[scale_sim]") {
  const Imported conv = import_text(kConvHeader + "Conv1, 30, 31, 3, 5, 7, 11, 2,\n");
  CHECK(conv.diagnostics.ok());
  REQUIRE(conv.workload.ops.size() == 1);
  CHECK(conv.workload.name == "t");
  CHECK(conv.workload.ops[0].name == "Conv1");
  CHECK(conv.workload.ops[0].dtype == DataType::int8);
  CHECK(conv.conv(0) ==
        Conv2d{.c = 7, .h = 30, .w = 31, .k = 11, .r = 3, .s = 5, .stride = {2, 2}});

  const Imported gemm = import_text(kGemmHeader + "L0, 196, 192, 1024,\nL1, 1, 2, 3,\n",
                                    {.dtype = DataType::fp16, .batch = {}});
  CHECK(gemm.diagnostics.ok());
  CHECK(gemm.diagnostics.warnings().empty());
  REQUIRE(gemm.workload.ops.size() == 2);
  CHECK(gemm.gemm(0) == Gemm{.m = 196, .n = 192, .k = 1024});
  CHECK(gemm.gemm(1) == Gemm{.m = 1, .n = 2, .k = 3});
  CHECK(gemm.workload.ops[0].dtype == DataType::fp16);
}

TEST_CASE("The form of the file does not matter", "[scale_sim]") {
  const std::string text = GENERATE(
      std::string("Layer,M,N,K,\nA,1,2,3,\nB,4,5,6,\n"),
      std::string("Layer,M,N,K\nA,1,2,3\nB,4,5,6"),                         // no final commas
      std::string("\xEF\xBB\xBFLayer,M,N,K,\r\nA,1,2,3,\r\nB,4,5,6,\r\n"),  // mark and CRLF
      std::string("Layer,M,N,K,\rA,1,2,3,\rB,4,5,6,\r"),                    // old Macintosh
      std::string("\n\nLayer,M,N,K,\n\n,,,,,,,\nA,1,2,3,\n \t \n\"\",\"\",,\nB,4,5,6,,,,\n"),
      std::string("\tLayer ,\tM,N ,K\n\tA, 1,\t2 ,3 ,  \n B\t,4,5,6,\n"),  // blanks and tabs
      std::string("Layer\tM\tN\tK\t\nA\t1\t2\t3\t\nB\t 4\t5\t6"),          // tabs for commas
      std::string("Layer;M;N;K;\nA;1;2;3;\nB;4;5;6;\n"),                   // semicolons
      std::string("\"Layer\",\"M\",\"N\",\"K\"\n\"A\",\"1\",2,3\n\"B\" , \"4\",5,\" 6\"\n"),
      std::string("Layer,M,N,K,\nA,1.0,2.00,3.\nB,4,5,6,\n"),            // a spreadsheet's numbers
      std::string("K,layer name,n,M\n3,A,2,1\n6,B,5,4\n"),               // other order
      std::string("Layer,M,N,K,\nA,1,2,3,\nLayer,N,M,K,\nB,5,4,6,\n"));  // two files in one
  CAPTURE(text);
  const Imported r = import_text(text);
  CHECK(r.diagnostics.ok());
  CHECK(r.diagnostics.warnings().empty());
  REQUIRE(r.workload.ops.size() == 2);
  CHECK(r.workload.ops[0].name == "A");
  CHECK(r.workload.ops[1].name == "B");
  CHECK(r.gemm(0) == Gemm{.m = 1, .n = 2, .k = 3});
  CHECK(r.gemm(1) == Gemm{.m = 4, .n = 5, .k = 6});
}

TEST_CASE("Columns are found by title", "[scale_sim]") {
  const std::string header = GENERATE(
      std::string("Layer name,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,"
                  "Num Filter,Strides"),
      std::string("Layer,Ifmap height,ifmap width,filter height,filter width,channels,num filters,"
                  "strides"),
      std::string("name,ifmap_h,ifmap_w,filter_h,filter_w,channels,num_filter,stride"),
      std::string("Layer Name,Input Height,Input Width,Kernel Height,Kernel Width,Cin,Cout,"
                  "Stride Height"),
      std::string("layer,H,W,R,S,C,K,stride"), std::string("layer,IH,IW,FH,FW,IC,OC,Stride_h"));
  CAPTURE(header);
  const Imported r = import_text(header + "\nL,30,31,3,5,7,11,2\n");
  CHECK(r.diagnostics.ok());
  REQUIRE(r.workload.ops.size() == 1);
  CHECK(r.conv(0) == Conv2d{.c = 7, .h = 30, .w = 31, .k = 11, .r = 3, .s = 5, .stride = {2, 2}});
}

TEST_CASE("Columns beyond SCALE-Sim's", "[scale_sim]") {
  const Imported r = import_text(
      "Layer name,Stride Height,Stride Width,IFMAP Height,IFMAP Width,Filter Height,Filter Width,"
      "Channels,Num Filter,Groups,Batch Size,Padding,Padding Width,Dilation\n"
      "A,1,2,8,9,3,3,8,16,8,4,1,2,2\n"
      "B,1,1,8,8,3,3,8,16,,,,,\n");
  CHECK(r.diagnostics.ok());
  CHECK(r.conv(0) == Conv2d{.n = 4,
                            .c = 8,
                            .h = 8,
                            .w = 9,
                            .k = 16,
                            .r = 3,
                            .s = 3,
                            .stride = {1, 2},
                            .padding = {1, 2},
                            .dilation = {2, 2},
                            .groups = 8});
  CHECK(r.conv(1) == Conv2d{.c = 8, .h = 8, .w = 8, .k = 16, .r = 3, .s = 3});
}

TEST_CASE("A number after the stride is the stride along the width", "[scale_sim]") {
  const Imported r = import_text(kConvHeader + "A,9,9,3,3,1,1,2,1,\nB,9,9,3,3,1,1,2,\n");
  CHECK(r.diagnostics.ok());
  CHECK(r.diagnostics.warnings().empty());
  CHECK(r.conv(0).stride == std::array<Count, 2>{2, 1});
  CHECK(r.conv(1).stride == std::array<Count, 2>{2, 2});
  check_only_error(import_text(kConvHeader + "A,9,9,3,3,1,1,2,0,\n"), 2,
                   "must be from 1 to 1000000");
  check_only_error(import_text(kConvHeader + "A,9,9,3,3,1,1,2,99999999999999999999,\n"), 2,
                   "column \"Stride Width\": must be from 1 to 1000000");
}

TEST_CASE("Without a known header columns are taken by position", "[scale_sim]") {
  SECTION("no header") {
    const Imported r = import_text("A,4,5,6,\nB,1,2,3,\n");
    check_only_warning(r, 1, "no header");
    CHECK(r.workload.ops.size() == 2);
    CHECK(r.gemm(0) == Gemm{.m = 4, .n = 5, .k = 6});
  }
  SECTION("a header that says nothing") {
    const Imported r = import_text("some, words, here\nA,31,31,3,5,7,11,2,\n");
    check_only_warning(r, 1, "header is not known");
    CHECK(r.workload.ops.size() == 1);
    CHECK(r.conv(0) == Conv2d{.c = 7, .h = 31, .w = 31, .k = 11, .r = 3, .s = 5, .stride = {2, 2}});
  }
  SECTION("a header that lacks a column") {
    const Imported r = import_text(
        "Layer name,IFMAP Height,IFMAP Width,Filter Higth,Filter Width,Channels,Num "
        "Filter,Strides\n"
        "A,31,31,3,5,7,11,2,1\n");
    check_only_warning(r, 1, "no column \"Filter Height\"");
    CHECK(r.conv(0).r == 3);
    CHECK(r.conv(0).stride == std::array<Count, 2>{2, 1});
  }
  SECTION("nothing that could be a layer") {
    check_only_error(import_text("hello\nworld\n"), 1, "neither a header nor a row");
    check_only_error(import_text("A,1,2\n"), 1, "neither a header nor a row");
  }
}

TEST_CASE("What looks wrong is a warning", "[scale_sim]") {
  SECTION("section title") {
    const Imported r = import_text(kGemmHeader + "Encoder,,,\nA,1,2,3,\n");
    check_only_warning(r, 2, "\"Encoder\": taken as a section title");
    CHECK(r.workload.ops.size() == 1);
  }
  SECTION("unknown columns") {
    const Imported r = import_text("Layer,M,N,K,,Eh,e2\nA,1,2,3,,110,12100\n");
    check_only_warning(r, 1, "\"Eh\", \"e2\"");
    CHECK(r.gemm(0) == Gemm{.m = 1, .n = 2, .k = 3});
  }
  SECTION("a column twice") {
    const Imported r = import_text("Layer,M,N,K,M\nA,1,2,3,9\n");
    check_only_warning(r, 1, "given before and ignored: \"M\"");
    CHECK(r.gemm(0).m == 1);
  }
  SECTION("a remark") {
    const Imported r = import_text(kConvHeader + "A,9,9,3,3,1,1,1,#dw\nB,9,9,3,3,1,1,1,#dw\n");
    check_only_warning(r, 2, "\"#dw\" has no column title and is ignored (and 1 more such row)");
    CHECK(r.conv(0).stride == std::array<Count, 2>{1, 1});
  }
  SECTION("sparsity") {
    check_only_warning(import_text("Layer,M,N,K,Sparsity\nA,1,2,4,2:4\n"), 2,
                       "2:4 is not modelled yet");
    check_only_warning(import_text(kConvHeader + "A,9,9,3,3,1,1,1,1:4\n"), 2,
                       "1:4 is not modelled yet");
    CHECK(import_text("Layer,M,N,K,Sparsity\nA,1,2,4,1:1\n").diagnostics.warnings().empty());
  }
  SECTION("names that are taken") {
    const Imported r = import_text(kGemmHeader + "A,1,2,3,\nA,1,2,3,\nA_2,1,2,3,\nA,1,2,3,\n");
    check_only_warning(r, 3, "the name \"A\" is taken, the layer is called \"A_2\"");
    std::vector<std::string> names;
    for (const Op& op : r.workload.ops) names.push_back(op.name);
    CHECK(names == std::vector<std::string>{"A", "A_2", "A_2_2", "A_3"});
  }
  SECTION("no name") {
    const Imported r = import_text(kGemmHeader + ",1,2,3,\n,1,2,3,\n");
    CHECK(r.diagnostics.ok());
    CHECK(r.workload.ops[1].name == "layer_2");
  }
  SECTION("a comment, which the format does not have") {
    check_only_warning(import_text(kGemmHeader + "#A,1,2,3,\n"), 2, "has no comments");
  }
}

TEST_CASE("A name changes nothing", "[scale_sim]") {
  const Imported plain = import_text(kConvHeader + "A,9,9,3,3,8,1,1,\n");
  const Imported named = import_text(kConvHeader + "DPw,9,9,3,3,8,1,1,\nB DP,9,9,3,3,8,1,1,\n");
  check_only_warning(named, 2, "SCALE-Sim makes one layer a channel");
  CHECK_THAT(named.diagnostics.warnings()[0].message, contains("column \"Groups\""));
  REQUIRE(named.workload.ops.size() == 2);
  CHECK(named.conv(0) == plain.conv(0));
  CHECK(import_text(kGemmHeader + "DP,1,2,3,\n").diagnostics.warnings().empty());
}

TEST_CASE("Output sizes are rounded down unless asked", "[scale_sim]") {
  const std::string text = kConvHeader + "A,224,224,7,7,3,64,2,\nB,8,8,2,2,1,1,2,\n";
  const Imported down = import_text(text);
  check_only_warning(down, 2, "109 x 109 rounded down; SCALE-Sim rounds up (110 x 110)");
  CHECK_THAT(down.diagnostics.warnings()[0].message, contains("--scale-sim-ceil"));
  CHECK(conv_output(down.conv(0)).h == 109);

  const Imported up = import_text(text, {.ceil = true, .batch = {}});
  CHECK(up.diagnostics.warnings().empty());
  CHECK(conv_output(up.conv(0)).h == 110);
  CHECK(conv_output(up.conv(1)).h == 4);
}

TEST_CASE("A batch from outside", "[scale_sim]") {
  CHECK(import_text(kConvHeader + "A,9,9,3,3,1,1,1,\n", {.batch = 5}).conv(0).n == 5);
  const Imported r = import_text(kGemmHeader + "A,1,2,3,\n", {.batch = 5});
  REQUIRE(r.diagnostics.errors().size() == 1);
  CHECK(r.diagnostics.errors()[0].file == "--batch");
  CHECK_THAT(r.diagnostics.errors()[0].message, contains("GEMM rows"));
}

TEST_CASE("Rows at fault", "[scale_sim]") {
  struct Case {
    std::string text;
    int line;
    std::string part;
  };
  const auto [text, line, part] = GENERATE(
      Case{kGemmHeader + "A,B,2,3,\n", 2, "column \"M\": must be a whole number, is \"B\""},
      Case{kGemmHeader + "A,1,2,K,\n", 2, "column \"K\": must be a whole number, is \"K\""},
      Case{kGemmHeader + "A,1,2,3,\nB,1,-2,3,\n", 3,
           "column \"N\": must be a whole number, is \"-2\""},
      Case{kGemmHeader + "A,1,2.5,3,\n", 2, "is \"2.5\""},
      Case{kGemmHeader + "A,1,2,\n", 2, "column \"K\" is empty"},
      Case{kGemmHeader + "A,1,,3,\n", 2, "column \"N\" is empty"},
      Case{kGemmHeader + "A,0,2,3,\n", 2, "column \"M\": must be from 1 to 1000000000000, is 0"},
      Case{kGemmHeader + "A,99999999999999999999,2,3,\n", 2, "is 99999999999999999999"},
      Case{kGemmHeader + "A,1,\"2,3\n", 2, "no closing quote"},
      Case{kGemmHeader + "A,3000000,3000000,3000000,\n", 2, "layer \"A\": has more than 2^62"},
      Case{kConvHeader + "A,4,4,5,3,1,1,1,\n", 2,
           "column \"Filter Height\": the filter's height 5 is larger than the padded input's 4"},
      Case{kConvHeader + "A,4,4,3,5,1,1,1,\n", 2, "column \"Filter Width\": the filter's width 5"},
      Case{kConvHeader + "A,4,4,3,3,1,1,0,\n", 2, "column \"Strides\": must be from 1 to 1000000"},
      Case{kConvHeader + "A,4,4,3,3,1,1\n", 2, "column \"Strides\" is empty"},
      Case{"Layer,M,N,K,Sparsity\nA,1,2,4,half\n", 2, "must be N:M such as 2:4, is \"half\""},
      Case{"H,W,R,S,C,K,stride,groups\n4,4,1,1,6,4,1,4\n", 2,
           "column \"groups\": must divide c = 6"},
      Case{std::string("a\0b", 3), 1, "NUL"}, Case{"\xff,1,2,3\n", 1, "UTF-8"});
  CAPTURE(text);
  const Imported r = import_text(text);
  REQUIRE(!r.diagnostics.errors().empty());
  CHECK(r.diagnostics.errors()[0].file == "t.csv");
  CHECK(r.diagnostics.errors()[0].line == line);
  CHECK_THAT(r.diagnostics.errors()[0].message, contains(part));
}

TEST_CASE("All rows at fault are reported", "[scale_sim]") {
  const Imported r = import_text(kGemmHeader + "A,x,2,y,\nB,1,2,3,\nC,0,1,1,\n");
  REQUIRE(r.diagnostics.errors().size() == 3);
  CHECK(r.diagnostics.errors()[0].line == 2);
  CHECK(r.diagnostics.errors()[1].line == 2);
  CHECK(r.diagnostics.errors()[2].line == 4);
}

TEST_CASE("A file without layers", "[scale_sim]") {
  const std::string text = GENERATE(std::string(""), std::string("\n\n"), std::string(",,,\n"),
                                    kGemmHeader, kGemmHeader + "Title,,,\n");
  const Imported r = import_text(text);
  REQUIRE(r.diagnostics.errors().size() == 1);
  CHECK(r.diagnostics.errors()[0].message == "has no layers");
}
