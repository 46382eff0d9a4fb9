/* datetime: an instant or an interval, of RFC 3339 date-times and dates: a · a/b · ../b · a/.. (an empty
 * end is an open one, too; a date may have a T and no time after it, as GDAL writes dates).
 *
 * A column of dates is compared by day: a date-time stands for its day in its own offset. A column of
 * date-times is compared by instant; a date stands for the whole day in UTC (who means another day says so
 * by date-times with an offset). Records without a date match (OGC 17-069r4, 7.15.4); of two columns,
 * start and end, a missing one is open. */
#include "service/queries/engine/engine_internal.h"
#include "words/queries.h"

struct end {
    bool open, day; /* DAY: a date */
    struct odp_datetime d;
};

static enum odp_status fault_end(struct query_parsing *p, struct odp_slice s, const char *id, const char *en)
{
    return query_fault_in(p, QUERY_P_DATETIME, s, id, en, QUERY_NOTHING);
}

/* "2024-03-15T00:00:00 07:00": a plus sign that became a space on its way. */
static bool lost_plus(struct odp_slice s)
{
    return s.len > 17 && s.ptr[s.len - 6] == ' ' && s.ptr[s.len - 3] == ':';
}

static enum odp_status read_end(struct query_parsing *p, struct odp_slice s, bool interval, struct end *e)
{
    *e = (struct end){.open = interval && (s.len == 0 || odp_slice_is(s, ".."))};
    if (e->open)
        return ODP_OK;
    struct odp_slice text = s;
    text.len -= s.len == 11 && s.ptr[10] == 'T';
    e->day = text.len == 10;
    enum odp_date_fault f = odp_date_parse(text, e->day ? ODP_DATE : ODP_DATETIME, NULL, NULL, &e->d);
    if (f == ODP_DATE_OK)
        return ODP_OK;
    if (lost_plus(s))
        return fault_end(p, s, W_queries_plus_sign_address_means_space);
    if (f == ODP_DATE_NO_OFFSET)
        return fault_end(p, s, W_queries_has_no_time_zone_z);
    if (f == ODP_DATE_RANGE)
        return fault_end(p, s, W_queries_there_no_such_date_time);
    return fault_end(p, s, W_queries_no_time_expected_2024_03);
}

/* E as a bound of COLUMN, as the index has it. */
static const char *bound(struct query_parsing *p, const struct end *e, int column, bool upper)
{
    char text[ODP_DATETIME_SIZE], out[ODP_DATETIME_SIZE];
    size_t n = odp_date_format(&e->d, ODP_DATE, text);
    if (p->q->info->columns[column].type == ODP_TYPE_DATE)
        return odp_arena_copy(p->q->arena, (struct odp_slice){text, n}).ptr;
    if (e->day)
        return odp_arena_printf(p->q->arena, "%.*s%s", (int)n, text,
                                upper ? "T23:59:59.999Z999999" : "T00:00:00.000Z");
    n = odp_date_format(&e->d, ODP_DATETIME, text);
    n = odp_search_instant((struct odp_slice){text, n}, out);
    return odp_arena_copy(p->q->arena, (struct odp_slice){out, n}).ptr;
}

/* Instants by instant, else by day. */
static bool later(const struct end *a, const struct end *b)
{
    if (a->open || b->open)
        return false;
    if (!a->day && !b->day)
        return odp_date_cmp(&a->d, &b->d) > 0;
    return odp_date_days(&a->d) > odp_date_days(&b->d);
}

static void add_normal(struct query_parsing *p, const struct end *e)
{
    char text[ODP_DATETIME_SIZE];
    if (e->open)
        odp_buffer_add_str(&p->scratch, "..");
    else
        odp_buffer_add(&p->scratch, text, odp_date_format(&e->d, e->day ? ODP_DATE : ODP_DATETIME, text));
}

enum odp_status query_parse_datetime(struct query_parsing *p)
{
    struct odp_slice value = p->given[QUERY_P_DATETIME];
    const int *columns = p->q->info->datetime;
    struct end e[2];
    if (value.ptr == NULL)
        return ODP_OK;
    const char *slash = value.len > 0 ? memchr(value.ptr, '/', value.len) : NULL;
    size_t at = slash != NULL ? (size_t)(slash - value.ptr) : value.len;
    struct odp_slice first = {value.ptr, at}, second = value;
    if (slash != NULL)
        second = (struct odp_slice){slash + 1, value.len - at - 1};
    enum odp_status status = read_end(p, first, slash != NULL, &e[0]);
    if (status == ODP_OK)
        status = read_end(p, second, slash != NULL, &e[1]);
    if (status != ODP_OK)
        return status;
    if (e[0].open && e[1].open)
        return fault_end(p, value, W_queries_open_at_both_ends_at);
    if (later(&e[0], &e[1]))
        return fault_end(p, second, W_queries_end_before_beginning);
    if (columns[0] < 0)
        return ODP_OK; /* without dates all records match */
    p->q->datetime[0] = e[0].open ? NULL : bound(p, &e[0], columns[1], false);
    p->q->datetime[1] = e[1].open ? NULL : bound(p, &e[1], columns[0], true);
    add_normal(p, &e[0]);
    odp_buffer_add_str(&p->scratch, slash != NULL ? "/" : "");
    if (slash != NULL)
        add_normal(p, &e[1]);
    query_add_pair(p, query_parameter_name(QUERY_P_DATETIME), QUERY_PAIR_CONDITION);
    return ODP_OK;
}
