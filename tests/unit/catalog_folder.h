/* For the tests of the catalogue: a catalogue in a temporary folder, and its faults as text. Included by one
 * program each. */
#pragma once
#include "run.h"

#include <unistd.h>

#include "base/file.h"
#include "catalog/catalog.h"

#define PORTAL                                                                                               \
    "{\"title\": \"Portal\", \"publisher\": {\"id\": \"Kementerian\", \"en\": \"Ministry\"}, \"baseUrl\": "  \
    "\"https://data.example.go.id/\", \"odp:severity\": {\"catalog-undescribed\": \"off\"}}"

struct folder {
    char dir[256];
    bool temporary; /* folder_release removes it */
    struct odp_catalog *catalog;
    struct odp_diags *diags;
    struct odp_buffer faults;
};

static inline void folder_init(struct folder *f)
{
    *f = (struct folder){.temporary = true};
    fresh_folder(f->dir, "catalog");
    odp_buffer_init(&f->faults);
}

/* The catalogue that is NAME next to the tests. */
#define FOLDER_OF(name)                                                                                      \
    {                                                                                                        \
        .dir = ODP_TESTS_DIR "/unit/catalog/" name                                                           \
    }

/* Writes DIR/PATH, replacing what is there. */
static inline void folder_put(const struct folder *f, const char *path, const char *text, size_t len)
{
    put_below(f->dir, path, text, len);
}

static inline void folder_write(const struct folder *f, const char *path, const char *text)
{
    folder_put(f, path, text, strlen(text));
}

/* The same, with ' for " in the JSON. */
static inline void folder_json(const struct folder *f, const char *path, const char *text)
{
    char *json = strdup(text);
    assert_non_null(json);
    folder_write(f, path, double_quotes(json));
    free(json);
}

static inline void folder_close(struct folder *f)
{
    odp_catalog_close(f->catalog);
    odp_diags_free(f->diags);
    f->catalog = NULL;
    f->diags = NULL;
}

/* Opens the catalogue; f->faults becomes one line a fault: "C05 kumuh/tabel.luas 3:17 arg0|arg1". */
static inline enum odp_status folder_open(struct folder *f)
{
    folder_close(f);
    must(odp_diags_new(&f->diags, 1000));
    enum odp_status status = odp_catalog_open(&f->catalog, f->dir, f->diags);
    size_t n;
    const struct odp_diag_group *const *groups = odp_diags_groups(f->diags, &n);
    odp_buffer_clear(&f->faults);
    for (size_t i = 0; i < n; i++)
        for (const struct odp_diag_node *e = groups[i]->examples; e != NULL; e = e->next) {
            const struct odp_diag *d = &e->diag;
            odp_buffer_printf(&f->faults, "%s", odp_code_info(d->code)->code + 4);
            if (d->dataset != NULL)
                odp_buffer_printf(&f->faults, " %s", d->dataset);
            if (d->resource != NULL)
                odp_buffer_printf(&f->faults, "/%s", d->resource);
            if (d->field != NULL)
                odp_buffer_printf(&f->faults, ".%s", d->field);
            odp_buffer_printf(&f->faults, " %llu:%llu %.*s|%.*s\n", (unsigned long long)d->line,
                              (unsigned long long)d->column, (int)d->args[0].len,
                              d->args[0].ptr != NULL ? d->args[0].ptr : "", (int)d->args[1].len,
                              d->args[1].ptr != NULL ? d->args[1].ptr : "");
        }
    return status;
}

static inline const char *folder_faults(struct folder *f)
{
    return odp_buffer_cstr(&f->faults);
}

static inline void folder_release(struct folder *f)
{
    folder_close(f);
    odp_buffer_release(&f->faults);
    if (f->temporary)
        must(odp_dir_remove(f->dir));
}
#define FOLDER(v) OWNED(folder, v, folder, &v)
