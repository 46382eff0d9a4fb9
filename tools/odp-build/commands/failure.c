#include "commands/failure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "words/commands.h"

/* What to do, by why it failed; the reason in Indonesian (in English it is the system's). */
static const struct cause {
    int errnum;
    const char *reason;
    struct odp_text advice;
} causes[] = {
    {ENOSPC,
     "ruang disk habis",
     {{W_cmd_make_room_there_then_run}}},
    {EDQUOT,
     "kuota disk terlampaui",
     {{W_cmd_raise_user_quota_remove_files}}},
    {EROFS,
     "sistem berkas hanya dapat dibaca",
     {{W_cmd_mount_file_system_so_can}}},
    {EACCES,
     "tidak diizinkan",
     {{W_cmd_give_user_right_file_folder}}},
    {EPERM,
     "tidak diizinkan",
     {{W_cmd_give_user_right_file_folder}}},
    {EIO,
     "galat baca-tulis perangkat",
     {{W_cmd_check_disk_network_on_dmesg}}},
    {ENOMEM,
     "memori habis",
     {{W_cmd_close_other_programs_add_memory}}},
    {EMFILE,
     "terlalu banyak berkas terbuka",
     {{W_cmd_raise_limit_open_files_ulimit}}},
    {ENFILE,
     "terlalu banyak berkas terbuka di sistem ini",
     {{W_cmd_close_other_programs_have_many}}},
    {EAGAIN,
     "sumber daya sedang habis",
     {{W_cmd_end_other_processes_raise_limit}}},
    {EFBIG,
     "berkas terlalu besar",
     {{W_cmd_raise_limit_file_sizes_ulimit}}},
    {ENOLCK,
     "tidak ada kunci berkas",
     {{W_cmd_choose_folder_on_file_system}}},
    {ENAMETOOLONG,
     "nama berkas terlalu panjang",
     {{W_cmd_choose_folder_with_shorter_name}}},
    {ESTALE,
     "isinya berubah saat dibaca",
     {{W_cmd_wait_until_nobody_writes_then}}},
};

static const struct odp_text otherwise = {{W_cmd_run_command_again_if_fails}};

/* The commonest acts; longer ones first. */
static const char *const acts[][2] = {
    {"allocate memory", "meminta memori"},
    {"open folder", "membuka folder"},
    {"read folder", "membaca folder"},
    {"make folder", "membuat folder"},
    {"remove folder", "menghapus folder"},
    {"sync folder", "menyimpan folder ke disk"},
    {"chmod", "mengatur izin"},
    {"close", "menutup"},
    {"compare", "membandingkan"},
    {"compress", "memampatkan"},
    {"copy", "menyalin"},
    {"create", "membuat"},
    {"decompress", "membuka mampatan"},
    {"examine", "memeriksa"},
    {"fetch", "mengambil"},
    {"link", "menautkan"},
    {"load", "memuat"},
    {"lock", "mengunci"},
    {"make", "membuat"},
    {"map", "memetakan"},
    {"open", "membuka"},
    {"read", "membaca"},
    {"remove", "menghapus"},
    {"rename", "mengganti nama"},
    {"sign", "menandatangani"},
    {"stat", "memeriksa"},
    {"switch", "mengalihkan ke"},
    {"sync", "menyimpan ke disk"},
    {"verify", "memeriksa"},
    {"write", "menulis"},
};

/* TEXT ("write build/x.json: No space left on device") in Indonesian, as far as its act and its reason are known; what lies
 * between is names. */
static void put_indonesian(const char *text, const char *reason)
{
    const char *tail = reason != NULL ? strrchr(text, ':') : NULL;
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
        size_t act = strlen(acts[i][0]);
        if (strncmp(text, acts[i][0], act) == 0 && (text[act] == ' ' || text[act] == ':' || text[act] == '\0')) {
            fputs(acts[i][1], stderr);
            text += act;
            break;
        }
    }
    if (tail != NULL && tail >= text)
        fprintf(stderr, "%.*s: %s", (int)(tail - text), text, reason);
    else
        fputs(text, stderr);
}

void failure_say(const struct invocation *inv, const char *what)
{
    int errnum = odp_failure_errno();
    const struct odp_text *advice = &otherwise;
    const char *reason = NULL;
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (causes[i].errnum == errnum) {
            advice = &causes[i].advice;
            reason = causes[i].reason;
        }
    fprintf(stderr, "odp-build: %s%s", what != NULL ? what : "", what != NULL ? ": " : "");
    if (inv->style.lang == ODP_LANG_ID)
        put_indonesian(odp_failure_text(), reason);
    else
        fputs(odp_failure_text(), stderr);
    if (errnum != ODP_FAILURE_TOLD)
        fprintf(stderr, "; %s", odp_text_get(advice, inv->style.lang));
    fputc('\n', stderr);
}
