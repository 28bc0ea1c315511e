#include "tilewright/Target/Amdgpu/CodeObject.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;

namespace tilewright::amdgpu {

/// The contents of the note of AMD's metadata, in MessagePack.
static Expected<StringRef> findMetadata(const object::ELFFile<object::ELF64LE> &file) {
  auto sections = file.sections();
  if (!sections) {
    return sections.takeError();
  }
  for (const object::ELF64LE::Shdr &section : *sections) {
    if (section.sh_type != ELF::SHT_NOTE) {
      continue;
    }
    Error error = Error::success();
    for (const object::ELF64LE::Note &note : file.notes(section, error)) {
      if (note.getType() == ELF::NT_AMDGPU_METADATA && note.getName() == "AMDGPU") {
        consumeError(std::move(error));
        return note.getDescAsStringRef(section.sh_addralign);
      }
    }
    if (error) {
      return std::move(error);
    }
  }
  return createStringError("the code object has no metadata");
}

static int64_t numberOf(msgpack::MapDocNode &map, StringRef key) {
  auto found = map.find(key);
  if (found == map.end()) {
    return 0;
  }
  const msgpack::DocNode &node = found->second;
  return node.getKind() == msgpack::Type::UInt ? static_cast<int64_t>(node.getUInt()) : node.getInt();
}

static KernelResources describe(msgpack::MapDocNode &kernel, StringRef name) {
  KernelResources resources;
  resources.name = name.str();
  resources.registers = numberOf(kernel, ".vgpr_count");
  resources.accumulators = numberOf(kernel, ".agpr_count");
  resources.scalarRegisters = numberOf(kernel, ".sgpr_count");
  resources.spilledRegisters = numberOf(kernel, ".vgpr_spill_count");
  resources.spilledScalars = numberOf(kernel, ".sgpr_spill_count");
  resources.scratchBytes = numberOf(kernel, ".private_segment_fixed_size");
  resources.sharedBytes = numberOf(kernel, ".group_segment_fixed_size");
  resources.argumentBytes = numberOf(kernel, ".kernarg_segment_size");
  resources.lanesPerWarp = numberOf(kernel, ".wavefront_size");
  resources.threadsPerBlock = numberOf(kernel, ".max_flat_workgroup_size");
  return resources;
}

static bool hasName(msgpack::MapDocNode &kernel, StringRef name) {
  auto found = kernel.find(".name");
  return found != kernel.end() && found->second.isString() && found->second.getString() == name;
}

Expected<KernelResources> readResources(StringRef object, StringRef name) {
  auto file = object::ELFFile<object::ELF64LE>::create(object);
  if (!file) {
    return file.takeError();
  }
  auto metadata = findMetadata(*file);
  if (!metadata) {
    return metadata.takeError();
  }
  msgpack::Document document;
  if (!document.readFromBlob(*metadata, /*Multi=*/false) || !document.getRoot().isMap()) {
    return createStringError("the metadata of the code object are corrupt");
  }
  msgpack::MapDocNode &root = document.getRoot().getMap();
  auto kernels = root.find("amdhsa.kernels");
  if (kernels != root.end() && kernels->second.isArray()) {
    for (msgpack::DocNode &kernel : kernels->second.getArray()) {
      if (kernel.isMap() && hasName(kernel.getMap(), name)) {
        return describe(kernel.getMap(), name);
      }
    }
  }
  return createStringError("the code object has no kernel '" + name + "'");
}

} // namespace tilewright::amdgpu
