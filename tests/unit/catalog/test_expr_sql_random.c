/* The SQL back end: for thousands of made-up expressions over made-up rows, the rows that SQLite finds are
 * those for which eval.c says TRUE. */
#include "expr_sql_fixture.h"

static const char *some(int field)
{
    const char *v;
    do
        v = sets[field].values[dice(sets[field].n)];
    while (v == NULL);
    return v;
}

static void say_string(struct words *w);

static void say_number(struct words *w, int depth)
{
    static const int number_fields[] = {A, B, W, I, V, K, TH};
    static const char *const odd[] = {
        "7.5",
        "12.500000000000000000000000001",
        "0.30000000000000004",
        "1e400",
        "9007199254740992.5",
        "1e20",
        "9223372036854775807.0",
        "0.1000000000000000055511151231257827",
        "12e0",
    };
    switch (dice(depth > 0 ? 11 : 7)) {
    case 9:
        say(w, dice(2) ? "ABS(" : "COALESCE(0, ");
        say_number(w, depth - 1);
        say(w, ")");
        return;
    case 10:
        say(w, dice(2) ? "YEAR(d) + LENGTH(" : "ROUND(b, 1) - LENGTH(");
        say_string(w);
        say(w, ")");
        return;
    case 0:
        say(w, "%s", odd[dice(ODP_COUNT(odd))]);
        return;
    case 1:
    case 2:
        say(w, "%s", some(number_fields[dice(7)]));
        return;
    case 7:
    case 8:
        say(w, "(");
        say_number(w, depth - 1);
        say(w, " %c ", "+-*/"[dice(4)]);
        say_number(w, depth - 1);
        say(w, ")");
        return;
    default:
        say(w, "%s", fields[number_fields[dice(7)]].name);
    }
}

static void say_string(struct words *w)
{
    static const char *const calls[] = {"UPPER(",  "LOWER(CASEI(", "TRIM(",         "ACCENTI(",
                                        "CONCAT(", "SUBSTR(",      "COALESCE('x', "};
    static const char *const ends[] = {")", "))", ")", ")", ", t)", ", 2, 3)", ")"};
    size_t call = dice(ODP_COUNT(calls));
    switch (dice(7)) {
    case 5:
    case 6:
        say(w, "%s", calls[call]);
        say_string(w);
        say(w, "%s", ends[call]);
        break;
    case 0:
        say_text(w, some(T));
        break;
    case 1:
        say(w, "CASEI(t)");
        break;
    case 2:
        say(w, "CASEI('ABC')");
        break;
    case 3:
        say(w, "\"Nama \"\"lain\"\"\"");
        break;
    default:
        say(w, "t");
    }
}

static const char *const comparisons[] = {"=", "<>", "<", "<=", ">", ">="};

static void say_moment(struct words *w)
{
    static const int moment_fields[] = {D, S, J, M};
    int f = moment_fields[dice(4)];
    switch (dice(3)) {
    case 0:
        say(w, "%s %s '%s'", fields[f].name, comparisons[dice(6)], some(f));
        break;
    case 1:
        say(w, "%s %sBETWEEN '%s' AND '%s'", fields[f].name, dice(2) ? "NOT " : "", some(f), some(f));
        break;
    default:
        say(w, "'%s' %s %s AND %s %sIN ('%s', '%s')", some(f), comparisons[dice(6)], fields[f].name,
            fields[f].name, dice(2) ? "NOT " : "", some(f), some(f));
    }
}

static void say_spatial(struct words *w)
{
    static const char *const functions[] = {"S_INTERSECTS", "S_WITHIN", "S_CONTAINS", "S_DISJOINT",
                                            "S_TOUCHES",    "S_EQUALS", "S_OVERLAPS", "S_CROSSES"};
    char literal[200];
    int x = (int)dice(20) - 10, y = (int)dice(20) - 10, size = 1 + (int)dice(8);
    switch (dice(4)) {
    case 0:
        snprintf(literal, sizeof literal, "POINT(%d.25 %d)", x, y);
        break;
    case 1:
        snprintf(literal, sizeof literal, "POLYGON((%d %d, %d %d, %d.5 %d, %d %d))", x, y, x + size, y, x,
                 y + size, x, y);
        break;
    case 2: /* across 180° */
        snprintf(literal, sizeof literal, "BBOX(%d, %d, %d, %d)", 170 + (int)dice(9), y,
                 -170 + (int)dice(170), y + size);
        break;
    default:
        snprintf(literal, sizeof literal, "BBOX(%d, %d, %d, %d)", x, y, x + size, y + size);
    }
    if (dice(3) == 0)
        say(w, "%s(%s, geometry)", functions[dice(8)], literal);
    else
        say(w, "%s(geometry, %s)", functions[dice(8)], literal);
}

static void say_condition(struct words *w, int depth);

