// Code objects for tests: the notes of real ones, without code.

#include "State.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>

namespace fake_hip {

namespace msgpack = llvm::msgpack;
using llvm::ELF::Elf64_Ehdr;
using llvm::ELF::Elf64_Phdr;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// "8,2h": two arguments; the second one is hidden. Each is aligned to its size, or to 8 bytes if it is larger.
static msgpack::ArrayDocNode writeArguments(msgpack::Document &document, const std::string &text) {
  msgpack::ArrayDocNode arguments = document.getArrayNode();
  std::istringstream words(text);
  unsigned offset = 0;
  for (std::string word; std::getline(words, word, ',');) {
    unsigned bytes = std::atoi(word.c_str()), alignment = std::min(bytes, 8u);
    offset = (offset + alignment - 1) / alignment * alignment;
    msgpack::MapDocNode argument = document.getMapNode();
    argument[".offset"] = document.getNode(offset);
    argument[".size"] = document.getNode(bytes);
    argument[".value_kind"] = document.getNode(word.back() == 'h' ? "hidden_block_count_x" : "by_value");
    arguments.push_back(argument);
    offset += bytes;
  }
  return arguments;
}

static msgpack::MapDocNode writeKernel(msgpack::Document &document, const std::string &line) {
  static const std::map<std::string, const char *> keys = {{"registers", ".vgpr_count"},
                                                           {"accumulation", ".agpr_count"},
                                                           {"scalar", ".sgpr_count"},
                                                           {"spills", ".vgpr_spill_count"},
                                                           {"local", ".private_segment_fixed_size"},
                                                           {"static", ".group_segment_fixed_size"},
                                                           {"threads", ".max_flat_workgroup_size"},
                                                           {"lanes", ".wavefront_size"}};
  std::istringstream words(line);
  std::string name;
  words >> name;
  msgpack::MapDocNode kernel = document.getMapNode();
  kernel[".name"] = document.getNode(name, /*Copy=*/true);
  kernel[".max_flat_workgroup_size"] = document.getNode(1024u);
  for (std::string word; words >> word;) {
    std::string key = word.substr(0, word.find('=')), value = word.substr(word.find('=') + 1);
    if (key == "parameters") {
      kernel[".args"] = writeArguments(document, value);
    } else if (auto found = keys.find(key); found != keys.end()) {
      kernel[found->second] = document.getNode(static_cast<unsigned>(std::atoi(value.c_str())));
    }
  }
  return kernel;
}

/// The first line is the architecture with its features; each of the others is a kernel.
static std::string writeNotes(const std::string &text) {
  msgpack::Document document;
  std::istringstream lines(text);
  std::string target;
  std::getline(lines, target);
  msgpack::MapDocNode root = document.getRoot().getMap(/*Convert=*/true);
  root["amdhsa.target"] = document.getNode("amdgcn-amd-amdhsa--" + target, /*Copy=*/true);
  msgpack::ArrayDocNode kernels = document.getArrayNode();
  for (std::string line; std::getline(lines, line);) {
    kernels.push_back(writeKernel(document, line));
  }
  root["amdhsa.kernels"] = kernels;
  std::string blob;
  document.writeToBlob(blob);
  return blob;
}

static std::string writeImage(const std::string &text) {
  std::string notes = writeNotes(text), name("AMDGPU\0\0", 8);
  uint32_t noteHeader[] = {7, static_cast<uint32_t>(notes.size()), llvm::ELF::NT_AMDGPU_METADATA};
  notes.resize((notes.size() + 3) / 4 * 4);
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, llvm::ELF::ElfMagic, 4);
  header.e_ident[llvm::ELF::EI_CLASS] = llvm::ELF::ELFCLASS64;
  header.e_ident[llvm::ELF::EI_DATA] = llvm::ELF::ELFDATA2LSB;
  header.e_ident[llvm::ELF::EI_VERSION] = 1;
  header.e_machine = llvm::ELF::EM_AMDGPU;
  header.e_phoff = header.e_ehsize = sizeof(header);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  Elf64_Phdr segment = {};
  segment.p_type = llvm::ELF::PT_NOTE;
  segment.p_offset = sizeof(header) + sizeof(segment);
  segment.p_filesz = sizeof(noteHeader) + name.size() + notes.size();
  segment.p_align = 4;
  auto bytes = [](const auto &value) { return std::string(reinterpret_cast<const char *>(&value), sizeof(value)); };
  return bytes(header) + bytes(segment) + bytes(noteHeader) + name + notes;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

std::optional<tilewright::amdgpu::CodeObjectNotes> readImage(const void *image) {
  Elf64_Ehdr header;
  const auto *bytes = static_cast<const char *>(image);
  if (std::memcmp(bytes, llvm::ELF::ElfMagic, 4) != 0) {
    return std::nullopt;
  }
  std::memcpy(&header, bytes, sizeof(header));
  uint64_t size = header.e_shoff + uint64_t(header.e_shnum) * header.e_shentsize;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes + header.e_phoff + i * sizeof(segment), sizeof(segment));
    size = std::max(size, segment.p_offset + segment.p_filesz);
  }
  auto notes = tilewright::amdgpu::readNotes(llvm::StringRef(bytes, size));
  if (!notes) {
    llvm::consumeError(notes.takeError());
    return std::nullopt;
  }
  return std::move(*notes);
}

} // namespace fake_hip

/// A code object for the lines of `text`; see writeNotes(). Valid until the next call of the thread.
extern "C" __attribute__((visibility("default"))) const char *fake_code_object(const char *text, size_t *size) {
  thread_local std::string image;
  image = fake_hip::writeImage(text);
  *size = image.size();
  return image.data();
}
