/* Values that name PDF files of the steward (odp:document): the file is there, inside of its folder, a sound
 * PDF, and has as many pages as the record says (ODP-D01 to D10). A good value becomes the path under which
 * the file is published, which holds a digest of its content: from here on a changed file is a changed value,
 * for keys, row rules, versions and differences alike.
 */
#include <stdio.h>
#include <strings.h>

#include "base/decimal.h"
#include "check/check_internal.h"
#include "check/document_files.h"

#define MIB (1 << 20)

struct documents {
    struct odp_document_files *files;
    uint32_t *fields;
    uint32_t n;
};

static void close_rule(void *state)
{
    struct documents *s = state;
    odp_document_files_free(s->files);
}

static enum odp_status open_rule(struct odp_validator *v, void **state, struct odp_diags *diags)
{
    struct documents *s = odp_arena_zero(&v->arena, 1, sizeof *s);
    *state = s;
    s->fields = odp_arena_array(&v->arena, (size_t)v->schema->n + 1, sizeof *s->fields);
    for (uint32_t f = 0; f < v->schema->n; f++)
        if (v->schema->fields[f].document != NULL)
            s->fields[s->n++] = f;
    return s->n > 0 && v->info->dir != NULL ? odp_document_files_new(&s->files, v->info->dir) : ODP_OK;
}

/* ---- one value ---- */

static bool ends_in_pdf(struct odp_slice s)
{
    return s.len > 4 && strncasecmp(s.ptr + s.len - 4, ".pdf", 4) == 0;
}

/* A name that a site can have, and that every server treats as a PDF. */
static bool is_good_name(struct odp_check *c, struct odp_slice s)
{
    odp_arena_reset(&c->w->scratch);
    if (s.len > 400 || !ends_in_pdf(s) || memchr(s.ptr, '\0', s.len) != NULL)
        return false;
    const char *name = odp_arena_copy(&c->w->scratch, s).ptr;
    return odp_path_is_safe(name);
}

static struct odp_slice folder_shown(struct odp_check *c, const struct odp_field *f)
{
    return odp_check_printf(c, "%s/%s", c->v->info->dir, f->document->folder);
}

static bool is_there(struct odp_check *c, const struct odp_field *f, struct odp_slice name)
{
    if (!is_good_name(c, name))
        return false;
    const char *path = odp_arena_printf(&c->w->scratch, "%s/%s/%.*s", c->v->info->dir, f->document->folder,
                                        (int)name.len, name.ptr);
    return odp_file_kind_of(path) == ODP_FILE_REGULAR;
}

/* The digits of A and B make the same numbers, zeros in front aside: reg-0004.pdf is not what was meant by
 * reg-0014.pdf. */
static bool same_numbers(struct odp_slice a, struct odp_slice b)
{
    size_t i = 0, k = 0;
    for (;;) {
        while (i < a.len && (a.ptr[i] < '1' || a.ptr[i] > '9'))
            i++;
        while (k < b.len && (b.ptr[k] < '1' || b.ptr[k] > '9'))
            k++;
        if (i == a.len || k == b.len)
            return i == a.len && k == b.len;
        for (; i < a.len && k < b.len && a.ptr[i] == b.ptr[k] && a.ptr[i] >= '0' && a.ptr[i] <= '9'; i++, k++)
            ;
        bool more_a = i < a.len && a.ptr[i] >= '0' && a.ptr[i] <= '9',
             more_b = k < b.len && b.ptr[k] >= '0' && b.ptr[k] <= '9';
        if (more_a || more_b)
            return false;
    }
}

/* The name nearest to S among those in the folder that S points into: first one that differs in case alone.
 */
static struct odp_slice nearest_name(struct odp_check *c, const struct odp_field *f, struct odp_slice s)
{
    struct odp_arena *a = &c->b->arena;
    const char **names;
    size_t n, head = s.len;
    while (head > 0 && s.ptr[head - 1] != '/')
        head--;
    const char *dir =
        odp_arena_printf(a, "%s/%s/%.*s", c->v->info->dir, f->document->folder, (int)head, s.ptr);
    enum odp_status status = odp_dir_list(dir, a, &names, &n);
    struct odp_slice *texts = status == ODP_OK ? odp_arena_array(a, n + 1, sizeof *texts) : NULL,
                     none = {NULL, 0};
    c->failed = c->failed || status == ODP_FAIL || (status == ODP_OK && texts == NULL);
    if (texts == NULL)
        return none;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        struct odp_slice name = odp_slice_of(names[i]);
        if (names[i][0] == '.' || !ends_in_pdf(name) ||
            !same_numbers(name, (struct odp_slice){s.ptr + head, s.len - head}))
            continue;
        texts[kept++] = name;
        if (name.len == s.len - head && strncasecmp(name.ptr, s.ptr + head, name.len) == 0)
            return odp_check_printf(c, "%.*s%s", (int)head, s.ptr, names[i]);
    }
    size_t at;
    if (odp_nearest_one((struct odp_slice){s.ptr + head, s.len - head}, texts, kept, &at) != 1)
        return none;
    struct odp_slice near = texts[at];
    return near.ptr != NULL ? odp_check_printf(c, "%.*s%.*s", (int)head, s.ptr, (int)near.len, near.ptr)
                            : none;
}

