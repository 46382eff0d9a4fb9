/* The registry: the emitters of formats, in the order in which files are listed, and the others. */
#include "write/emitters.h"

static const struct odp_emitter *const emitters[ODP_EMIT_MAX] = {
#define ODP_FORMAT(symbol, name, ...)      &odp_emitter_##name,
#define ODP_FORMAT_ALSO(symbol, name, ...) &odp_emitter_##name,
#define ODP_EMITTER(name)                  &odp_emitter_##name,
#include "contract/formats.def"
#include "write/emitters.def"
#undef ODP_FORMAT
#undef ODP_FORMAT_ALSO
#undef ODP_EMITTER
};

const struct odp_emitter *const *odp_emitters(size_t *n)
{
    *n = ODP_EMIT_MAX;
    return emitters;
}
