#include "tilewright/Target/Amdgpu/KernelNotes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELF.h"

#include <optional>

namespace tilewright::amdgpu {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace msgpack = llvm::msgpack;
using File = llvm::object::ELF64LEFile;

static Error malformed(const llvm::Twine &what) {
  return llvm::createStringError("the code object is malformed: " + what);
}

//===----------------------------------------------------------------------===//
// The document in the note
//===----------------------------------------------------------------------===//

/// The value of a key; null if the map has none.
static msgpack::DocNode *valueOf(msgpack::MapDocNode &map, StringRef key) {
  auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

/// A number that may be missing, which means zero.
static uint32_t numberOf(msgpack::MapDocNode &map, StringRef key) {
  msgpack::DocNode *value = valueOf(map, key);
  if (!value || (value->getKind() != msgpack::Type::UInt && value->getKind() != msgpack::Type::Int)) {
    return 0;
  }
  uint64_t number = value->getKind() == msgpack::Type::UInt ? value->getUInt() : static_cast<uint64_t>(value->getInt());
  return static_cast<uint32_t>(std::min<uint64_t>(number, UINT32_MAX));
}

static StringRef textOf(msgpack::MapDocNode &map, StringRef key) {
  msgpack::DocNode *value = valueOf(map, key);
  return value && value->isString() ? value->getString() : StringRef();
}

/// The elements of an array, all of which are maps; nullopt if they are not. An array that is missing is empty.
static std::optional<std::vector<msgpack::MapDocNode>> mapsOf(msgpack::MapDocNode &map, StringRef key) {
  msgpack::DocNode *value = valueOf(map, key);
  std::vector<msgpack::MapDocNode> maps;
  if (!value) {
    return maps;
  }
  if (!value->isArray()) {
    return std::nullopt;
  }
  for (msgpack::DocNode &element : value->getArray()) {
    if (!element.isMap()) {
      return std::nullopt;
    }
    maps.push_back(element.getMap());
  }
  return maps;
}

static Expected<KernelNotes> readKernel(msgpack::MapDocNode &map) {
  KernelNotes kernel;
  kernel.name = textOf(map, ".name").str();
  kernel.vectorRegisters = numberOf(map, ".vgpr_count");
  kernel.accumulationRegisters = numberOf(map, ".agpr_count");
  kernel.scalarRegisters = numberOf(map, ".sgpr_count");
  kernel.vectorSpills = numberOf(map, ".vgpr_spill_count");
  kernel.scalarSpills = numberOf(map, ".sgpr_spill_count");
  kernel.ldsBytes = numberOf(map, ".group_segment_fixed_size");
  kernel.scratchBytes = numberOf(map, ".private_segment_fixed_size");
  kernel.argumentBytes = numberOf(map, ".kernarg_segment_size");
  kernel.lanesPerWave = numberOf(map, ".wavefront_size");
  kernel.maxThreads = numberOf(map, ".max_flat_workgroup_size");
  auto arguments = mapsOf(map, ".args");
  if (!arguments) {
    return malformed("the arguments of kernel '" + kernel.name + "' are no list");
  }
  for (msgpack::MapDocNode &argument : *arguments) {
    kernel.arguments.push_back({numberOf(argument, ".offset"), numberOf(argument, ".size"),
                                textOf(argument, ".value_kind").starts_with("hidden_")});
  }
  return kernel;
}

/// Splits "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-". The names of generic architectures contain dashes.
static void readTarget(StringRef target, CodeObjectNotes &notes) {
  auto [triple, features] = target.split(':');
  size_t begin = triple.find("gfx");
  notes.architecture = begin == StringRef::npos ? "" : triple.substr(begin).str();
  notes.features = features.str();
}

static Expected<CodeObjectNotes> readDocument(StringRef bytes) {
  msgpack::Document document;
  if (!document.readFromBlob(bytes, /*Multi=*/false) || !document.getRoot().isMap()) {
    return malformed("its notes are no MessagePack");
  }
  msgpack::MapDocNode root = document.getRoot().getMap();
  CodeObjectNotes notes;
  readTarget(textOf(root, "amdhsa.target"), notes);
  auto kernels = mapsOf(root, "amdhsa.kernels");
  if (!kernels || notes.architecture.empty()) {
    return malformed("its notes name no architecture or no kernels");
  }
  for (msgpack::MapDocNode &map : *kernels) {
    Expected<KernelNotes> kernel = readKernel(map);
    if (!kernel) {
      return kernel.takeError();
    }
    notes.kernels.push_back(std::move(*kernel));
  }
  return notes;
}

//===----------------------------------------------------------------------===//
// The ELF file
//===----------------------------------------------------------------------===//

/// Checks that the file has all that its headers describe. A runtime that loads it is not told its size.
static Error checkComplete(const File &file) {
  auto sections = file.sections();
  if (!sections) {
    return sections.takeError();
  }
  auto segments = file.program_headers();
  if (!segments) {
    return segments.takeError();
  }
  for (const File::Elf_Phdr &segment : *segments) {
    if (segment.p_offset > file.getBufSize() || segment.p_filesz > file.getBufSize() - segment.p_offset) {
      return malformed("it is truncated");
    }
  }
  for (const File::Elf_Shdr &section : *sections) {
    if (section.sh_type == llvm::ELF::SHT_NOBITS) {
      continue;
    }
    if (section.sh_offset > file.getBufSize() || section.sh_size > file.getBufSize() - section.sh_offset) {
      return malformed("it is truncated");
    }
  }
  return Error::success();
}

/// The contents of the note; empty if the file has none.
static Expected<std::string> findNote(const File &file) {
  auto segments = file.program_headers();
  if (!segments) {
    return segments.takeError();
  }
  std::string found;
  for (const File::Elf_Phdr &segment : *segments) {
    if (segment.p_type != llvm::ELF::PT_NOTE) {
      continue;
    }
    if (segment.p_align != 4 && segment.p_align != 8) { // LLVM asserts that it is one
      return malformed("its notes are aligned to " + llvm::Twine(segment.p_align) + " bytes");
    }
    Error error = Error::success();
    for (const File::Elf_Note &note : file.notes(segment, error)) {
      if (note.getType() == llvm::ELF::NT_AMDGPU_METADATA && note.getName() == "AMDGPU") {
        found = note.getDescAsStringRef(segment.p_align).str();
      }
    }
    if (error) {
      return std::move(error);
    }
  }
  return found;
}

const KernelNotes *CodeObjectNotes::find(StringRef kernel) const {
  auto found = llvm::find_if(kernels, [&](const KernelNotes &notes) { return notes.name == kernel; });
  return found == kernels.end() ? nullptr : &*found;
}

Expected<CodeObjectNotes> readNotes(StringRef codeObject) {
  if (!codeObject.starts_with(StringRef(llvm::ELF::ElfMagic, 4))) {
    return malformed("it is no ELF file");
  }
  Expected<File> file = File::create(codeObject);
  if (!file) {
    return file.takeError();
  }
  if (file->getHeader().e_machine != llvm::ELF::EM_AMDGPU || file->getHeader().e_ident[llvm::ELF::EI_CLASS] != 2) {
    return malformed("it is an ELF file for another processor than an AMD GPU");
  }
  if (Error error = checkComplete(*file)) {
    return std::move(error);
  }
  Expected<std::string> note = findNote(*file);
  if (!note) {
    return note.takeError();
  }
  return note->empty() ? malformed("it has no notes on its kernels") : readDocument(*note);
}

} // namespace tilewright::amdgpu
