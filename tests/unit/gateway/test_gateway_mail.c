/* Addresses, messages, the command that takes them. One-time links: answers/keys.txt
 * (test_gateway_answers.c). */
#include <signal.h>
#include <openssl/evp.h>
#include <sys/wait.h>

#include "gateway_http_fixture.h"
#include "service/http/text.h"

TEST(addresses)
{
    static const char *const good[] = {
        "a@b.id",
        "sari.putri+api@example.go.id",
        "o'neil@example.org",
        "s\xc3\xa9@contoh.id",
        "a@xn--kda.id",
        "a@\xc3\xa9xample.org",
        "-a@b.id",
        "a_b@1-2.id",
    };
    static const char *const bad[] = {
        "",
        "a",
        "@b.id",
        "a@",
        "a@b",
        "a@@b.id",
        "a@b@c.id",
        "a b@c.id",
        "a@b .id",
        "a@.id",
        "a@b..id",
        "a@b.id.",
        "a..b@c.id",
        ".a@c.id",
        "a.@c.id",
        "a,b@c.id",
        "<a@b.id>",
        "a@b.id>",
        "\"a\"@b.id",
        "a\\@b.id",
        "a(b)@c.id",
        "a;b@c.id",
        "a@b.id\n",
        "a\r\nBcc: x@y.id@b.id",
        "a@[127.0.0.1]",
        "a@-b.id",
        "a@b-.id",
        "a@b_c.id",
        "a\xc2\xa0@b.id",
        "a\xe2\x80\xae@b.id",
        "a\xff@b.id",
        "a@b.id\x7f",
    };
    char longest[300];
    for (size_t i = 0; i < ODP_COUNT(good); i++)
        if (!odp_mail_address_ok(odp_slice_of(good[i])))
            fail_msg("%s", good[i]);
    for (size_t i = 0; i < ODP_COUNT(bad); i++)
        if (odp_mail_address_ok(odp_slice_of(bad[i])))
            fail_msg("%s", bad[i]);
    memset(longest, 'a', sizeof longest);
    memcpy(longest + 64, "@", 1);
    for (size_t i = 120; i < 250; i += 50)
        longest[i] = '.';
    memcpy(longest + 251, ".id", 4);
    assert_true(odp_mail_address_ok(odp_slice_of(longest)));
    memcpy(longest + 251, ".com", 5); /* 255 bytes */
    assert_false(odp_mail_address_ok(odp_slice_of(longest)));
    memset(longest, 'a', 65);
    memcpy(longest + 65, "@b.id", 6);
    assert_false(odp_mail_address_ok(odp_slice_of(longest)));
}

/* Decodes the N bytes of base64 at IN; skips line feeds. */
static size_t unbase64(const char *in, size_t n, char *out)
{
    char text[1024];
    size_t len = 0;
    for (size_t i = 0; i < n; i++)
        if (in[i] != '\n')
            text[len++] = in[i];
    int all = EVP_DecodeBlock((unsigned char *)out, (const unsigned char *)text, (int)len);
    assert_true(all >= 0);
    while (len > 0 && text[--len] == '=')
        all--;
    out[all] = '\0';
    return (size_t)all;
}

TEST(message)
{
    struct odp_buffer b = {0};
    char body[512];
    must(odp_mail_write(&b, "Portal <data@example.go.id>", "sari@example.org", "Konfirmasi",
                        "Halo\nS\xc3\xa9lamat\n.\n", FIXTURE_NOW));
    const char *text = odp_buffer_cstr(&b);
    assert_memory_equal(text,
                        "From: Portal <data@example.go.id>\nTo: sari@example.org\nSubject: Konfirmasi\nDate: "
                        "Fri, 15 Mar 2024 02:00:00 +0000\n"
                        "Message-ID: <",
                        120);
    assert_non_null(strstr(text, "@example.go.id>\nMIME-Version: 1.0\n"));
    assert_non_null(strstr(text, "\nContent-Type: text/plain; charset=utf-8\n"));
    assert_non_null(strstr(text, "\nAuto-Submitted: auto-generated\n"));
    const char *end = strstr(text, "\n\n");
    assert_non_null(end);
    (void)unbase64(end, strlen(end), body);
    assert_string_equal(body, "Halo\nS\xc3\xa9lamat\n.\n");
    odp_buffer_release(&b);
}

