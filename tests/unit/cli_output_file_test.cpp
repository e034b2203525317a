// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/catch.hpp"

#include "app/cli/output_file.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "tilewave-out-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path operator/(const char* name) const { return path_ / name; }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

std::string content(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST_CASE("a file is there only when it is complete", "[cli][output]") {
  const Folder folder;
  OutputFile file("--out", folder / "a");
  CHECK(folder.files() == 0);
  file.stage("text");
  CHECK_FALSE(fs::exists(folder / "a"));
  file.commit();
  CHECK(content(folder / "a") == "text");
  CHECK(folder.files() == 1);
}

TEST_CASE("what is not committed leaves nothing behind", "[cli][output]") {
  const Folder folder;
  std::ofstream(folder / "a") << "old";
  {
    OutputFile file("--out", folder / "a");
    file.stage("new");
    OutputFile moved = std::move(file);
  }
  CHECK(content(folder / "a") == "old");
  CHECK(folder.files() == 1);
}

TEST_CASE("of several files, all are written or none", "[cli][output]") {
  const Folder folder;
  fs::create_directory(folder / "gone");
  OutputFiles files;
  files.add("--out", folder / "a");
  files.add("--csv", folder / "gone" / "b");
  CHECK(files.has("--csv"));
  CHECK_FALSE(files.has("--html"));
  CHECK_THROWS_AS(files.add("--html", folder / "." / "a"), ConfigError);
  files.set("--out", "1");
  files.set("--csv", "2");
  fs::remove(folder / "gone");
  CHECK_THROWS_AS(files.write(), OutputError);
  CHECK(folder.files() == 0);
  fs::create_directory(folder / "gone");
  files.write();
  CHECK(content(folder / "a") == "1");
  CHECK(content(folder / "gone" / "b") == "2");
}

}  // namespace
}  // namespace tilewave
