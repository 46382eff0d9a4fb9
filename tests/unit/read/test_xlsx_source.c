/* Numbers of a workbook as a person would write them; which kind of source a file is. */

#include "run.h"

#include "read/source.h"
#include "read/xlsx/xlsx_internal.h"

static void number(const char *text, const char *want)
{
    char out[80];
    size_t n = xlsx_number(odp_slice_of(text), out);
    out[n] = '\0';
    assert_string_equal(n > 0 ? out : text, want);
}

TEST(numbers)
{
    number("12.5", "12.5");
    number("12.50", "12.50");
    number("0", "0");
    number("-0.5", "-0.5");
    number("007", "7");
    number(".5", "0.5");
    number("5.", "5");
    number("+5", "5");
    number("12.300000000000001", "12.3");
    number("0.30000000000000004", "0.30000000000000004");
    number("1E3", "1000");
    number("-1.5E-3", "-0.0015");
    number("1.2345678901234567E+20", "123456789012345670000");
    number("0E5", "0");
    number("-0.0E1", "0");
    number("1e-300", "1e-300");
    number("1E+308", "1E+308");
    number("3171010101010001", "3171010101010001");
    number("0.1000000000000000055511151231257827", "0.1");
    number("123456789012345", "123456789012345");
}

static const char *kind_at(const char *own, const char *format, const char *path)
{
    struct odp_resource r = {.path = own, .format = format};
    const struct odp_source_kind *k = odp_source_kind_at(&r, path);
    return k != NULL ? k->name : "";
}

TEST(kinds)
{
    assert_string_equal(kind_at("a.xlsx", NULL, "b/a.xlsx"), "xlsx");
    assert_string_equal(kind_at("a.XLSM", NULL, "b/a.XLSM"), "xlsx");
    assert_string_equal(kind_at("a.dat", "xlsx", "b/a.dat"), "xlsx");
    assert_string_equal(kind_at("a.csv", NULL, "kiriman/Kab. Bogor.XLSX"), "xlsx");
    assert_string_equal(kind_at("a.shp", NULL, "x.xlsx"), "xlsx");
    assert_string_equal(kind_at("a.xlsx", NULL, "x.csv"), "csv");
    assert_string_equal(kind_at("a.csv", NULL, "x.unknown"), "csv");
    assert_string_equal(kind_at("a.csv", "csv", "x.csv"), "csv");
    assert_string_equal(kind_at("a.ods", NULL, "a.ods"), "");
}
