// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <string>

#include "workloads/models/model.hpp"
#include "workloads/models/network_builder.hpp"

/// Inception-v3 (C. Szegedy et al., arXiv 1512.00567) as in torchvision, without the auxiliary
/// classifier, which only training has.
namespace tilewave {
namespace {

constexpr auto relu = Activation::relu;
constexpr auto across = Line::horizontal;
constexpr auto down = Line::vertical;

/// The layers of one module, named after it.
class Module {
 public:
  Module(NetworkBuilder& net, std::string name, Feature x)
      : net_(net), name_(std::move(name)), x_(std::move(x)) {}

  [[nodiscard]] const Feature& input() const { return x_; }
  Feature conv(const std::string& layer, const Feature& x, Count filters, Window window) {
    return net_.conv(name_ + "." + layer, x, filters, window, relu);
  }
  Feature line(const std::string& layer, const Feature& x, Count filters, Line line, Count size) {
    return net_.conv_line(name_ + "." + layer, x, filters, line, size, relu);
  }
  Feature average_pool() {
    return net_.average_pool(name_ + ".branch_pool.pool", x_,
                             {.size = 3, .stride = 1, .padding = 1});
  }
  Feature max_pool() { return net_.max_pool(name_ + ".pool", x_, {.size = 3, .stride = 2}); }
  Feature concat(const std::vector<Feature>& branches) {
    return net_.concat(name_ + ".concat", branches);
  }

 private:
  NetworkBuilder& net_;
  std::string name_;
  Feature x_;
};

constexpr Window k1x1{.size = 1};
constexpr Window k3x3{.size = 3, .stride = 1, .padding = 1};
constexpr Window k5x5{.size = 5, .stride = 1, .padding = 2};
constexpr Window kHalve{.size = 3, .stride = 2};

/// 35 x 35: 1 x 1, 5 x 5, two 3 x 3, pool.
Feature module_a(Module m, Count pool_filters) {
  const Feature& x = m.input();
  const Feature one = m.conv("branch1x1", x, 64, k1x1);
  Feature five = m.conv("branch5x5_1", x, 48, k1x1);
  five = m.conv("branch5x5_2", five, 64, k5x5);
  Feature threes = m.conv("branch3x3dbl_1", x, 64, k1x1);
  threes = m.conv("branch3x3dbl_2", threes, 96, k3x3);
  threes = m.conv("branch3x3dbl_3", threes, 96, k3x3);
  const Feature pool = m.conv("branch_pool", m.average_pool(), pool_filters, k1x1);
  return m.concat({one, five, threes, pool});
}

/// 35 x 35 to 17 x 17.
Feature module_b(Module m) {
  const Feature& x = m.input();
  const Feature three = m.conv("branch3x3", x, 384, kHalve);
  Feature threes = m.conv("branch3x3dbl_1", x, 64, k1x1);
  threes = m.conv("branch3x3dbl_2", threes, 96, k3x3);
  threes = m.conv("branch3x3dbl_3", threes, 96, kHalve);
  return m.concat({three, threes, m.max_pool()});
}

/// 17 x 17: 7 x 7 filters as 1 x 7 and 7 x 1, of `width` channels between.
Feature module_c(Module m, Count width) {
  const Feature& x = m.input();
  const Feature one = m.conv("branch1x1", x, 192, k1x1);
  Feature seven = m.conv("branch7x7_1", x, width, k1x1);
  seven = m.line("branch7x7_2", seven, width, across, 7);
  seven = m.line("branch7x7_3", seven, 192, down, 7);
  Feature sevens = m.conv("branch7x7dbl_1", x, width, k1x1);
  sevens = m.line("branch7x7dbl_2", sevens, width, down, 7);
  sevens = m.line("branch7x7dbl_3", sevens, width, across, 7);
  sevens = m.line("branch7x7dbl_4", sevens, width, down, 7);
  sevens = m.line("branch7x7dbl_5", sevens, 192, across, 7);
  const Feature pool = m.conv("branch_pool", m.average_pool(), 192, k1x1);
  return m.concat({one, seven, sevens, pool});
}

/// 17 x 17 to 8 x 8.
Feature module_d(Module m) {
  const Feature& x = m.input();
  Feature three = m.conv("branch3x3_1", x, 192, k1x1);
  three = m.conv("branch3x3_2", three, 320, kHalve);
  Feature seven = m.conv("branch7x7x3_1", x, 192, k1x1);
  seven = m.line("branch7x7x3_2", seven, 192, across, 7);
  seven = m.line("branch7x7x3_3", seven, 192, down, 7);
  seven = m.conv("branch7x7x3_4", seven, 192, kHalve);
  return m.concat({three, seven, m.max_pool()});
}

/// 8 x 8: branches that end in 1 x 3 and 3 x 1 side by side.
Feature module_e(Module m) {
  const Feature& x = m.input();
  const Feature one = m.conv("branch1x1", x, 320, k1x1);
  const Feature three = m.conv("branch3x3_1", x, 384, k1x1);
  const Feature three_a = m.line("branch3x3_2a", three, 384, across, 3);
  const Feature three_b = m.line("branch3x3_2b", three, 384, down, 3);
  Feature threes = m.conv("branch3x3dbl_1", x, 448, k1x1);
  threes = m.conv("branch3x3dbl_2", threes, 384, k3x3);
  const Feature threes_a = m.line("branch3x3dbl_3a", threes, 384, across, 3);
  const Feature threes_b = m.line("branch3x3dbl_3b", threes, 384, down, 3);
  const Feature pool = m.conv("branch_pool", m.average_pool(), 192, k1x1);
  return m.concat({one, three_a, three_b, threes_a, threes_b, pool});
}

Workload build(const ModelParameters& p) {
  NetworkBuilder net("inception_v3", p.count("batch"), p.dtype);
  Feature x = net.input(3, 299, 299);
  x = net.conv("Conv2d_1a_3x3", x, 32, kHalve, relu);
  x = net.conv("Conv2d_2a_3x3", x, 32, {.size = 3}, relu);
  x = net.conv("Conv2d_2b_3x3", x, 64, k3x3, relu);
  x = net.max_pool("maxpool1", x, {.size = 3, .stride = 2});
  x = net.conv("Conv2d_3b_1x1", x, 80, k1x1, relu);
  x = net.conv("Conv2d_4a_3x3", x, 192, {.size = 3}, relu);
  x = net.max_pool("maxpool2", x, {.size = 3, .stride = 2});
  x = module_a({net, "Mixed_5b", x}, 32);
  x = module_a({net, "Mixed_5c", x}, 64);
  x = module_a({net, "Mixed_5d", x}, 64);
  x = module_b({net, "Mixed_6a", x});
  x = module_c({net, "Mixed_6b", x}, 128);
  x = module_c({net, "Mixed_6c", x}, 160);
  x = module_c({net, "Mixed_6d", x}, 160);
  x = module_c({net, "Mixed_6e", x}, 192);
  x = module_d({net, "Mixed_7a", x});
  x = module_e({net, "Mixed_7b", x});
  x = module_e({net, "Mixed_7c", x});
  x = net.global_average_pool("avgpool", x);
  net.fully_connected("fc", x, 1000, Activation::none);
  return net.take();
}

}  // namespace

Model inception_v3() {
  return {"inception_v3", "Inception-v3, 299 x 299 images", {batch_parameter()}, build};
}

}  // namespace tilewave