static void say_leaf(struct words *w)
{
    static const char *const patterns[] = {
        "abc%",
        "a%",
        "%",
        "",
        "ab_",
        "_bc",
        "ab\xf4\x8f\xbf\xbf%",
        "\xc3\xbf%",
        "\xed\x9f\xbf%",
        "abc",
        "50\\%",
        "50\\%%",
        "a\\_c%",
        "a\\\\b%",
        "kel%",
        "Kel.%g",
        "%n%",
        "ab%c_",
        "\xf4\x8f\xbf\xbf%",
    };
    switch (dice(13)) {
    case 12:
        say(w, dice(3) == 0 ? "STARTS_WITH(" : dice(2) ? "ENDS_WITH(" : "CONTAINS(");
        say_string(w);
        say(w, ", ");
        say_string(w);
        say(w, ")");
        break;
    case 0:
        say(w, "%s IS %sNULL",
            dice(4) == 0   ? "geometry"
            : dice(9) == 0 ? "(a + i)"
            : dice(2)      ? fields[dice(6)].name
                           : fields[7 + dice(9)].name,
            dice(2) ? "NOT " : "");
        break;
    case 1:
        say_string(w);
        say(w, dice(2) ? " LIKE " : " NOT LIKE ");
        say_text(w, patterns[dice(ODP_COUNT(patterns))]);
        break;
    case 2:
    case 3:
        say_moment(w);
        break;
    case 4:
        say_string(w);
        say(w, " %s ", comparisons[dice(6)]);
        say_string(w);
        break;
    case 5:
        say_string(w);
        say(w, dice(2) ? " IN (" : " NOT IN (");
        for (size_t n = dice(4); n > 0; n--) {
            say_string(w);
            say(w, ", ");
        }
        say_string(w);
        say(w, ")");
        break;
    case 6:
        say(w, "%s", dice(3) == 0 ? "TRUE" : "y");
        break;
    case 7:
        say_spatial(w);
        break;
    case 8:
        say_number(w, 1);
        say(w, dice(2) ? " IN (" : " NOT IN (");
        for (size_t n = dice(4); n > 0; n--) {
            say_number(w, 0);
            say(w, ", ");
        }
        say_number(w, 0);
        say(w, ")");
        break;
    case 9:
        say_number(w, 1);
        say(w, dice(2) ? " BETWEEN " : " NOT BETWEEN ");
        say_number(w, 0);
        say(w, " AND ");
        say_number(w, 0);
        break;
    default:
        say_number(w, 2);
        say(w, " %s ", comparisons[dice(6)]);
        say_number(w, 1);
    }
}

static void say_condition(struct words *w, int depth)
{
    if (depth == 0) {
        say_leaf(w);
        return;
    }
    switch (dice(7)) {
    case 0:
        say(w, "NOT (");
        say_condition(w, depth - 1);
        say(w, ")");
        break;
    case 1:
    case 2:
        say(w, "(");
        say_condition(w, depth - 1);
        say(w, ") AND (");
        say_condition(w, depth - 1);
        say(w, ")");
        break;
    case 3:
    case 4:
        say(w, "(");
        say_condition(w, depth - 1);
        say(w, ") OR (");
        say_condition(w, depth - 1);
        say(w, ")");
        break;
    case 5:
        say(w, "(");
        say_condition(w, depth - 1);
        say(w, ") %s (", comparisons[dice(6)]);
        say_condition(w, depth - 1);
        say(w, ")");
        break;
    default:
        say_leaf(w);
    }
}

TEST(random)
{
    int good = 0, some_rows = 0, rounds = 0;
    const char *more = getenv("ODP_EXPR_ROUNDS");
    int most = more != NULL ? atoi(more) : 2000;
    for (; rounds < most; rounds++) {
        struct words w = {.len = 0};
        say_condition(&w, (int)dice(4));
        int count = check(w.text);
        good += count >= 0;
        some_rows += count > 0 && count < ROWS;
    }
    assert_true(good > most / 2);
    assert_true(some_rows > most / 4);
}

/* Rectangles and triangles whose sides lie on those of records, or a little beside them. */
TEST(sides)
{
    static const double beside[] = {0, 0, 1e-7, -1e-7, 2e-7, -2e-7, 0.4e-7, -0.4e-7, 0.25, -0.25};
    int some_rows = 0, before = searches;
    for (int round = 0; round < 1500; round++) {
        double side[4];
        char text[400];
        for (int k = 0; k < 4; k++) {
            int row;
            do
                row = (int)dice(ROWS);
            while (geometry[row] == NULL);
            side[k] = geoms[row].bbox[dice(2) * 2 + (size_t)k % 2] + beside[dice(ODP_COUNT(beside))];
        }
        double w = fmin(side[0], side[2]), e = fmax(side[0], side[2]), s = fmin(side[1], side[3]),
               n = fmax(side[1], side[3]);
        if (w == e || s == n)
            continue;
        if (round % 3 > 0)
            snprintf(text, sizeof text, "S_INTERSECTS(geometry, BBOX(%.9f,%.9f,%.9f,%.9f))", w, s, e, n);
        else
            snprintf(text, sizeof text, "%s(geometry, POLYGON((%.9f %.9f,%.9f %.9f,%.9f %.9f,%.9f %.9f)))",
                     round % 2 == 0 ? "S_INTERSECTS" : "S_WITHIN", w, s, e, s, w, n, w, s);
        some_rows += check(text) > 0;
    }
    assert_true(some_rows > 500);
    assert_true(searches - before > 1000);
}

AROUND(make_table, drop_table)
