/* Inside of write: the emitters that emitters.def lists. */
#ifndef ODP_WRITE_EMITTERS_H
#define ODP_WRITE_EMITTERS_H

#include "write/emit.h"

#define ODP_EMITTER(name) extern const struct odp_emitter odp_emitter_##name;
#include "write/emitters.def"
#undef ODP_EMITTER

#endif
