/* Inside of build/emit: the emitters that emitters.def lists. */
#ifndef ODP_EMIT_EMITTERS_H
#define ODP_EMIT_EMITTERS_H

#include "emit/emit.h"

#define ODP_EMITTER(name) extern const struct odp_emitter odp_emitter_##name;
#include "emit/emitters.def"
#undef ODP_EMITTER

#endif
