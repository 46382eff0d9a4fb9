/* Inside of run: the state of odp_run_export. */
#pragma once

#include <stdatomic.h>

#include "base/refusal.h"
#include "run/export_folder.h"
#include "run/run_internal.h"

struct export_run {
    struct run run;
    const struct odp_emitter *chosen[ODP_EMIT_MAX];
    size_t nchosen;
    struct export_folder folder;
    atomic_bool wrong; /* something is, so nothing will be written */
};

/* BAD, and said why. */
#define export_refuse(e, ...)                                                                                \
    ((e)->run.result->catalog_wrong = true,                                                                  \
     odp_refusal_put((e)->run.arena, &(e)->run.result->refused, __VA_ARGS__))

/* export_plan.c: the emitters of --format; without it all that make distributions. */
enum odp_status export_choose(struct export_run *e, const char *formats) ODP_MUST_USE;
/* Everything that can be refused before the data is read. */
enum odp_status export_plan(struct export_run *e) ODP_MUST_USE;
bool export_has(const struct export_run *e, const struct odp_resource *r);
