// SPDX-License-Identifier: Apache-2.0
#include "arch/program/program.hpp"

#include <fmt/format.h>

namespace tilewave::program {

std::string_view to_string(UnitKind unit) {
  switch (unit) {
    case UnitKind::load:
      return "load";
    case UnitKind::store:
      return "store";
    case UnitKind::matrix:
      return "matrix";
    case UnitKind::vector:
      return "vector";
  }
  return "?";
}

std::string_view to_string(Space space) {
  switch (space) {
    case Space::dram:
      return "dram";
    case Space::host:
      return "host";
    case Space::on_chip:
      return "on_chip";
    case Space::link:
      return "link";
  }
  return "?";
}

namespace {

void count_instruction(const Kernel& kernel, const Instruction& i, const LoopIndex& index,
                       Work& work) {
  ++work.instructions;
  switch (i.unit) {
    case UnitKind::matrix:
      work.macs += i.m.at(index) * i.n.at(index) * i.k.at(index);
      break;
    case UnitKind::vector:
      work.vector_operations += i.elements.at(index) * i.operations_per_element;
      break;
    case UnitKind::load:
    case UnitKind::store: {
      const Bytes bytes = i.region.bytes_at(index);
      const Space space = kernel.tensors[static_cast<std::size_t>(i.region.tensor)].space;
      if (space == Space::link) {
        work.link_bytes += bytes;
        break;
      }
      const bool host = space == Space::host;
      auto& counter = i.unit == UnitKind::load
                          ? (host ? work.host_read_bytes : work.dram_read_bytes)
                          : (host ? work.host_write_bytes : work.dram_write_bytes);
      counter += bytes;
      break;
    }
  }
}

}  // namespace

Work count_work(const Kernel& kernel) {
  Work work;
  for (Count block = 0; block < kernel.blocks(); ++block) {
    for (Walker walker(kernel, block); walker.current() != nullptr; walker.next()) {
      count_instruction(kernel, *walker.current(), walker.index(), work);
    }
  }
  return work;
}

namespace {

std::string text_of(const Affine& a) {
  std::string text = fmt::format("{}", a.base);
  for (int i = 0; i < kMaxLoops + kGridDims; ++i) {
    const auto stride = a.stride[static_cast<std::size_t>(i)];
    if (stride == 0) continue;
    text += i < kMaxLoops ? fmt::format("+{}*i{}", stride, i)
                          : fmt::format("+{}*block.{}", stride, "xyz"[i - kBlockIndex]);
  }
  return text;
}

std::string text_of(const Span& s) {
  return fmt::format("[{},+{})&[{},{})", text_of(s.begin), s.length, s.low, s.high);
}

std::string text_of(const Size& size) {
  std::string text;
  for (const auto& f : size.factors) text += (text.empty() ? "" : " x ") + text_of(f);
  return text.empty() ? "1" : text;
}

std::string text_of(const StridedRows& rows) {
  std::string text;
  for (const auto& dim : rows.dims) {
    text += text_of(dim.span);
    text += dim.pitch_bytes == 0 ? " packed " : fmt::format(" x pitch {} ", dim.pitch_bytes);
  }
  return text + "bytes " + text_of(rows.row_bytes);
}

std::string text_of(const WindowRows& w) {
  const std::string planes = w.channels == 1 ? "" : fmt::format(" of {} planes", w.channels);
  return fmt::format("input rows of output pixels {}{}, {} bytes each", text_of(w.outputs), planes,
                     w.row_bytes);
}

std::string text_of(const PlanePixels& p) {
  return fmt::format("pixels {} of planes {}", text_of(p.pixels), text_of(p.channels));
}

std::string text_of(const GatheredRows& g) {
  return fmt::format("gathered rows {} of {}, {} bytes each", text_of(g.rows), g.table_rows,
                     g.row_bytes);
}

std::string text_of(const WindowTaps& w) {
  return fmt::format("taps {} of output pixels {}", text_of(w.taps), text_of(w.outputs));
}

std::string text_of(const Condition& c) {
  if (c.never) return "never";
  std::string text;
  for (int i = 0; i < kMaxLoops; ++i) {
    if ((c.first >> i) & 1) text += fmt::format(" first(i{})", i);
    if ((c.last >> i) & 1) text += fmt::format(" last(i{})", i);
    if ((c.not_last >> i) & 1) text += fmt::format(" not last(i{})", i);
  }
  return text.empty() ? "always" : text.substr(1);
}

void print(const std::vector<Node>& body, const Kernel& kernel, int depth, std::string& out) {
  const std::string pad(static_cast<std::size_t>(2 * depth), ' ');
  for (const Node& node : body) {
    if (const auto* loop = std::get_if<Loop>(&node)) {
      out += fmt::format("{}for {} (i{}) in 0..{}\n", pad, loop->name, loop->index, loop->count);
      print(loop->body, kernel, depth + 1, out);
      continue;
    }
    const auto& i = std::get<Instruction>(node);
    out += fmt::format("{}{}.{} \"{}\"", pad, to_string(i.unit), i.queue, i.label);
    if (const auto when = text_of(i.when); when != "always") out += fmt::format(" when {}", when);
    switch (i.unit) {
      case UnitKind::matrix:
        out += fmt::format(" m {} n {} k {}", text_of(i.m), text_of(i.n), text_of(i.k));
        break;
      case UnitKind::vector:
        out += fmt::format(" elements {} operations {}", text_of(i.elements),
                           i.operations_per_element);
        break;
      case UnitKind::load:
      case UnitKind::store: {
        const auto& tensor = kernel.tensors[static_cast<std::size_t>(i.region.tensor)];
        out += fmt::format(" {}:{}", to_string(tensor.space), tensor.name);
        if (const auto offset = text_of(i.region.offset_bytes); offset != "0") {
          out += fmt::format(" from byte {}", offset);
        }
        out += ' ' + std::visit([](const auto& shape) { return text_of(shape); }, i.region.shape);
        break;
      }
    }
    for (const auto& use : i.slots) {
      out += fmt::format("; {}", kernel.slots[static_cast<std::size_t>(use.slot)].name);
      if (!use.acquire.never) out += fmt::format(" acquire {}", text_of(use.acquire));
      if (use.stage) out += fmt::format(" stage {}", text_of(*use.stage));
      if (use.wait) out += fmt::format(" wait part {}", use.part);
      if (use.produce) out += " produce";
      if (!use.release.never) out += fmt::format(" release {}", text_of(use.release));
    }
    out += '\n';
  }
}

}  // namespace

std::string to_text(const Program& program) {
  std::string out;
  for (const Kernel& kernel : program.kernels) {
    out += fmt::format("kernel \"{}\" dtype {}: {}\n", kernel.name, to_string(kernel.dtype),
                       kernel.description);
    if (kernel.blocks() > 1) {
      out += fmt::format("  grid {} x {} x {}\n", kernel.grid[0], kernel.grid[1], kernel.grid[2]);
    }
    if (kernel.launch_cycles > 0) out += fmt::format("  launch {} cycles\n", kernel.launch_cycles);
    for (const auto& t : kernel.tensors) {
      out += fmt::format("  tensor {} in {} at {:#x}, {} bytes\n", t.name, to_string(t.space),
                         t.base_address, t.bytes);
    }
    for (const auto& s : kernel.slots) {
      out += fmt::format("  slot {} in {}: {} x {} bytes\n", s.name, s.buffer, s.stages,
                         s.stage_bytes);
    }
    print(kernel.body, kernel, 1, out);
  }
  return out;
}

}  // namespace tilewave::program