TEST(subject)
{
    struct odp_buffer b = {0};
    char plain[256], word[128];
    static const char subject[] =
        "Konfirmasi \xe2\x80\x93 \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 "
        "alamat surel Anda di portal data \xf0\x9f\x98\x80";
    must(odp_mail_write(&b, "a@b.id", "c@d.id", subject, "x", FIXTURE_NOW));
    const char *at = strstr(odp_buffer_cstr(&b), "Subject: ");
    assert_non_null(at);
    at += 9;
    plain[0] = '\0';
    for (;;) { /* RFC 2047: words of at most 75 characters, whole characters, folded */
        assert_memory_equal(at, "=?UTF-8?B?", 10);
        const char *stop = strstr(at, "?=");
        assert_non_null(stop);
        assert_true(stop + 2 - at <= 75);
        size_t n = unbase64(at + 10, (size_t)(stop - at) - 10, word);
        assert_int_equal(odp_typed_ok((struct odp_slice){word, n}), true);
        snprintf(plain + strlen(plain), sizeof plain - strlen(plain), "%s", word);
        at = stop + 2;
        if (strncmp(at, "\n ", 2) != 0)
            break;
        at += 2;
    }
    assert_string_equal(plain, subject);
    odp_buffer_clear(&b);
    must_refuse(odp_mail_write(&b, "a@b.id", "c@d.id", "x\nBcc: e@f.id", "x", FIXTURE_NOW));
    must_refuse(odp_mail_write(&b, "a@b.id\nBcc: e@f.id", "c@d.id", "x", "x", FIXTURE_NOW));
    must_refuse(odp_mail_write(&b, "a@b.id", "c@d.id,e@f.id", "x", "x", FIXTURE_NOW));
    odp_buffer_release(&b);
}

static void script(struct fixture *f, const char *text, char command[256])
{
    snprintf(command, 256, "%s/script", f->dir);
    assert_int_equal(odp_file_kind_of(command) == ODP_FILE_NONE ? 0 : unlink(command), 0);
    must(odp_file_put(command, odp_slice_of(text), 0700, NULL));
}

TEST(runs_commands)
{
    struct fixture *f = *state;
    char command[256], text[512];
    static char large[300000];
    struct odp_slice message = {large, sizeof large};
    memset(large, 'x', sizeof large);
    script(f, "#!/bin/sh\ntest \"$(wc -c)\" -eq 300000\n", command);
    must(odp_mail_run(command, message, 20000, NULL));
    script(f, "#!/bin/sh\ncat >/dev/null\nexit 3\n", command);
    must_refuse(odp_mail_run(command, message, 20000, NULL));
    script(f, "#!/bin/sh\nexit 0\n", command); /* does not read: no SIGPIPE, no success */
    must_refuse(odp_mail_run(command, message, 20000, NULL));
    script(f, "#!/bin/sh\nsleep 600\n", command); /* never reads, never ends; its child dies with it */
    must_refuse(odp_mail_run(command, message, 50, NULL));
    script(f, "#!/bin/sh\ncat >/dev/null\nsleep 600\n", command);
    must_refuse(odp_mail_run(command, ODP_LIT("x"), 300, NULL));
    must_refuse(odp_mail_run("/no/such/program", message, 1000, NULL));
    must_refuse(odp_mail_run("   ", message, 1000, NULL));
    must_refuse(odp_mail_run("a a a a a a a a a a a a a a a a a", message, 1000, NULL));
    /* No shell: what it would take for more is a word. */
    snprintf(text, sizeof text, "/bin/true ; touch %s/made", f->dir);
    must(odp_mail_run(text, ODP_LIT(""), 20000, NULL));
    snprintf(text, sizeof text, "%s/made", f->dir);
    assert_int_equal(odp_file_kind_of(text), ODP_FILE_NONE);
}

