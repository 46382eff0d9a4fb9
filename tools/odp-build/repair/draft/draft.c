/* A draft from opening to end; choices. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/utf8.h"
#include "repair/draft/draft_internal.h"
#include "words/draft.h"

/* By the name; reading looks at the bytes. Parts of files that have several are refused: some are text. */
static enum odp_status choose_kind(struct odp_draft *d, struct odp_diags *diags)
{
    static const struct {
        const char *part, *whole;
    } parts[] = {{".dbf", ".shp"}, {".shx", ".shp"}, {".prj", ".shp"}, {".cpg", ".shp"},
                 {".mid", ".mif"}, {".map", ".tab"}, {".dat", ".tab"}, {".id", ".tab"}};
    d->kind = odp_path_ends(d->basename, ".xlsx")                                        ? ODP_DRAFT_WORKBOOK
              : odp_path_ends(d->basename, ".shp") || odp_path_ends(d->basename, ".zip") ? ODP_DRAFT_SHAPEFILE
                                                                                         : ODP_DRAFT_CSV;
    for (size_t i = 0; i < ODP_COUNT(parts); i++) {
        if (!odp_path_ends(d->basename, parts[i].part))
            continue;
        if (strcmp(parts[i].whole, ".shp") == 0)
            return draft_fault(d, diags, ODP_I02, parts[i].part, NULL);
        const int stem = (int)(strlen(d->options.path) - strlen(parts[i].part));
        char *whole = odp_arena_printf(&d->arena, "%.*s%s", stem, d->options.path, parts[i].whole);
        if (odp_file_kind_of(whole) == ODP_FILE_REGULAR)
            return draft_foreign(d, "MapInfo", whole, diags);
    }
    return ODP_OK;
}

static enum odp_status check_file(struct odp_draft *d, struct odp_diags *diags)
{
    static const struct odp_text name = {{W_draft_file_name_cannot_used_catalogue}};
    struct stat st;
    int errnum = 0;
    struct odp_datetime day = {0};
    enum odp_status status = odp_file_look(d->options.path, &errnum);
    if (status == ODP_BAD && errnum == EISDIR && odp_path_ends(d->basename, ".gdb"))
        return draft_foreign(d, "Esri File Geodatabase (.gdb)", d->options.file, diags);
    if (status == ODP_BAD)
        return draft_fault(d, diags, ODP_I01, strerrorname_np(errnum), NULL);
    if (status == ODP_OK &&
        (odp_utf8_valid(odp_slice_of(d->basename)) != strlen(d->basename) || !odp_path_is_safe(d->basename)))
        return odp_diags_refuse(diags,
                                &(struct odp_diag){ODP_I01, .file = d->options.file, .message = &name});
    if (status != ODP_OK)
        return status;
    if (stat(d->options.path, &st) == 0) {
        odp_date_from_days(&day, (int64_t)st.st_mtime / 86400);
        char text[ODP_DATETIME_SIZE];
        size_t n = odp_date_format(&day, ODP_DATE, text);
        memcpy(d->modified, text, n < sizeof d->modified ? n : 0);
    }
    return ODP_OK;
}

/* "data_rumah-2024" of "data_rumah-2024.csv", a copy. */
static struct odp_slice stem_of(struct odp_draft *d)
{
    const char *dot = strrchr(d->basename, '.');
    size_t n = dot != NULL && dot != d->basename ? (size_t)(dot - d->basename) : strlen(d->basename);
    return odp_arena_copy(&d->arena, (struct odp_slice){d->basename, n});
}

/* "data_rumah-2024.csv" to "Data rumah 2024". */
static char *title_of(struct odp_draft *d)
{
    struct odp_slice s = stem_of(d);
    char *p = (char *)(uintptr_t)s.ptr;
    for (size_t i = 0; i < s.len; i++)
        if (p[i] == '_' || p[i] == '-' || (unsigned char)p[i] < ' ')
            p[i] = ' ';
    if (odp_utf8_valid(s) != s.len)
        return odp_arena_str(&d->arena, d->slug);
    if (*p >= 'a' && *p <= 'z')
        *p = (char)(*p - 'a' + 'A');
    return p;
}

static enum odp_status read_file(struct odp_draft *d, struct odp_diags *diags)
{
    d->facts = NULL;
    d->facts_end = &d->facts;
    d->ndoubts = 0;
    d->crlf = d->lf = d->cr = d->bom = 0;
    d->delimiter = d->comment = d->escape = 0;
    d->quote = '"';
    d->header = d->kind != ODP_DRAFT_SHAPEFILE;
    d->trailing = d->skip_space = false;
    enum odp_status status = d->kind == ODP_DRAFT_CSV        ? draft_encoding(d, diags)
                             : d->kind == ODP_DRAFT_WORKBOOK ? draft_workbook(d, diags)
                                                             : draft_shape_probe(d, diags);
    if (status == ODP_OK && d->kind == ODP_DRAFT_CSV)
        status = draft_dialect(d, diags);
    if (status == ODP_OK && d->kind == ODP_DRAFT_WORKBOOK)
        status = draft_rows(d, 0, diags);
    d->doubts_file = d->ndoubts;
    d->facts_file = d->facts_end;
    return status;
}