/* What S may have been meant for: with the folder's own name in front, with the other slash, without its
 * ending, misspelt. */
static struct odp_slice proposal_for(struct odp_check *c, const struct odp_field *f, struct odp_slice s)
{
    struct odp_slice none = {NULL, 0}, t = odp_check_copy(c, s);
    size_t folder = strlen(f->document->folder);
    if (c->listings == 0 || s.len > 200 || c->failed)
        return none;
    c->listings--;
    for (char *p = (char *)t.ptr; p < t.ptr + t.len; p++)
        *p = *p == '\\' ? '/' : *p;
    if (t.len > 2 && memcmp(t.ptr, "./", 2) == 0)
        t = (struct odp_slice){t.ptr + 2, t.len - 2};
    if (t.len > folder + 1 && memcmp(t.ptr, f->document->folder, folder) == 0 && t.ptr[folder] == '/' &&
        !is_there(c, f, t))
        t = (struct odp_slice){t.ptr + folder + 1, t.len - folder - 1};
    if (!ends_in_pdf(t))
        t = odp_check_printf(c, "%.*s.pdf", (int)t.len, t.ptr);
    if (is_there(c, f, t))
        return t;
    return is_good_name(c, t) ? nearest_name(c, f, t) : none;
}

static void report(struct odp_check *c, uint32_t i, uint32_t field, const struct odp_document_file *file)
{
    static const enum odp_code codes[] = {[ODP_DOCUMENT_ABSENT] = ODP_D03,
                                          [ODP_DOCUMENT_LARGE] = ODP_D08,
                                          [ODP_DOCUMENT_NO_PDF] = ODP_D05,
                                          [ODP_DOCUMENT_DAMAGED] = ODP_D06,
                                          [ODP_DOCUMENT_ENCRYPTED] = ODP_D07};
    const struct odp_field *f = odp_check_field(c, field);
    struct odp_slice args[2] = {folder_shown(c, f), {NULL, 0}}, proposal = {NULL, 0};
    enum odp_code code = codes[file->info.fault];
    if (file->place == ODP_DOCUMENT_MISSING)
        code = ODP_D02;
    else if (file->place == ODP_DOCUMENT_OUTSIDE)
        code = ODP_D04;
    else if (file->place == ODP_DOCUMENT_CLOSED)
        code = ODP_D03;
    if (code == ODP_D02)
        proposal = proposal_for(c, f, c->b->columns[field].text[i]);
    else if (code == ODP_D03)
        args[0] = odp_check_copy(c, odp_slice_of(strerrorname_np(file->info.errnum)));
    else if (code == ODP_D06)
        args[0] = odp_slice_of(file->info.why);
    else if (code == ODP_D08) {
        args[0] = odp_check_printf(c, "%llu", (unsigned long long)((file->info.bytes + MIB - 1) / MIB));
        args[1] = odp_check_printf(c, "%d", ODP_DOCUMENT_BYTES_MAX / MIB);
    }
    struct odp_fault *fault = odp_check_untyped(c, i, (int)field, code);
    fault->args[0] = args[0];
    fault->args[1] = args[1];
    fault->proposal = proposal;
}

/* The file's number of pages is the one that counts. */
static void check_pages(struct odp_check *c, uint32_t i, uint32_t field, const struct odp_document_info *info)
{
    int pages = odp_check_field(c, field)->document->pages;
    if (pages < 0 || c->b->columns[pages].state[i] != ODP_VALUE_OK)
        return;
    char text[24];
    struct odp_slice count = {text,
                              (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)info->pages)};
    if (odp_decimal_cmp(c->b->columns[pages].text[i], count) == 0)
        return;
    count = odp_check_copy(c, count);
    struct odp_fault *fault = odp_check_fault(c, i, pages, ODP_D09);
    fault->args[0] = count;
    fault->args[1] = odp_slice_of(odp_check_field(c, field)->name);
    fault->proposal = count;
}

