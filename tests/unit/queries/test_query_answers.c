/* Answers to the questions of answers/NAME.txt, byte for byte: parameters as understood, matches, faults
 * with their places and both texts, bodies of every form and view. A file:
 *
 *   index whole | plain        written by the compiler's writer, with geometry and words; or filled by hand
 *   column NAME TYPE [labels] [other] [wide] [scale=N] [title=ID/EN]
 *   key N · datetime START END · timeline PROJECT MILESTONE PLANNED ACTUAL DATE DELAY
 *   label COLUMN|CODE|ID|EN
 *   row VALUE|…                of all columns; ~ is null
 *   point LON LAT              of the row before it
 *   > FORM[;ogc][;en][;item=KEY][;bytes=N] QUERY [TAB BODY]
 *                              the question, as in an address; "next": the next link of the answer before.
 *                              The answer follows */
#include "answers_fixture.h"
#include "query_fixture.h"
#include "query_views_fixture.h"
#include "service/queries/engine/engine_internal.h"

struct file {
    struct qf x; /* asks; and is the index, if that is whole */
    struct vf f; /* else it is this one */
    struct odp_arena arena;
    struct odp_buffer out;
    const char *cells[64 * VF_COLUMNS];
    size_t ncells;
    uint32_t ncolumns;
    char next[1000]; /* the query of the last answer's next link; "" where there was none */
    bool plain, opened;
};

/* ---- the index ---- */

static enum odp_type type_of(const char *name)
{
    for (int t = 0; t < ODP_TYPE_COUNT; t++)
        if (strcmp(odp_type_name((enum odp_type)t), name) == 0)
            return (enum odp_type)t;
    fail_msg("no such type: %s", name);
    return ODP_TYPE_STRING;
}

static void add_column(struct file *t, char *words)
{
    const char *name = strsep(&words, " "), *type = strsep(&words, " ");
    t->ncolumns++;
    if (!t->plain) {
        (void)qf_field(&t->x, name, type_of(type));
        return;
    }
    struct odp_search_column *c = vf_column(&t->f, name, type_of(type));
    for (char *word; (word = strsep(&words, " ")) != NULL;) {
        c->labels = c->labels || strcmp(word, "labels") == 0;
        c->wide = c->wide || strcmp(word, "wide") == 0;
        c->of_record = c->of_record && strcmp(word, "other") != 0;
        if (strncmp(word, "scale=", 6) == 0)
            c->scale = atoi(word + 6);
        if (strncmp(word, "title=", 6) != 0)
            continue;
        c->title.in[ODP_LANG_EN] = strchr(word, '/') + 1;
        *strchr(word, '/') = '\0';
        c->title.in[ODP_LANG_ID] = word + 6;
    }
}

static void add_row(struct file *t, char *values)
{
    const char **cells = &t->cells[t->ncells];
    for (uint32_t k = 0; k < t->ncolumns; k++) {
        const char *value = strsep(&values, "|");
        assert_non_null(value);
        cells[k] = strcmp(value, "~") == 0 ? NULL : value;
    }
    if (t->plain)
        t->ncells += t->ncolumns;
    else
        qf_row(&t->x, cells);
}

static void add_timeline(struct odp_search_info *i, const char *numbers)
{
    assert_int_equal(sscanf(numbers, "%d %d %d %d %d %d", &i->project, &i->milestone, &i->planned, &i->actual,
                            &i->date, &i->delay),
                     6);
    i->datetime[0] = i->datetime[1] = i->date;
}

static void define(struct file *t, char *line)
{
    char *rest = line, *word = strsep(&rest, " ");
    double lon, lat;
    if (strcmp(word, "index") == 0) {
        t->plain = strcmp(rest, "plain") == 0;
        if (t->plain)
            vf_start(&t->f);
    } else if (strcmp(word, "column") == 0) {
        add_column(t, rest);
    } else if (strcmp(word, "key") == 0) {
        qf_key(&t->x, (uint32_t)atoi(rest));
    } else if (strcmp(word, "datetime") == 0) {
        assert_int_equal(sscanf(rest, "%d %d", &t->x.resource.datetime[0], &t->x.resource.datetime[1]), 2);
    } else if (strcmp(word, "timeline") == 0) {
        add_timeline(&t->f.info, rest);
    } else if (strcmp(word, "label") == 0) {
        const char *column = strsep(&rest, "|"), *code = strsep(&rest, "|"), *id = strsep(&rest, "|");
        vf_label(&t->f, column, code, id, rest);
    } else if (strcmp(word, "row") == 0) {
        add_row(t, rest);
    } else if (strcmp(word, "point") == 0) {
        assert_int_equal(sscanf(rest, "%lf %lf", &lon, &lat), 2);
        qf_point(&t->x, lon, lat);
    }
}

static void open_index(struct file *t)
{
    struct odp_search_info *info = &t->f.info;
    t->opened = true;
    if (!t->plain) {
        qf_open(&t->x);
        return;
    }
    for (info->nfields = 0; info->nfields < info->ncolumns && info->columns[info->nfields].of_record;)
        info->nfields++;
    vf_rows(&t->f, t->cells, t->ncells / t->ncolumns);
    t->x.call.index = t->f.index;
}

