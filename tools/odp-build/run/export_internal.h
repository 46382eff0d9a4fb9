/* Inside of run: the state of odp_run_export. */
#pragma once

#include <stdatomic.h>

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
enum odp_status export_refuse(struct export_run *e, const char *id, const char *en, ...)
    __attribute__((format(printf, 2, 4), format(printf, 3, 4))) ODP_MUST_USE;

/* export_plan.c: the emitters of --format; without it all that make distributions. */
enum odp_status export_choose(struct export_run *e, const char *formats) ODP_MUST_USE;
/* Everything that can be refused before the data is read. */
enum odp_status export_plan(struct export_run *e) ODP_MUST_USE;
bool export_has(const struct export_run *e, const struct odp_resource *r);
