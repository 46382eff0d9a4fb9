/* The registry: which emitters there are (emitters.def). */
#include "write/emitters.h"

static const struct odp_emitter *const emitters[ODP_EMIT_MAX] = {
#define ODP_EMITTER(name) &odp_emitter_##name,
#include "write/emitters.def"
#undef ODP_EMITTER
};

const struct odp_emitter *const *odp_emitters(size_t *n)
{
    *n = ODP_EMIT_MAX;
    return emitters;
}
