/* The examples of templates/clients/<language>/examples, written with a dataset that the catalogue has. */
#include "site/clients/clients_internal.h"

struct mark {
    const char *name;  /* "@SLUG@" */
    const char *value; /* "": there is nothing to show it with */
};

enum { MARKS = 7 };

static void make_marks(struct mark marks[MARKS], const struct client_model *m, enum odp_client_language l)
{
    const struct client_sample *s = &m->sample;
    const json_t *datasets = json_object_get(m->dressed[l], "datasets"), *of = json_array_get(datasets, s->dataset);
    const char *const values[MARKS] = {client_text(of, "slug"), client_text(of, "property"), s->number, s->text, s->value, s->format,
                                       client_text(json_array_get(datasets, s->timeline), "property")};
    static const char *const names[MARKS] = {"@SLUG@", "@DATASET@", "@NUMBER@", "@FIELD@", "@VALUE@", "@FORMAT@", "@TIMELINE@"};
    for (size_t i = 0; i < MARKS; i++)
        marks[i] = (struct mark){names[i], values[i] != NULL ? values[i] : ""};
}

/* The mark that TEXT begins with, or NULL. */
static const struct mark *mark_at(const struct mark marks[MARKS], const char *text)
{
    for (size_t i = 0; i < MARKS; i++)
        if (strncmp(text, marks[i].name, strlen(marks[i].name)) == 0)
            return &marks[i];
    return NULL;
}

static enum odp_status fill(struct odp_buffer *out, const struct mark marks[MARKS], const char *text)
{
    for (const char *p = text; *p != '\0';) {
        const struct mark *mark = *p == '@' ? mark_at(marks, p) : NULL;
        if (mark == NULL) {
            odp_buffer_add_char(out, *p++);
            continue;
        }
        if (*mark->value == '\0')
            return ODP_DONE;
        odp_buffer_add_str(out, mark->value);
        p += strlen(mark->name);
    }
    return odp_buffer_status(out);
}

enum odp_status client_example(struct odp_buffer *out, const struct client_model *m, enum odp_client_language l, const char *name)
{
    const char *path = odp_arena_printf(m->arena, "%s/examples/%s%s", client_languages[l].name, name, client_languages[l].extension);
    const struct odp_template_text *source = client_source_find(path);
    struct mark marks[MARKS];
    struct odp_buffer named;
    if (source == NULL)
        return ODP_DONE;
    make_marks(marks, m, l);
    odp_buffer_init(&named);
    /* names first: a dataset may have the name of a library in its values */
    enum odp_status status = client_rename(&named, m, l, odp_slice_of((const char *)source->text));
    size_t before = out->len;
    if (status == ODP_OK)
        status = fill(out, marks, odp_buffer_cstr(&named));
    if (status == ODP_DONE)
        out->len = before;
    odp_buffer_release(&named);
    return status;
}