TEST(inherits_nothing)
{
    struct fixture *f = *state;
    char command[256], out[256], text[512];
    struct odp_buffer b = {0};
    int fd = dup(STDERR_FILENO); /* not closed on exec */
    assert_true(fd > 2);
    snprintf(out, sizeof out, "%s/fds", f->dir);
    snprintf(text, sizeof text,
             "#!/bin/sh\ncat >/dev/null\nfor n in 3 4 5 6 7 8 9; do test -e /proc/$$/fd/$n && echo $n; "
             "done > %s\nexit 0\n",
             out);
    script(f, text, command);
    must(odp_mail_run(command, ODP_LIT("x"), 20000, NULL));
    close(fd);
    fixture_read(out, &b);
    for (const char *p = odp_buffer_cstr(&b); *p != '\0';
         p++) /* the shell keeps its script open as 10 and above */
        fail_msg("descriptor %c is open", *p);
    odp_buffer_release(&b);
}

static void wait_for_pids(const char *path, pid_t pids[ODP_MAIL_THREADS])
{
    int n = 0;
    for (int i = 0; i < 2000 && n < ODP_MAIL_THREADS; i++) {
        usleep(10000);
        FILE *in = fopen(path, "r");
        n = 0;
        for (int pid; in != NULL && n < ODP_MAIL_THREADS && fscanf(in, "%d\n", &pid) == 1;)
            pids[n++] = pid;
        if (in != NULL)
            (void)fclose(in);
    }
    assert_int_equal(n, ODP_MAIL_THREADS);
}

/* With the mailer: the queue is worked off, and its end does not wait for a command that hangs. */
TEST(mailer)
{
    struct fixture *f = *state;
    struct odp_buffer mails = {0};
    char command[256];
    fixture_sendmail(f);
    must(odp_mailer_new(&f->s.web->mailer, &f->s));
    must(odp_mail_send(&f->s, "sari@example.org", "satu", "isi"));
    for (int i = 0; i < 2000 && atomic_load(&f->s.web->mail_sent) == 0; i++)
        usleep(10000);
    assert_int_equal(atomic_load(&f->s.web->mail_sent), 1);
    fixture_read(f->mails, &mails);
    assert_non_null(strstr(odp_buffer_cstr(&mails), "To: sari@example.org\n"));
    script(f, "#!/bin/sh\necho $$ >> \"$0.pid\"\ncat >/dev/null\nexec sleep 600\n", command);
    odp_mailer_free(f->s.web->mailer);
    f->options.sendmail = command;
    must(odp_mailer_new(&f->s.web->mailer, &f->s));
    size_t refused = 0;
    for (int i = 0; i < ODP_MAIL_QUEUE + ODP_MAIL_THREADS + 5; i++)
        refused += odp_mail_send(&f->s, "sari@example.org", "lagi", "isi") == ODP_BAD;
    assert_true(refused >= 5);
    pid_t pids[ODP_MAIL_THREADS];
    char path[300];
    snprintf(path, sizeof path, "%s.pid", command);
    wait_for_pids(path, pids);
    odp_mailer_free(f->s.web->mailer);
    f->s.web->mailer = NULL;
    assert_true(atomic_load(&f->s.web->mail_failures) >= ODP_MAIL_QUEUE + 5);
    for (int i = 0; i < ODP_MAIL_THREADS; i++) { /* they had the whole message, and were left to themselves */
        assert_int_equal(kill(pids[i], SIGKILL), 0);
        assert_int_equal(waitpid(pids[i], NULL, 0), pids[i]);
    }
    odp_buffer_release(&mails);
}

EACH(fixture_setup, fixture_teardown)
