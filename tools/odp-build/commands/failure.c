#include "commands/failure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What to do, by why it failed; the reason in Indonesian (in English it is the system's). */
static const struct cause {
    int errnum;
    const char *reason;
    struct odp_text advice;
} causes[] = {
    {ENOSPC,
     "ruang disk habis",
     {{"kosongkan ruang di sana, lalu jalankan perintah ini lagi", "make room there, then run this command again"}}},
    {EDQUOT,
     "kuota disk terlampaui",
     {{"naikkan kuota pengguna ini atau hapus berkasnya yang tidak perlu, lalu jalankan perintah ini lagi",
       "raise this user's quota or remove files of theirs, then run this command again"}}},
    {EROFS,
     "sistem berkas hanya dapat dibaca",
     {{"pasang sistem berkas itu agar dapat ditulisi, atau pilih folder lain, lalu jalankan perintah ini lagi",
       "mount that file system so that it can be written to, or choose another folder, then run this command again"}}},
    {EACCES,
     "tidak diizinkan",
     {{"beri pengguna ini izin atas berkas atau folder itu, lalu jalankan perintah ini lagi",
       "give this user the right to that file or folder, then run this command again"}}},
    {EPERM,
     "tidak diizinkan",
     {{"beri pengguna ini izin atas berkas atau folder itu, lalu jalankan perintah ini lagi",
       "give this user the right to that file or folder, then run this command again"}}},
    {EIO,
     "galat baca-tulis perangkat",
     {{"periksa disk atau jaringan tempatnya (dmesg), lalu jalankan perintah ini lagi",
       "check the disk or the network it is on (dmesg), then run this command again"}}},
    {ENOMEM,
     "memori habis",
     {{"tutup program lain atau tambah memori, lalu jalankan perintah ini lagi",
       "close other programs or add memory, then run this command again"}}},
    {EMFILE,
     "terlalu banyak berkas terbuka",
     {{"naikkan batas berkas terbuka (ulimit -n), lalu jalankan perintah ini lagi",
       "raise the limit of open files (ulimit -n), then run this command again"}}},
    {ENFILE,
     "terlalu banyak berkas terbuka di sistem ini",
     {{"tutup program lain yang membuka banyak berkas, lalu jalankan perintah ini lagi",
       "close other programs that have many files open, then run this command again"}}},
    {EAGAIN,
     "sumber daya sedang habis",
     {{"tutup proses lain atau naikkan batas proses (ulimit -u), lalu jalankan perintah ini lagi",
       "end other processes or raise the limit of processes (ulimit -u), then run this command again"}}},
    {EFBIG,
     "berkas terlalu besar",
     {{"naikkan batas ukuran berkas (ulimit -f) atau pilih sistem berkas lain, lalu jalankan perintah ini lagi",
       "raise the limit of file sizes (ulimit -f) or choose another file system, then run this command again"}}},
    {ENOLCK,
     "tidak ada kunci berkas",
     {{"pilih folder di sistem berkas yang mengenal kunci (flock), lalu jalankan perintah ini lagi",
       "choose a folder on a file system that has locks (flock), then run this command again"}}},
    {ENAMETOOLONG,
     "nama berkas terlalu panjang",
     {{"pilih folder dengan nama yang lebih pendek, lalu jalankan perintah ini lagi",
       "choose a folder with a shorter name, then run this command again"}}},
    {ESTALE,
     "isinya berubah saat dibaca",
     {{"tunggu sampai penulisannya selesai, lalu jalankan perintah ini lagi",
       "wait until nobody writes to it, then run this command again"}}},
};

static const struct odp_text otherwise = {{"jalankan perintah ini lagi; kalau tetap gagal, laporkan kalimat ini",
                                           "run this command again; if it fails once more, report this sentence"}};

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
