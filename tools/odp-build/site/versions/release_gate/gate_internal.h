/* Inside of site/versions, the release gate: gate.c compares the numbers, compare.c finds what has changed,
 * window.c knows what may go, findings.c notes and says it. A failure of any of them stays in the gate. */
#pragma once

#include "published/stage.h"
#include "site/versions/release_gate/gate.h"

enum gate_change {
#define ODP_GATE_CHANGE(symbol, ...) GATE_##symbol,
#include "site/versions/release_gate/change.def"
#undef ODP_GATE_CHANGE
    GATE_CHANGES
};

struct gate {
    struct odp_gate *out;
    const struct odp_gate_job *job;
    struct odp_arena *arena;
    struct odp_diags *diags;
    enum odp_status status; /* the first failure */
    bool refused;
};

/* What a finding or a refusal is about. Any may be NULL but the dataset. */
struct gate_subject {
    const char *dataset, *resource, *field;
    const char *file, *where; /* where the catalogue speaks of it */
};

/* "2026-12-31" each, or NULL. */
struct gate_window {
    const char *deprecated, *sunset;
};

/* Records a finding. TEXT is in the arena. */
void gate_find(struct gate *g, enum odp_level level, const char *kind, const struct gate_subject *s,
               struct odp_text text);
/* The same by change.def; returns what was said. */
struct odp_text gate_find_change(struct gate *g, enum gate_change change, const struct gate_subject *s,
                                 const char *a0, const char *a1);
/* A diagnostic about S; an error refuses. */
void gate_say(struct gate *g, enum odp_code code, const struct gate_subject *s, const char *kind,
              const struct odp_text *message, const char *const args[2]);
/* Both texts, printed into the arena. */
#define GATE_TEXT(g, id, en, ...)                                                                            \
    ((struct odp_text){                                                                                      \
        {odp_arena_printf((g)->arena, id, __VA_ARGS__), odp_arena_printf((g)->arena, en, __VA_ARGS__)}})

/* Every difference between the previous index and the catalogue. BAD: the previous site cannot be read
 * (reported). */
void gate_compare(struct gate *g);

/* odp:deprecated and odp:sunset of a published object; both or none. */
struct gate_window gate_window_of(const json_t *published);
/* What S was is gone, as TEXT says: ODP-V22 unless one of the N windows it was announced in has closed. */
void gate_window_need(struct gate *g, const struct gate_subject *s, const char *kind,
                      const struct gate_window *windows, size_t n, const struct odp_text *text);
/* What was published as to go on BEFORE is now to go on NOW (empty: never): ODP-V24 when that leaves less
 * time than was promised. */
void gate_window_moved(struct gate *g, const struct gate_subject *s, struct gate_window before,
                       struct gate_window now);
/* ODP-V23 for all that is still there after its sunset. */
void gate_window_closed(struct gate *g);