/* ---- questions ---- */

static void add_fault(struct file *t)
{
    static const char *const problems[] = {
        "parameter-unknown", "parameter-invalid", "filter-invalid",      "cursor-invalid",
        "record-not-found",  "not-acceptable",    "query-too-expensive",
    };
    const struct odp_query_fault *f = &t->x.fault;
    odp_buffer_printf(&t->out, "bad %s %s %u+%u %s\n%s\n%s\n", problems[f->problem],
                      f->parameter != NULL ? f->parameter : "-", f->position, f->length,
                      f->pointer != NULL ? f->pointer : "", odp_text_get(&f->detail, ODP_LANG_ID),
                      odp_text_get(&f->detail, ODP_LANG_EN));
}

/* The body without carriage returns, which no editor keeps; what is in cursors (an index's digest) and style
 * sheets is left out. */
static void add_answer(struct file *t)
{
    static const char cursor[] = "cursor=";
    const char *body = odp_buffer_cstr(&t->x.r.body), *style = strstr(body, "<style>");
    odp_buffer_printf(&t->out, "ok total=%lld returned=%llu %s\n", (long long)t->x.r.total,
                      (unsigned long long)t->x.r.returned, t->x.q->normal);
    for (const char *p = body; *p != '\0'; p++) {
        if (p == style)
            p = strstr(p, "</style>");
        if (*p != '\r')
            odp_buffer_add_char(&t->out, *p);
        if (*p == '=' && p - body >= 6 && memcmp(p - 6, cursor, 7) == 0)
            p += strspn(p + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
    }
    snprintf(t->next, sizeof t->next, "%s", t->x.r.next != NULL ? strchr(t->x.r.next, '?') + 1 : "");
    if (t->x.r.body.len == 0 || t->out.ptr[t->out.len - 1] != '\n')
        odp_buffer_add_char(&t->out, '\n');
}

static void ask(struct file *t, char *line)
{
    static const char *const forms[] = {"envelope", "geojson", "csv", "html"};
    char *body = line, *query = strsep(&body, "\t"), *how = strsep(&query, " "), *option, none[] = "";
    const char *form = strsep(&how, ";");
    struct odp_query_call *call = &t->x.call;
    call->kind = ODP_QUERY_ITEMS;
    call->ogc = false;
    call->lang = ODP_LANG_ID;
    t->x.limits.bytes = 1 << 20;
    for (int k = 0; k < 4; k++)
        if (strcmp(form, forms[k]) == 0)
            call->form = (enum odp_query_form)k;
    while ((option = strsep(&how, ";")) != NULL) {
        call->ogc = call->ogc || strcmp(option, "ogc") == 0;
        call->lang = strcmp(option, "en") == 0 ? ODP_LANG_EN : call->lang;
        if (strncmp(option, "bytes=", 6) == 0)
            t->x.limits.bytes = (size_t)atoi(option + 6);
        if (strncmp(option, "item=", 5) == 0) {
            call->kind = ODP_QUERY_ITEM;
            call->key = odp_slice_of(option + 5);
        }
    }
    json_t *json = body != NULL ? json_loads(body, JSON_DECODE_ANY, NULL) : NULL;
    call->body = json;
    query = query == NULL ? none : strcmp(query, "next") == 0 ? t->next : query;
    enum odp_status status = qf_ask(&t->x, query);
    call->body = NULL;
    if (status == ODP_FAIL)
        fail_msg("%s: %s", query, odp_failure_text());
    if (status == ODP_OK)
        add_answer(t);
    else
        add_fault(t);
    json_decref(json);
}

/* ---- files ---- */

/* TEXT, the file, with the answers as they are now. */
static void answer_all(struct file *t, const char *text)
{
    char *copy = odp_arena_str(&t->arena, text), *line;
    bool answers = false;
    while ((line = strsep(&copy, "\n")) != NULL) {
        bool question = strncmp(line, "> ", 2) == 0;
        answers = answers || question;
        if (answers && !question)
            continue;
        odp_buffer_printf(&t->out, "%s\n", line);
        if (!question) {
            define(t, line);
            continue;
        }
        if (!t->opened)
            open_index(t);
        ask(t, line + 2);
    }
}

static void check(const char *name)
{
    static struct file t;
    char path[100];
    struct odp_buffer text;
    snprintf(path, sizeof path, "queries/answers/%s.txt", name);
    memset(&t, 0, sizeof t);
    odp_arena_init(&t.arena);
    odp_buffer_init(&t.out);
    answers_read(path, &text);
    qf_begin(&t.x);
    answer_all(&t, odp_buffer_cstr(&text));
    answers_check(path, &text, &t.out);
    qf_end(&t.x);
    if (t.plain)
        vf_finish(&t.f);
    odp_arena_release(&t.arena);
}

TEST(parameters)
{
    check("parameters");
}

TEST(bare)
{
    check("bare");
}

TEST(instants)
{
    check("instants");
}

TEST(forms)
{
    check("forms");
}

TEST(facets)
{
    check("facets");
}

TEST(aggregates)
{
    check("aggregates");
}

TEST(gantt)
{
    check("gantt");
}

TEST(names)
{
    check("names");
}