static void check_value(struct odp_check *c, struct documents *s, uint32_t i, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    struct odp_slice *text = &c->b->columns[field].text[i];
    const struct odp_document_file *file = NULL;
    if (!is_good_name(c, *text)) {
        struct odp_slice folder = folder_shown(c, f), proposal = proposal_for(c, f, *text);
        struct odp_fault *fault = odp_check_untyped(c, i, (int)field, ODP_D01);
        fault->args[0] = folder;
        fault->proposal = proposal;
        return;
    }
    if (odp_document_files_get(s->files, f->document->folder, *text, &file) != ODP_OK) {
        c->failed = true;
        return;
    }
    if (file->place != ODP_DOCUMENT_HERE || file->info.fault != ODP_DOCUMENT_OK) {
        report(c, i, field, file);
        return;
    }
    if (file->info.has_scripts)
        (void)odp_check_note(c, i, (int)field, ODP_D10);
    check_pages(c, i, field, &file->info);
    const char *path = odp_document_path(f->document->folder, *text, file->info.sha256, &c->b->arena);
    c->failed = c->failed || path == NULL;
    *text = odp_slice_of(path);
    struct odp_batch_document *d = &c->b->documents[c->b->ndocuments++];
    *d = (struct odp_batch_document){.record = i,
                                     .field = field,
                                     .bytes = file->info.bytes,
                                     .pages = file->info.pages,
                                     .source = file->path};
    memcpy(d->sha256, file->info.sha256, sizeof d->sha256);
}

/* ---- hooks ---- */

static void check_rows(struct odp_check *c, void *state, void **part)
{
    struct documents *s = state;
    if (s->files == NULL)
        return;
    c->b->documents = odp_arena_array(&c->b->arena, (size_t)c->n * s->n + 1, sizeof *c->b->documents);
    for (uint32_t i = 0; i < c->n; i++)
        for (uint32_t k = 0; k < s->n && !c->failed; k++)
            if (c->b->columns[s->fields[k]].state[i] == ODP_VALUE_OK)
                check_value(c, s, i, s->fields[k]);
}

/* Does a field before the K-th, or another resource of the dataset, take its files from the same folder? */
static bool is_shared(const struct odp_validator *v, const struct documents *s, uint32_t k)
{
    const char *folder = v->schema->fields[s->fields[k]].document->folder;
    const struct odp_dataset *d = v->resource->dataset;
    for (uint32_t j = 0; j < k; j++)
        if (strcmp(v->schema->fields[s->fields[j]].document->folder, folder) == 0)
            return true;
    for (size_t r = 0; r < d->nresources; r++)
        for (uint32_t f = 0; f < d->resources[r].schema.n && &d->resources[r] != v->resource; f++) {
            const struct odp_document_spec *other = d->resources[r].schema.fields[f].document;
            if (other != NULL && strcmp(other->folder, folder) == 0)
                return true;
        }
    return false;
}

static enum odp_status note_unnamed(struct odp_validator *v, struct documents *s, uint32_t field,
                                    struct odp_diags *diags)
{
    const struct odp_field *f = &v->schema->fields[field];
    struct odp_buffer text = {0}, count = {0};
    uint64_t n = 0;
    enum odp_status status = odp_document_files_unnamed(s->files, f->document->folder, &n, &text);
    odp_buffer_add_u64(&count, n);
    if (status == ODP_OK)
        status = odp_buffer_status(&count);
    if (status == ODP_OK && n > 0) {
        const char *folder = odp_arena_printf(&v->arena, "%s/%s", v->info->dir, f->document->folder);
        struct odp_diag d = {.code = ODP_D11,
                             .dataset = v->resource->dataset->slug,
                             .resource = v->resource->name,
                             .file = folder,
                             .field = f->name,
                             .args = {odp_buffer_slice(&count), odp_buffer_slice(&text)},
                             .where = f->where};
        status = odp_diags_add(diags, &d) != ODP_FAIL ? ODP_OK : ODP_FAIL;
    }
    odp_buffer_release(&count);
    odp_buffer_release(&text);
    return status;
}

static enum odp_status finish(struct odp_validator *v, void *state, struct odp_diags *diags)
{
    struct documents *s = state;
    enum odp_status status = ODP_OK;
    if (s->files == NULL || v->off[ODP_D11] || odp_diags_count(diags, ODP_SEVERITY_ERROR) > 0)
        return ODP_OK; /* a misspelt name or an unreadable row, reported already, is the cause
                        */
    for (uint32_t k = 0; k < s->n && status == ODP_OK; k++)
        if (!is_shared(v, s, k))
            status = note_unnamed(v, s, s->fields[k], diags);
    return status;
}

const struct odp_rule_kind odp_rule_document = {
    .name = "document", .open = open_rule, .close = close_rule, .rows = check_rows, .finish = finish};
