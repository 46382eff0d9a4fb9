/* Expressions, as text and as JSON, and their results: expr/NAME.txt, byte for byte. A file:
 *
 *   answer truth|normal|sql      of an expression: its truth for each record, its normal form, its condition
 *                                of SQL with the values bound
 *   field TYPE[,wide] NAME       the schema
 *   geometry NAME                the records have one
 *   record VALUE|…[@LON LAT]     the only record now; ~ is null, @bad a geometry that was reported
 *   and VALUE|…                  one more record
 *   bare                         the batch has no geometries
 *   > TEXT  ·  json TEXT         an expression
 *   literal OP TEXT              a geometry: where it ends, its canonical text
 *   value TYPE TEXT              a parameter's value as SQL has it
 *
 * A fault has the guilty bytes between « and » (in JSON: its pointer), in both languages. */
#include "answers_fixture.h"
#include "base/decimal_small.h"
#include "catalog/expr/expr.h"
#include "catalog/expr/sql.h"

enum { FIELDS = 16, RECORDS = 4, STRIPS = 300 };

struct file {
    struct odp_arena arena, scratch;
    struct odp_buffer out;
    const char *answer; /* "truth", "normal", "sql" */
    struct odp_schema schema;
    struct odp_expr_scope scope;
    struct odp_field fields[FIELDS];
    bool wide[FIELDS];
    const char *columns[FIELDS];
    const char *values[RECORDS][FIELDS];
    struct odp_record records[STRIPS];
    double at[RECORDS][2];
    const struct odp_geom *geometry[STRIPS];
    uint32_t nrecords;
    bool bare;
};

static enum odp_type type_of(const char *name, size_t len)
{
    struct odp_slice word = {name, len};
    assert_true(odp_slice_is(word, odp_type_name(odp_type_of(word))));
    return odp_type_of(word);
}

static void add_field(struct file *t, const char *line)
{
    size_t type = strcspn(line, ", ");
    uint32_t k = t->schema.n++;
    assert_true(k < FIELDS);
    t->wide[k] = line[type] == ',';
    const char *name = strchr(line, ' ') + 1;
    t->fields[k] = (struct odp_field){.name = name, .source_name = name, .type = type_of(line, type)};
    t->columns[k] = odp_arena_printf(&t->arena, "c%u", k);
}

static void add_record(struct file *t, char *line)
{
    static uint32_t part[2] = {0, 1};
    uint32_t r = t->nrecords++;
    char *place = line;
    assert_true(r < RECORDS);
    line = strsep(&place, "@");
    for (uint32_t k = 0; k < FIELDS; k++) {
        const char *value = line != NULL ? strsep(&line, "|") : "~";
        t->values[r][k] = strcmp(value, "~") != 0 ? value : NULL;
    }
    t->geometry[r] = NULL;
    t->records[r] = (struct odp_record){.row = r + 1};
    if (place == NULL)
        return;
    if (strcmp(place, "bad") == 0) {
        t->records[r].flags = ODP_RECORD_GEOMETRY_BAD;
        return;
    }
    double *xy = t->at[r];
    assert_int_equal(sscanf(place, "%lf %lf", &xy[0], &xy[1]), 2);
    struct odp_geom *g = odp_arena_zero(&t->arena, 1, sizeof *g);
    *g = (struct odp_geom){
        .type = ODP_GEOM_POINT,
        .npoints = 1,
        .nparts = 1,
        .xy = xy,
        .part = part,
        .bbox = {xy[0], xy[1], xy[0], xy[1]},
    };
    t->geometry[r] = g;
}

/* ---- answers ---- */

/* Numbers of the first COUNT records as check reads them. */
static void read_numbers(struct file *t, struct odp_batch *b, uint32_t count)
{
    b->numbers = odp_arena_zero(&t->scratch, FIELDS, sizeof *b->numbers);
    for (uint32_t k = 0; k < t->schema.n; k++) {
        struct odp_batch_numbers *out = &b->numbers[k];
        bool date = t->fields[k].type == ODP_TYPE_DATE;
        if (!odp_type_is_number(t->fields[k].type) && !date)
            continue;
        out->number = odp_arena_zero(&t->scratch, count, sizeof *out->number);
        out->scale = odp_arena_zero(&t->scratch, count, 1);
        for (uint32_t i = 0; i < count; i++) {
            const struct odp_slice text = b->columns[k].text[i];
            unsigned scale = 0;
            if (b->columns[k].state[i] == ODP_VALUE_OK && date)
                out->number[i] = odp_date_digits(text.ptr);
            else if (!odp_decimal_small(text, &out->number[i], &scale))
                scale = ODP_NUMBER_LONG;
            out->scale[i] = (uint8_t)scale;
        }
    }
}

