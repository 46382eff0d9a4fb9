/* "clients" of portal.json: what npm, pip and Composer take as a name and what can be a file, an address and
 * a module everywhere. */
#include "catalog_folder.h"

#define HUNDRED                                                                                              \
    "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggghhhhhhhhhhiiiiiiiiiijjjjjjjjjj"

static const char *const languages[] = {"javascript", "python", "php"};

/* Opens a catalogue whose portal.json has MEMBERS, from column 1 of line 2. */
static enum odp_status open_with(struct folder *f, const char *members)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"title\": \"P\", \"publisher\": \"K\", \"baseUrl\": \"https://a.example/\",\n%s}", members);
    folder_write(f, "portal.json", text);
    return folder_open(f);
}

static void check(struct folder *f, size_t l, const char *name, bool good)
{
    char members[512], expected[64];
    snprintf(members, sizeof members, "\"clients\": {\"%s\": \"%s\"}", languages[l], name);
    enum odp_status status = open_with(f, members);
    snprintf(expected, sizeof expected, "C31 2:%zu ",
             strlen("\"clients\": {\"\": ") + strlen(languages[l]) + 1);
    if (good != (status == ODP_OK) || (!good && strncmp(folder_faults(f), expected, strlen(expected)) != 0))
        fail_msg("%s %s: %s", languages[l], name, folder_faults(f));
    if (good)
        assert_string_equal(f->catalog->portal.clients[l], name);
}

TEST(names)
{
    static const struct {
        size_t language;
        bool good;
        const char *names[20];
    } cases[] = {
        {0, true, {"@pu/data", "pu-data", "@p1/d.a_t-a", "9", "a--b", HUNDRED}},
        {0,
         false,
         {"", "@pu", "@/data", "@pu/", "@pu/data/x", "pu/data", "Pu", "@Pu/data", ".pu", "_pu", "pu.",
          "pu data", "p\xc3\xbc", "~pu", "node_modules", "favicon.ico", "@con/data", "nul", HUNDRED "k"}},
        {1, true, {"pu-data", "PU.Data", "a", "a9__b", "odp", "Imports", HUNDRED}},
        {1,
         false,
         {"", "9data", "-pu", "pu-", "pu data", "pu/data", "@pu", "import", "Class", "NONE", "com1",
          "p\xc3\xbc", HUNDRED "k"}},
        {2, true, {"pu/data", "p-u/d_a.t-a", "pu/d--a", "9/9"}},
        {2,
         false,
         {"", "pu", "/data", "pu/", "pu/data/x", "Pu/data", "pu/Data", "p--u/data", "pu/d---a", "pu/d._a",
          "pu/d-_a", "pu/-a", "pu/a-", "namespace/data", "aux/data", "pu/lpt9", "pu data/x", HUNDRED "/b"}}};
    FOLDER(f);
    for (size_t i = 0; i < ODP_COUNT(cases); i++)
        for (size_t k = 0; k < 20 && cases[i].names[k] != NULL; k++)
            check(&f, cases[i].language, cases[i].names[k], cases[i].good);
}

TEST(members)
{
    FOLDER(f);
    must(open_with(&f, "\"clients\": {}"));
    for (size_t l = 0; l < 3; l++)
        assert_null(f.catalog->portal.clients[l]);
    must(open_with(&f, "\"clients\": {\"php\": \"pu/data\", \"python\": \"pu-data\"}"));
    assert_null(f.catalog->portal.clients[0]);
    assert_string_equal(f.catalog->portal.clients[1], "pu-data");
    assert_string_equal(f.catalog->portal.clients[2], "pu/data");
    must_refuse(open_with(&f, "\"clients\": {\"javascript\": 1}"));
    assert_int_equal(strncmp(folder_faults(&f), "C04 2:27 javascript|", 20), 0);
    must_refuse(open_with(&f, "\"clients\": \"pu-data\""));
    assert_int_equal(strncmp(folder_faults(&f), "C04 2:12 clients|", 17), 0);
    must(open_with(&f, "\"clients\": {\"phyton\": \"pu-data\"}"));
    assert_int_equal(strncmp(folder_faults(&f), "C12 2:13 phyton|", 16), 0);
}
