#include "CSwiftRuntime.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// The sections of an image that the runtime knows, up to the one with the types
// (MetadataSections.h of its shims).
struct section {
  uintptr_t start;
  size_t length;
};

struct sections {
  uintptr_t version;
  const void *base_address;
  void *unused[2];
  struct section protocols;
  struct section protocol_conformances;
  struct section type_metadata;
};

extern void swift_enumerateAllMetadataSections(bool (*body)(const struct sections *, void *), void *context);

// The beginning of a type's descriptor: its offsets count from their own addresses.
struct descriptor {
  uint32_t flags;
  int32_t parent;
  int32_t name;
  int32_t access_function;
};

struct response {
  const void *metadata;
  uintptr_t state;
};

static const uint32_t kind_bits = 0x1F, class_kind = 16, generic_bit = 0x80;
static const int32_t record_kind_bits = 3, direct_record = 0, indirect_record = 1;

struct search {
  const char *name;
  const struct descriptor **found;
  size_t capacity, count;
};

static const void *follow(const int32_t *offset, int32_t value) {
  return value == 0 ? NULL : (const char *)offset + value;
}

static const struct descriptor *described(const int32_t *record) {
  int32_t kind = *record & record_kind_bits;
  const void *address = follow(record, *record & ~record_kind_bits);
  if (address == NULL || kind > indirect_record) return NULL;
  return kind == direct_record ? address : *(const struct descriptor *const *)address;
}

static bool search_image(const struct sections *image, void *context) {
  struct search *search = context;
  const int32_t *record = (const int32_t *)image->type_metadata.start;
  if (record == NULL) return true;
  const int32_t *end = record + image->type_metadata.length / sizeof(int32_t);
  for (; record < end && search->count < search->capacity; record++) {
    const struct descriptor *type = described(record);
    if (type == NULL || (type->flags & kind_bits) != class_kind || (type->flags & generic_bit) != 0) continue;
    const char *name = follow(&type->name, type->name);
    if (name != NULL && strcmp(name, search->name) == 0) search->found[search->count++] = type;
  }
  return true;
}

size_t program_classes(const char *name, const void **classes, size_t capacity) {
  const struct descriptor *found[capacity > 0 ? capacity : 1];
  struct search search = {name, found, capacity, 0};
  swift_enumerateAllMetadataSections(search_image, &search);
  size_t count = 0;
  // Outside the walk: making a class may load its superclasses.
  for (size_t place = 0; place < search.count; place++) {
    const int32_t *offset = &found[place]->access_function;
    struct response (*access)(uintptr_t) = (struct response (*)(uintptr_t))follow(offset, *offset);
    if (access != NULL) classes[count++] = access(0).metadata;
  }
  return count;
}
