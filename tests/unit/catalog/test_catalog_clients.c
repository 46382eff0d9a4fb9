/* "clients" of portal.json: what npm, pip and Composer take as a name and what can be a file, an address and
 * a module everywhere. */
#include "answer_lines.h"
#include "catalog_folder.h"

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

/* Questions of clients.txt: a language and a name. */
static void check(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct folder *f = ctx;
    char members[512], expected[64];
    const int verb = (int)strcspn(question.ptr, " ");
    const char *name = question.ptr + verb + 1;
    snprintf(members, sizeof members, "\"clients\": {\"%.*s\": \"%s\"}", verb, question.ptr, name);
    if (open_with(f, members) == ODP_OK) {
        for (size_t l = 0; l < ODP_COUNT(languages); l++)
            if (strncmp(question.ptr, languages[l], (size_t)verb) == 0)
                assert_string_equal(f->catalog->portal.clients[l], name);
        odp_buffer_add_str(out, "good");
        return;
    }
    snprintf(expected, sizeof expected, "C31 2:%zu ", strlen("\"clients\": {\"\": ") + (size_t)verb + 1);
    assert_memory_equal(folder_faults(f), expected, strlen(expected));
    odp_buffer_add_str(out, "C31");
}

TEST(names)
{
    FOLDER(f);
    answer_lines("catalog/clients.txt", check, &f);
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