/* With numbers that were read, and with those of COUNT records alone (a strip of short ones, perhaps), it is
 * the same. */
static void same_by_numbers(struct file *t, const struct odp_expr *e, struct odp_batch *b,
                            const uint8_t *truth)
{
    uint8_t again[STRIPS];
    read_numbers(t, b, STRIPS);
    must(odp_expr_eval(e, b, &t->scratch, again));
    assert_memory_equal(again, truth, STRIPS);
    for (uint32_t i = 0; i < t->nrecords; i++) {
        struct odp_batch one = *b;
        struct odp_column columns[FIELDS];
        for (uint32_t k = 0; k < t->schema.n; k++)
            columns[k] = (struct odp_column){b->columns[k].text + i, b->columns[k].state + i};
        one.nrecords = 1;
        one.columns = columns;
        one.records += i;
        one.geometry = b->geometry != NULL ? b->geometry + i : NULL;
        read_numbers(t, &one, 1);
        must(odp_expr_eval(e, &one, &t->scratch, again));
        assert_int_equal(again[0], truth[i]);
    }
}

/* The records again and again, in more than one strip of the evaluator. */
static void add_truth(struct file *t, const struct odp_expr *e)
{
    struct odp_column *columns = odp_arena_zero(&t->scratch, FIELDS, sizeof *columns);
    struct odp_batch b = {
        .nrecords = STRIPS,
        .columns = columns,
        .records = t->records,
        .geometry = t->bare ? NULL : t->geometry,
    };
    uint8_t truth[STRIPS];
    for (uint32_t k = 0; k < t->schema.n; k++) {
        columns[k].text = odp_arena_zero(&t->scratch, STRIPS, sizeof *columns[k].text);
        columns[k].state = odp_arena_zero(&t->scratch, STRIPS, 1);
        for (uint32_t i = 0; i < STRIPS; i++) {
            const char *value = t->values[i % t->nrecords][k];
            columns[k].text[i] = odp_slice_of(value);
            columns[k].state[i] = value != NULL ? ODP_VALUE_OK : ODP_VALUE_NULL;
            t->records[i] = t->records[i % t->nrecords];
            t->geometry[i] = t->geometry[i % t->nrecords];
        }
    }
    must(odp_expr_eval(e, &b, &t->scratch, truth));
    same_by_numbers(t, e, &b, truth);
    for (uint32_t i = 0; i < STRIPS; i++) {
        assert_int_equal(truth[i], truth[i % t->nrecords]);
        if (i < t->nrecords)
            odp_buffer_add_char(&t->out, "FTU"[truth[i]]);
    }
    odp_buffer_add_char(&t->out, '\n');
}

static void add_value(struct odp_buffer *out, const struct odp_sql_value *v)
{
    static const char *const kinds[] = {"null", "int", "real", "text", "blob", "pointer"};
    odp_buffer_printf(out, "  %s ", kinds[v->kind]);
    if (v->kind == ODP_SQL_INT)
        odp_buffer_printf(out, "%lld", (long long)v->i);
    else if (v->kind == ODP_SQL_REAL)
        odp_buffer_printf(out, "%.17g", v->r);
    else if (v->kind == ODP_SQL_POINTER)
        odp_buffer_add_str(out, v->pointer_type);
    else
        odp_buffer_add_slice(out, v->text);
    odp_buffer_add_char(out, '\n');
}

static void add_sql(struct file *t, const struct odp_expr *e)
{
    struct odp_sql sql;
    const struct odp_sql_table table = {
        .alias = "d",
        .columns = t->columns,
        .geometry = "geom",
        .rtree = "box",
        .name = "data",
        .wide = t->wide,
    };
    odp_sql_init(&sql, &t->scratch);
    must(odp_expr_sql(e, &table, &sql));
    odp_buffer_printf(&t->out, "%s\n", odp_buffer_cstr(&sql.text));
    for (uint32_t i = 0; i < sql.n; i++)
        add_value(&t->out, &sql.values[i]);
    odp_sql_release(&sql);
}

static void add_answer(struct file *t, const struct odp_expr *e)
{
    if (strcmp(t->answer, "truth") == 0) {
        add_truth(t, e);
    } else if (strcmp(t->answer, "sql") == 0) {
        add_sql(t, e);
    } else {
        must(odp_expr_normal(e, &t->out));
        odp_buffer_add_char(&t->out, '\n');
    }
    odp_expr_release(e);
}

static void add_fault(struct file *t, const char *text, size_t at, size_t len, const struct odp_text *message)
{
    odp_buffer_printf(&t->out, "! %.*s«%.*s»%s\n", (int)at, text, (int)len, text + at, text + at + len);
    odp_buffer_printf(&t->out, "  %s\n  %s\n", message->in[ODP_LANG_ID], message->in[ODP_LANG_EN]);
}

