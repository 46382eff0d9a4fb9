/* What was found, and what is worth it. */
#include "check/drift/drift_internal.h"

void drift_add(const struct pair *p, enum odp_code code, enum odp_drift_kind kind, double size,
               struct odp_text message)
{
    struct findings *f = p->f;
    const char *field = p->field != NULL ? p->field->name : NULL;
    if (f->n < f->room)
        f->items[f->n++] =
            (struct finding){code, kind, field, size, p->d->bound[kind], p->d->where[kind], message, NULL};
}

bool drift_is_beyond(const struct pair *p, enum odp_drift_kind kind, double size, double moved)
{
    bool declared = p->d->where[kind] != NULL;
    bool enough = declared || (moved >= DRIFT_LITTLE && p->rows_a >= DRIFT_FEW && p->rows_b >= DRIFT_FEW);
    return p->d->bound[kind] >= 0 && size > p->d->bound[kind] && enough;
}
