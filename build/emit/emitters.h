/* Inside of build/emit: the emitters that registry.c lists. */
#ifndef ODP_EMIT_EMITTERS_H
#define ODP_EMIT_EMITTERS_H

#include "emit/emit.h"

extern const struct odp_emitter odp_emitter_api, odp_emitter_json, odp_emitter_geojson, odp_emitter_csv, odp_emitter_excel_csv;

#endif
