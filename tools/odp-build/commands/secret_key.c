#include "commands/secret_key.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/file.h"
#include "base/refusal.h"
#include "commands/failure.h"
#include "commands/outcome.h"
#include "words/commands.h"

enum { PASSWORD_MOST = 1024 }; /* bytes; minisign's bound */

void secret_password_free(char *password)
{
    sodium_free(password);
}

static char *password_room(void)
{
    char *p = sodium_init() >= 0 ? sodium_malloc(PASSWORD_MOST + 1) : NULL;
    if (p == NULL)
        fputs("odp-build: no memory; close other programs or add memory, then run this command again\n",
              stderr);
    return p;
}

/* ---- from a file ---- */

/* Reads the first line of FD, without its end. BAD: empty, too long, or with a NUL byte. */
static enum odp_status read_line(int fd, const char *path, char *out)
{
    size_t n = 0;
    while (n <= PASSWORD_MOST) {
        ssize_t got = read(fd, out + n, 1); /* byte by byte: the rest may be for somebody else */
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return odp_failure_set("read", path, errno);
        if (got == 0 || out[n] == '\n')
            break;
        n++;
    }
    if (n > 0 && n <= PASSWORD_MOST && out[n - 1] == '\r')
        n--;
    if (n > PASSWORD_MOST)
        n = 0;
    out[n] = '\0';
    return n > 0 && strlen(out) == n ? ODP_OK : ODP_BAD;
}

static void warn_exposed(const struct invocation *inv, const char *path)
{
    fprintf(stderr, say(inv, W_cmd_warning_others_may_read_close), path, path);
}

static int password_from_file(const struct invocation *inv, char *out)
{
    struct stat st;
    int fd = open(inv->password_file, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && !odp_file_is_users_fault(errno)) {
        (void)odp_failure_set("open", inv->password_file, errno);
        failure_say(inv, NULL);
        return EXIT_MACHINE;
    }
    if (fd < 0 || fstat(fd, &st) != 0) {
        const struct odp_text why = odp_refusal_text(errno);
        fprintf(stderr, say(inv, W_cmd_password_file_cannot_opened), inv->password_file,
                odp_text_get(&why, inv->style.lang));
        if (fd >= 0)
            close(fd);
        return EXIT_USAGE;
    }
    if (S_ISREG(st.st_mode) && (st.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        warn_exposed(inv, inv->password_file);
    enum odp_status status = read_line(fd, inv->password_file, out);
    close(fd);
    if (status == ODP_FAIL) {
        failure_say(inv, NULL);
        return EXIT_MACHINE;
    }
    if (status == ODP_BAD)
        fprintf(stderr, say(inv, W_cmd_first_line_must_password_at), inv->password_file, PASSWORD_MOST);
    return status == ODP_OK ? EXIT_CLEAN : EXIT_USAGE;
}

/* ---- from the terminal ---- */

static volatile sig_atomic_t caught;

static void remember(int signal_number)
{
    caught = signal_number;
}

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
enum { SIGNALS = ODP_COUNT(signals) };

/* Asks on the terminal; a signal restores the echo before it takes effect. */
static bool ask(int terminal, const char *prompt, char *out)
{
    struct termios before, silent;
    struct sigaction old[SIGNALS];
    const struct sigaction action = {.sa_handler = remember}; /* no SA_RESTART: read ends */
    size_t n = 0;
    bool ended = false;
    if (tcgetattr(terminal, &before) != 0)
        return false;
    caught = 0;
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, &old[i]);
    silent = before;
    silent.c_lflag &= ~(tcflag_t)(ECHO | ECHONL);
    tcsetattr(terminal, TCSAFLUSH, &silent);
    ssize_t written = write(terminal, prompt, strlen(prompt));
    while (written >= 0 && !ended && caught == 0 && n <= PASSWORD_MOST) {
        ssize_t got = read(terminal, out + n, 1);
        ended = got == 0 || (got < 0 && errno != EINTR) || (got > 0 && out[n] == '\n');
        n += got > 0 && !ended;
    }
    tcsetattr(terminal, TCSAFLUSH, &before);
    written = write(terminal, "\n", 1);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &old[i], NULL);
    out[n <= PASSWORD_MOST ? n : 0] = '\0';
    if (caught != 0) {
        sodium_memzero(out, PASSWORD_MOST + 1);
        raise(caught);
        return false;
    }
    return written >= 0 && *out != '\0';
}

static int no_password(const struct invocation *inv)
{
    fputs(say(inv, W_cmd_no_password_give_with_password), stderr);
    return EXIT_USAGE;
}

static int password_from_terminal(const struct invocation *inv, bool twice, const char *what, char *out)
{
    char prompt[4200];
    int code = EXIT_CLEAN;
    int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    char *again = password_room();
    if (again == NULL)
        code = EXIT_MACHINE;
    snprintf(prompt, sizeof prompt, say(inv, W_cmd_password_for), what);
    if (code == EXIT_CLEAN && (terminal < 0 || !ask(terminal, prompt, out)))
        code = no_password(inv);
    if (code == EXIT_CLEAN && twice &&
        (!ask(terminal, say(inv, W_cmd_once_more), again) || strcmp(out, again) != 0)) {
        fputs(say(inv, W_cmd_two_passwords_differ), stderr);
        code = EXIT_USAGE;
    }
    secret_password_free(again);
    if (terminal >= 0)
        close(terminal);
    return code;
}

/* ---- keys ---- */

int secret_password_new(const struct invocation *inv, char **password)
{
    *password = NULL;
    if (inv->unencrypted)
        return EXIT_CLEAN;
    *password = password_room();
    if (*password == NULL)
        return EXIT_MACHINE;
    int code = inv->password_file != NULL
                   ? password_from_file(inv, *password)
                   : password_from_terminal(inv, true, say(inv, W_cmd_new_key), *password);
    if (code != EXIT_CLEAN) {
        secret_password_free(*password);
        *password = NULL;
    }
    return code;
}

int secret_key_open(const struct invocation *inv, struct odp_secret_key **key)
{
    struct odp_secret_key_file file;
    struct odp_arena arena = {0};
    struct odp_text why;
    char *password = NULL;
    *key = NULL;
    if (inv->key == NULL) {
        fputs(say(inv, W_cmd_name_secret_key_file_with), stderr);
        return EXIT_USAGE;
    }
    int code = outcome_code(inv, odp_secret_key_look(&file, inv->key, &arena, &why), &why);
    if (code == EXIT_CLEAN && file.exposed)
        warn_exposed(inv, inv->key);
    if (code == EXIT_CLEAN && file.encrypted) {
        password = password_room();
        code = password == NULL             ? EXIT_MACHINE
               : inv->password_file != NULL ? password_from_file(inv, password)
                                            : password_from_terminal(inv, false, inv->key, password);
    }
    if (code == EXIT_CLEAN)
        code = outcome_code(inv, odp_secret_key_read(key, inv->key, password, &arena, &why), &why);
    secret_password_free(password);
    odp_arena_release(&arena);
    return code;
}
