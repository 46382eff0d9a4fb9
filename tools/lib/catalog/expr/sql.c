/* A text of SQL and its values. */
#include "catalog/expr/sql.h"

void odp_sql_init(struct odp_sql *s, struct odp_arena *arena)
{
    *s = (struct odp_sql){.arena = arena};
    odp_buffer_init(&s->text);
}

void odp_sql_release(struct odp_sql *s)
{
    odp_buffer_release(&s->text);
}

enum odp_status odp_sql_bind(struct odp_sql *s, const struct odp_sql_value *v)
{
    if (s->n == s->cap) {
        uint32_t cap = s->cap > 0 ? s->cap * 2 : 16;
        struct odp_sql_value *more = cap > s->cap ? odp_arena_array(s->arena, cap, sizeof *more) : NULL;
        if (more == NULL)
            return odp_failure_set("bind value", NULL, 0);
        if (s->n > 0)
            memcpy(more, s->values, s->n * sizeof *more);
        s->values = more;
        s->cap = cap;
    }
    s->values[s->n++] = *v;
    odp_buffer_add_char(&s->text, '?');
    return odp_buffer_status(&s->text);
}