enum odp_status odp_draft_open(struct odp_draft **out, const struct odp_draft_options *o,
                               struct odp_diags *diags)
{
    struct odp_draft *d = *out = calloc(1, sizeof *d);
    if (d == NULL)
        return odp_failure_memory();
    d->options = *o;
    d->budget = DISTINCT_BUDGET;
    d->last_update = -1;
    d->facts_end = &d->facts;
    d->basename = odp_path_last(o->path);
    d->slug =
        o->slug != NULL ? odp_arena_str(&d->arena, o->slug) : odp_draft_slug_of(stem_of(d).ptr, &d->arena);
    d->title.in[ODP_LANG_ID] = title_of(d);
    d->title.in[ODP_LANG_EN] = "";
    enum odp_status status = check_file(d, diags);
    if (status == ODP_OK)
        status = choose_kind(d, diags);
    if (status == ODP_OK)
        status = read_file(d, diags);
    if (status != ODP_OK)
        return status;
    if (d->kind == ODP_DRAFT_SHAPEFILE && !odp_path_ends(d->basename, ".zip"))
        return draft_shape_files(d);
    d->sources = odp_arena_zero(&d->arena, 1, sizeof *d->sources);
    d->sources[d->nsources++] = d->options.path;
    return ODP_OK;
}

void odp_draft_free(struct odp_draft *d)
{
    if (d == NULL)
        return;
    for (uint32_t i = 0; i < d->n; i++)
        distinct_drop(&d->columns[i].distinct, &d->budget);
    for (size_t i = 0; i < d->ntargets; i++)
        distinct_drop(&d->targets[i].values, &d->budget);
    for (uint32_t i = 0; i < d->ncomposites; i++)
        distinct_drop(&d->composite[i].set, &d->budget);
    odp_buffer_release(&d->words);
    odp_arena_release(&d->arena);
    free(d);
}

void odp_draft_text(const struct odp_draft *d, struct odp_draft_text *out)
{
    *out = (struct odp_draft_text){d->encoding, true,      d->ascii,     d->delimiter,
                                   d->quote,    d->escape, d->skip_space};
    for (size_t i = 0; i < d->ndoubts; i++)
        if (d->doubts[i].kind == DOUBT_ENCODING)
            out->sure = d->doubts[i].noptions == 0 && d->plausible;
}

struct odp_doubt *odp_draft_doubts(struct odp_draft *d, size_t *n)
{
    *n = d->ndoubts;
    return d->doubts;
}

/* Takes another OPTION of a doubt about a column. */
static void take_column_choice(struct odp_draft *d, const struct odp_doubt *q, unsigned option)
{
    struct column *c = &d->columns[q->column];
    switch ((enum doubt_kind)q->kind) {
    case DOUBT_DATE:
        c->format = draft_patterns[q->detail].pattern;
        break;
    case DOUBT_NUMBER: {
        /* integer with groups <-> decimal with the same mark */
        static const int other_form[] = {[1] = 5, [2] = 6, [5] = 1, [6] = 2};
        int i = c->form_index;
        column_form(c, i >= 0 && i <= 6 && other_form[i] != 0 ? other_form[i] : i);
        break;
    }
    case DOUBT_CODE:
        if (q->detail == 1)
            column_to_yes(c);
        else
            column_to_code(c);
        break;
    case DOUBT_PRIVATE:
        c->secret = option == 0;
        break;
    case DOUBT_MISSING:
        if (q->detail < 0)
            c->missing_word = (struct odp_slice){0};
        else
            c->missing ^= UINT64_C(1) << q->detail;
        break;
    case DOUBT_REFERENCE:
        c->reference = option == 0 && c->nhits > 0 ? c->hit[0].target : NULL;
        break;
    default:
        break;
    }
}

enum odp_status odp_draft_choose(struct odp_draft *d, size_t i, unsigned option, bool *again)
{
    struct odp_doubt *q = &d->doubts[i];
    unsigned before = q->chosen;
    *again = false;
    q->settled = true;
    if (option >= q->noptions || option == before)
        return ODP_OK;
    q->chosen = option;
    if (q->kind == DOUBT_HEADER || q->kind == DOUBT_ENCODING || q->kind == DOUBT_SHEET) {
        if (q->kind == DOUBT_HEADER)
            d->forced_header = d->header ? 2 : 1;
        else if (q->kind == DOUBT_SHEET)
            d->forced_sheet = q->option[option].in[ODP_LANG_ID];
        else
            d->forced_encoding = strcmp(q->option[option].in[ODP_LANG_EN], "windows-1252") == 0
                                     ? "windows-1252"
                                 : option == 1 ? "cp850"
                                               : "utf-8";
        *again = true;
        struct odp_diags *own = NULL;
        enum odp_status status = odp_diags_new(&own, 1);
        if (status == ODP_OK)
            status = read_file(d, own);
        odp_diags_free(own);
        return status;
    }
    if (q->kind == DOUBT_KEY) {
        d->primary.n = q->column >= 0 && option == 1;
        if (d->primary.n == 1)
            d->primary.fields[0] = (uint32_t)q->column;
    } else if (q->column >= 0)
        take_column_choice(d, q, option);
    return ODP_OK;
}

const char *odp_draft_slug(const struct odp_draft *d)
{
    return d->slug;
}

void odp_draft_set_slug(struct odp_draft *d, const char *slug)
{
    d->slug = odp_arena_str(&d->arena, slug);
}

const struct odp_text *odp_draft_title(const struct odp_draft *d)
{
    return &d->title;
}

void odp_draft_set_title(struct odp_draft *d, const char *id, const char *en)
{
    d->title.in[ODP_LANG_ID] = odp_arena_str(&d->arena, id);
    d->title.in[ODP_LANG_EN] = odp_arena_str(&d->arena, en);
}

uint64_t odp_draft_rows(const struct odp_draft *d)
{
    return d->rows;
}

const char *const *odp_draft_sources(const struct odp_draft *d, size_t *n)
{
    *n = d->nsources;
    return d->sources;
}
