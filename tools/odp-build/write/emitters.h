/* Inside of write: the emitters of contract/formats.def, and those that emitters.def lists. */
#pragma once

#include "write/emit.h"

#define ODP_FORMAT(symbol, name, ...)      extern const struct odp_emitter odp_emitter_##name;
#define ODP_FORMAT_ALSO(symbol, name, ...) extern const struct odp_emitter odp_emitter_##name;
#define ODP_EMITTER(name)                  extern const struct odp_emitter odp_emitter_##name;
#include "contract/formats.def"
#include "write/emitters.def"
#undef ODP_FORMAT
#undef ODP_FORMAT_ALSO
#undef ODP_EMITTER
