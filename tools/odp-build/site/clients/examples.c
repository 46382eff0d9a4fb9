/* The examples of templates/clients/<language>/examples, written with a dataset that the catalogue has. */
#include "site/clients/clients_internal.h"

struct mark {
    const char *name;  /* "@SLUG@" */
    const char *value; /* NULL: there is nothing to show it with */
};

enum { MARKS = 7 };

static const char *accessor_of(const struct client_model *m, enum odp_client_language l, const struct client_dataset *d, enum odp_status *status)
{
    struct odp_buffer out;
    const char *text = NULL;
    odp_buffer_init(&out);
    if (d != NULL && *status == ODP_OK)
        *status = client_languages[l]->accessor(&out, d->slug);
    if (d != NULL && *status == ODP_OK)
        *status = odp_buffer_status(&out);
    if (d != NULL && *status == ODP_OK && (text = odp_arena_str(m->arena, odp_buffer_cstr(&out))) == NULL)
        *status = ODP_FAIL;
    odp_buffer_release(&out);
    return text;
}

static enum odp_status make_marks(struct mark marks[MARKS], const struct client_model *m, enum odp_client_language l)
{
    const struct client_sample *s = &m->sample;
    enum odp_status status = ODP_OK;
    const char *dataset = accessor_of(m, l, s->dataset, &status), *timeline = accessor_of(m, l, s->timeline, &status);
    const struct mark all[MARKS] = {{"@SLUG@", s->dataset != NULL ? s->dataset->slug : NULL}, {"@DATASET@", dataset}, {"@NUMBER@", s->number},
                                    {"@FIELD@", s->text}, {"@VALUE@", s->value}, {"@FORMAT@", s->format}, {"@TIMELINE@", timeline}};
    memcpy(marks, all, sizeof all);
    return status;
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
        if (mark->value == NULL)
            return ODP_DONE;
        odp_buffer_add_str(out, mark->value);
        p += strlen(mark->name);
    }
    return odp_buffer_status(out);
}

enum odp_status client_example(struct odp_buffer *out, const struct client_model *m, enum odp_client_language l, const char *name)
{
    const struct client_language *language = client_languages[l];
    const char *path = odp_arena_printf(m->arena, "%s/examples/%s%s", language->name, name, language->extension);
    const struct client_source *source = path != NULL ? client_source_find(path) : NULL;
    struct mark marks[MARKS];
    struct odp_buffer named;
    if (path == NULL)
        return ODP_FAIL;
    if (source == NULL)
        return ODP_DONE;
    odp_buffer_init(&named);
    enum odp_status status = make_marks(marks, m, l);
    if (status == ODP_OK) /* names first: a dataset may have the name of a library in its values */
        status = client_rename(&named, m, l, odp_slice_of((const char *)source->text));
    size_t before = out->len;
    if (status == ODP_OK)
        status = fill(out, marks, odp_buffer_cstr(&named));
    if (status == ODP_DONE)
        out->len = before;
    odp_buffer_release(&named);
    return status;
}
