/* What a monitor asks: figures of everything in the service. */
#pragma once

#include "base/buffer.h"
#include "service/state/state.h"

/* Prometheus text format 0.0.4, appended to OUT. */
enum odp_status odp_metrics_write(struct odp_state *s, struct odp_buffer *out) ODP_MUST_USE;