static void ask_text(struct file *t, const char *text)
{
    const struct odp_expr *e;
    struct odp_expr_fault fault;
    if (odp_expr_compile_in(&t->scratch, odp_slice_of(text), &t->scope, &e, &fault) == ODP_OK)
        add_answer(t, e);
    else
        add_fault(t, text, fault.at, fault.len, &fault.message);
}

static void ask_json(struct file *t, const char *text)
{
    const struct odp_expr *e = NULL;
    struct odp_expr_json_fault fault;
    json_t *json = *text != '\0' ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
    assert_true(json != NULL || *text == '\0');
    enum odp_status status = odp_expr_compile_json(&t->scratch, json, &t->scope, &e, &fault);
    json_decref(json); /* the expression keeps nothing of it */
    assert_true((status == ODP_OK) == (e != NULL));
    if (status == ODP_OK)
        add_answer(t, e);
    else
        add_fault(t, fault.pointer, strlen(fault.pointer), 0, &fault.message);
}

static void ask_literal(struct file *t, char *line)
{
    struct odp_spatial *s, *again;
    struct odp_text why;
    BUFFER(text);
    size_t at = 0, from = 0;
    int op = odp_spatial_op_find(odp_slice_of(strsep(&line, " ")));
    enum odp_status status =
        odp_spatial_parse(&s, (enum odp_spatial_op)op, odp_slice_of(line), &at, &t->scratch, &why);
    if (status != ODP_OK) {
        add_fault(t, line, at, 0, &why);
        return;
    }
    odp_spatial_add_text(s, &text);
    odp_buffer_printf(&t->out, "%s %s\n", odp_buffer_cstr(&text), line + at);
    must(odp_spatial_parse(&again, (enum odp_spatial_op)op, odp_buffer_slice(&text), &from, &t->scratch,
                           &why)); /* it can be read again */
    odp_spatial_free(again);
    odp_spatial_free(s);
}

static void ask_value(struct file *t, char *line)
{
    struct odp_sql_value v;
    struct odp_text expected;
    const char *type = strsep(&line, " ");
    if (odp_sql_literal(odp_slice_of(line), type_of(type, strlen(type)), &t->scratch, &v, &expected) ==
        ODP_OK)
        add_value(&t->out, &v);
    else
        odp_buffer_printf(&t->out, "! %s\n  %s\n", expected.in[ODP_LANG_ID], expected.in[ODP_LANG_EN]);
}

/* ---- files ---- */

static bool take(char **line, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(*line, word, n) != 0)
        return false;
    *line += n;
    return true;
}

/* False: LINE is an answer. */
static bool read_line(struct file *t, char *line)
{
    if (take(&line, "answer "))
        t->answer = line;
    else if (take(&line, "field "))
        add_field(t, line);
    else if (take(&line, "geometry "))
        t->scope.geometry = line;
    else if (take(&line, "record "))
        t->nrecords = 0, add_record(t, line);
    else if (take(&line, "and "))
        add_record(t, line);
    else if (take(&line, "bare"))
        t->bare = true;
    else if (take(&line, "> "))
        ask_text(t, line);
    else if (take(&line, "json "))
        ask_json(t, line);
    else if (take(&line, "literal "))
        ask_literal(t, line);
    else if (take(&line, "value "))
        ask_value(t, line);
    else
        return false;
    return true;
}

static void check(const char *name)
{
    static struct file t;
    char path[100], *line;
    struct odp_buffer text;
    snprintf(path, sizeof path, "catalog/expr/%s.txt", name);
    memset(&t, 0, sizeof t);
    odp_arena_init(&t.arena);
    odp_arena_init(&t.scratch);
    odp_buffer_init(&t.out);
    t.schema.fields = t.fields;
    t.scope.schema = &t.schema;
    answers_read(path, &text);
    char *rest = odp_arena_str(&t.arena, odp_buffer_cstr(&text));
    while ((line = strsep(&rest, "\n")) != NULL) {
        size_t before = t.out.len;
        odp_buffer_printf(&t.out, rest != NULL ? "%s\n" : "%s", line);
        if (*line != '\0' && !read_line(&t, line))
            t.out.len = before;
        odp_arena_reset(&t.scratch);
    }
    answers_check(path, &text, &t.out);
    odp_arena_release(&t.arena);
    odp_arena_release(&t.scratch);
}

TEST(truth)
{
    check("truth");
}

TEST(functions)
{
    check("functions");
}

TEST(wide)
{
    check("wide");
}

TEST(geometry)
{
    check("geometry");
}

TEST(faults)
{
    check("faults");
}

TEST(json)
{
    check("json");
}

TEST(normal)
{
    check("normal");
}

TEST(literals)
{
    check("literals");
}

TEST(sql)
{
    check("sql");
}
