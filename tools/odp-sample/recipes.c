/* What each dataset's sample holds. One array a resource; see enum gen for the words used. */
#include "sample.h"

/* An entry states only what its generator reads; the rest is zero, as C says. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define WEST_JAVA "31 32 36 18 16"
#define KTR       "kontraktor/kontraktor.id_kontraktor"
#define PRJ       "proyek/proyek.id_proyek"

static const struct recipe kumuh[] = {
    {"kode_kabkota", G_REGION, .arg = WEST_JAVA, .keyed = true},
    {"id_kawasan", G_TEXT, "{kode_kabkota}-{#4}", .keyed = true},
    {"kelurahan", G_LIST, "desa"},
    {"kecamatan", G_LIST, "kecamatan"},
    {"nama_kawasan", G_TEXT, "Kawasan {kelurahan} RW {r2:1:24}"},
    {"luas_ha", G_DEC, .lo = 50, .hi = 12000, .places = 2, .skew = true},
    {"luas_kumuh_ha", G_SHARE, "luas_ha", 200, 1000, 2},
    {"jumlah_penduduk", G_SHARE, "luas_ha", 60000, 420000},
    {"jumlah_rumah", G_SHARE, "jumlah_penduduk", 200, 300},
    {"skor", G_INT, .lo = 16, .hi = 76},
    {"tingkat", G_STEP, "skor 38 60"},
    {"status_lahan", G_PICK, "5 2 3", .nulls = 60},
    {"sumber_air", G_PICK, "4 4 3 2 1", .nulls = 40},
    {"tanggal_sk", G_DATE, NULL, 20140101, 20231231},
    {"_tahun", G_YEAR, "tanggal_sk"},
    {"nomor_sk", G_TEXT, "{9:3}/Kep.{r:100:999}-DPUPR/{_tahun}", .nulls = 30},
};

static const struct recipe perumahan[] = {
    {"kode_kabkota", G_AXIS, "kabkota", 3, 514},
    {"tahun", G_AXIS, "year:2021", 1, 3},
    {"_dasar", G_INT, NULL, 18000, 900000, .skew = true, .every = 3},
    {"jumlah_rumah", G_SHARE, "_dasar", 1000, 1040},
    {"rumah_layak_huni", G_SHARE, "jumlah_rumah", 550, 980, .every = 3},
    {"rumah_tidak_layak_huni", G_DIFF, "jumlah_rumah rumah_layak_huni"},
    {"persen_layak_huni", G_RATIO, "rumah_layak_huni jumlah_rumah", .places = 2},
    {"jumlah_rumah_tangga", G_SHARE, "jumlah_rumah", 1000, 1250, .every = 3},
    {"backlog_kepemilikan", G_SHARE, "jumlah_rumah_tangga", 50, 300, .every = 3},
    {"backlog_kepenghunian", G_SHARE, "backlog_kepemilikan", 300, 900},
    {"unit_rusun", G_INT, NULL, 0, 9000, .skew = true, .nulls = 250},
    {"persen_milik_sendiri", G_DEC, NULL, 5200, 9600, 2, .nulls = 20},
    {"rata_luas_lantai", G_DEC, NULL, 280, 1200, 1, .nulls = 30},
    {"persen_listrik", G_DEC, NULL, 8200, 10000, 2, .nulls = 20},
    {"tanggal_pemutakhiran", G_DATE, NULL, 20240102, 20240319},
};

static const struct recipe rehabilitasi[] = {
    {"id_bantuan", G_TEXT, "RHB-{#6}"},
    {"id_kawasan", G_REF, "kumuh/kumuh.id_kawasan", .nulls = 250},
    {"kode_kabkota", G_REGION},
    {"kode_kabkota", G_FROM, "kode_kabkota", .when = "id_kawasan!="},
    {"nik", G_NIK, "kode_kabkota"},
    {"nama_penerima", G_TEXT, "{@depan} {@belakang}"},
    {"jenis_kelamin", G_PICK, "3 1"},
    {"anggota_keluarga", G_INT, NULL, 1, 9},
    {"tanggal_mulai", G_DATE, NULL, 20200115, 20240301},
    {"tahun_anggaran", G_YEAR, "tanggal_mulai"},
    {"jenis_bantuan", G_PICK, "1 4"},
    {"sumber_dana", G_CODE, "sumber-dana", .form = "6 3 2 1"},
    {"_juta", G_INT, NULL, 18, 24},
    {"_juta", G_INT, NULL, 30, 50, .when = "jenis_bantuan=Pembangunan baru"},
    {"_sejuta", G_INT, NULL, 1000000, 1000000},
    {"nilai_bantuan", G_TIMES, "_juta _sejuta"},
    {"nilai_swadaya", G_SHARE, "nilai_bantuan", 50, 900, .nulls = 150},
    {"status", G_PICK, "2 5"},
    {"progres_fisik", G_DEC, NULL, 50, 990, 1},
    {"progres_fisik", G_DEC, NULL, 1000, 1000, 1, .when = "status=Selesai"},
    {"tanggal_selesai", G_LATER, "tanggal_mulai", 30, 240, .when = "status=Selesai"},
};

static const struct recipe anggaran[] = {
    {"tahun_anggaran", G_INT, NULL, 2020, 2024, .keyed = true},
    {"id_mata_anggaran", G_TEXT, "{tahun_anggaran}-{#5}"},
    {"kode_provinsi", G_PROVINCE},
    {"_satker", G_LIST, "satker"},
    {"_provinsi", G_NAME, "provinsi kode_provinsi"},
    {"nama_satker", G_TEXT, "{_satker} {_provinsi}"},
    {"kode_satker", G_TEXT, "{r:0:6}{kode_provinsi}{9:3}"},
    {"program", G_PICK, "4 3 4 2"},
    {"kegiatan", G_LIST, "kegiatan"},
    {"jenis_belanja", G_PICK, "2 4 6 1"},
    {"sumber_dana", G_CODE, "sumber-dana", .form = "8 0 1 2 2"},
    {"id_proyek", G_REF, PRJ, .when = "jenis_belanja=53", .nulls = 150},
    {"_ribu", G_INT, NULL, 1000, 1000},
    {"_pagu", G_INT, NULL, 25000, 80000000, .skew = true},
    {"pagu_awal", G_TIMES, "_pagu _ribu"},
    {"_revisi", G_SHARE, "_pagu", 800, 1200},
    {"pagu_revisi", G_TIMES, "_revisi _ribu"},
    {"realisasi", G_SHARE, "pagu_revisi", 150, 995},
    {"persen_realisasi", G_RATIO, "realisasi pagu_revisi", .places = 2},
};

static const struct recipe proyek[] = {
    {"id_proyek", G_TEXT, "PRJ-{#5}"},
    {"kode_kabkota", G_REGION, .keyed = true},
    {"jenis_infrastruktur", G_CODE, "jenis-infrastruktur"},
    {"_jenis", G_NAME, "jenis-infrastruktur jenis_infrastruktur"},
    {"nama_proyek", G_TEXT, "{@paket} {_jenis} {@desa}"},
    {"status", G_CODE, "status-proyek", .form = "1 1 2 6 1 7 1"},
    {"id_kontraktor", G_REF, KTR, .when = "status!=RENCANA,LELANG"},
    {"tanggal_mulai", G_DATE, NULL, 20190115, 20240301},
    {"tanggal_selesai", G_LATER, "tanggal_mulai", 90, 900},
    {"tahun_anggaran", G_YEAR, "tanggal_mulai"},
    {"nomor_kontrak", G_TEXT, "HK.02.{r2:1:30}/SPK/{tahun_anggaran}/{9:3}", .when = "status!=RENCANA,LELANG"},
    {"sumber_dana", G_CODE, "sumber-dana", .form = "6 2 2 2 2 1"},
    {"_sejuta", G_INT, NULL, 1000000, 1000000},
    {"_juta", G_INT, NULL, 800, 950000, .skew = true},
    {"nilai_kontrak", G_TIMES, "_juta _sejuta", .when = "status!=RENCANA,LELANG"},
    {"panjang_km", G_DEC, NULL, 200, 60000, 3, .skew = true},
    {"progres", G_DEC, NULL, 0, 0, 1},
    {"progres", G_DEC, NULL, 50, 980, 1, .when = "status=LAKSANA,HENTI"},
    {"progres", G_DEC, NULL, 1000, 1000, 1, .when = "status=SELESAI"},
};

static const struct recipe timeline[] = {
    {"id_proyek", G_REF, PRJ, 1, 5},
    {"urutan", G_AXIS, "number", 1, 5},
    {"tonggak", G_AXIS, "pick", 1, 5},
    {"bobot", G_MATCH, "tonggak", .form = "bobot"},
    {"_mulai", G_FROM, "tanggal_mulai"},
    {"_status", G_FROM, "status"},
    {"tanggal_rencana", G_LATER, "_mulai", -300, -240},
    {"tanggal_rencana", G_LATER, "_mulai", -150, -90, .when = "urutan=2"},
    {"tanggal_rencana", G_LATER, "_mulai", -14, -7, .when = "urutan=3"},
    {"tanggal_rencana", G_LATER, "_mulai", 60, 400, .when = "urutan=4"},
    {"tanggal_rencana", G_LATER, "_mulai", 420, 900, .when = "urutan=5"},
    {"_capai", G_INT, NULL, 0, 0},
    {"_capai", G_INT, NULL, 1, 1, .when = "_status=LELANG,BATAL"},
    {"_capai", G_INT, NULL, 3, 3, .when = "_status=KONTRAK,LAKSANA,HENTI"},
    {"_capai", G_INT, NULL, 5, 5, .when = "_status=SELESAI"},
    {"tercapai", G_ATLEAST, "_capai urutan"},
    {"tanggal_aktual", G_LATER, "tanggal_rencana", -14, 120, .when = "tercapai=true"},
    {"keterangan", G_LIST, "alasan", .nulls = 500, .when = "tercapai=true"},
};

static const struct recipe air[] = {
    {"kode_kabkota", G_AXIS, "kabkota", 2, 514},
    {"tahun", G_AXIS, "year:2022", 1, 2},
    {"_layak", G_DEC, NULL, 5500, 9600, 2, .every = 2},
    {"akses_layak", G_SHARE, "_layak", 1000, 1035, 2},
    {"akses_aman", G_SHARE, "akses_layak", 80, 500, 2, .nulls = 60},
    {"akses_perpipaan", G_SHARE, "akses_layak", 100, 600, 2, .nulls = 40},
    {"_sambungan", G_INT, NULL, 900, 400000, .skew = true, .every = 2},
    {"sambungan_rumah", G_SHARE, "_sambungan", 1000, 1060},
    {"kapasitas_terpasang", G_DEC, NULL, 200, 120000, 1, .skew = true, .nulls = 30, .every = 2},
    {"kapasitas_produksi", G_SHARE, "kapasitas_terpasang", 400, 980, 1},
    {"kehilangan_air", G_DEC, NULL, 1200, 5500, 2, .nulls = 80},
    {"tarif_rata_rata", G_INT, NULL, 1800, 12500, .nulls = 50},
    {"jam_layanan", G_DEC, NULL, 80, 240, 1, .nulls = 70},
    {"_wilayah", G_NAME, "kabkota kode_kabkota", .keyed = true},
    {"penyelenggara", G_TEXT, "{@bumd} {_wilayah}", .nulls = 20, .every = 2},
    {"kinerja", G_PICK, "6 3 1", .nulls = 60},
};

static const struct recipe demografi[] = {
    {"id_kawasan", G_REF, "kumuh/kumuh.id_kawasan", 2},
    {"tahun", G_AXIS, "year:2023", 1204, 12},
    {"penduduk", G_FROM, "jumlah_penduduk"},
    {"laki_laki", G_SHARE, "penduduk", 480, 530},
    {"perempuan", G_DIFF, "penduduk laki_laki"},
    {"jumlah_kk", G_SHARE, "penduduk", 220, 310},
    {"usia_0_14", G_SHARE, "penduduk", 200, 300},
    {"usia_65", G_SHARE, "penduduk", 40, 90},
    {"_tepi", G_SUM, "usia_0_14 usia_65"},
    {"usia_15_64", G_DIFF, "penduduk _tepi"},
    {"penduduk_miskin", G_SHARE, "penduduk", 80, 400},
    {"persen_informal", G_DEC, NULL, 350, 850, 1, .nulls = 50},
    {"_ribu", G_INT, NULL, 1000, 1000},
    {"_pendapatan", G_INT, NULL, 1200, 5200},
    {"pendapatan_median", G_TIMES, "_pendapatan _ribu", .nulls = 80},
    {"disabilitas", G_SHARE, "penduduk", 4, 25, .nulls = 120},
};

static const struct recipe investasi[] = {
    {"id_investasi", G_TEXT, "INV-{#5}"},
    {"kode_provinsi", G_PROVINCE},
    {"nama_proyek", G_TEXT, "{@properti} {@properti2} {@desa}"},
    {"kbli", G_LIST, "kbli"},
    {"jenis_properti", G_PICK, "5 3 2 2 1"},
    {"asal_modal", G_PICK, "1 2"},
    {"negara_asal", G_LIST, "negara"},
    {"negara_asal", G_TEXT, "IDN", .when = "asal_modal=PMDN"},
    {"nilai_rencana", G_DEC, NULL, 250000, 900000000, 2, .skew = true},
    {"status", G_PICK, "2 3 4"},
    {"nilai_realisasi", G_SHARE, "nilai_rencana", 50, 990, 2, .when = "status!=Perizinan"},
    {"luas_lahan", G_DEC, NULL, 20, 30000, 2, .skew = true, .nulls = 60},
    {"tenaga_kerja", G_INT, NULL, 12, 4200, .skew = true},
    {"tanggal_izin", G_DATE, NULL, 20190105, 20240228},
};

static const struct recipe pemberdayaan[] = {
    {"id_program", G_TEXT, "PBD-{#5}"},
    {"nama_program", G_LIST, "latihan"},
    {"kode_kabkota", G_REGION},
    {"desa", G_LIST, "desa"},
    {"kelompok", G_LIST, "kelompok", .nulls = 80},
    {"jenis", G_PICK, "4 3 2 1"},
    {"peserta_laki", G_INT, NULL, 4, 120, .skew = true},
    {"peserta_perempuan", G_INT, NULL, 4, 140, .skew = true},
    {"peserta", G_SUM, "peserta_laki peserta_perempuan"},
    {"_ribu", G_INT, NULL, 1000, 1000},
    {"_anggaran", G_INT, NULL, 15000, 600000, .skew = true},
    {"anggaran", G_TIMES, "_anggaran _ribu"},
    {"sumber_dana", G_CODE, "sumber-dana", .form = "5 4 1 1 0 0 2"},
    {"tanggal_mulai", G_DATE, NULL, 20210110, 20240215},
    {"tanggal_selesai", G_LATER, "tanggal_mulai", 1, 180, .nulls = 120},
    {"hasil", G_LIST, "hasil", .nulls = 200},
};

static const struct recipe kontraktor[] = {
    {"id_kontraktor", G_TEXT, "KTR-{#5}"},
    {"bentuk", G_PICK, "5 6 1 1"},
    {"nama", G_TEXT, "{bentuk} {@usaha} {@desa}"},
    {"npwp", G_TEXT, "{r2:1:90}.{v:0:3}.{v:3:6}.{v:6:7}-{v:7:8}{r2:10:99}.000"},
    {"nib", G_TEXT, "91{u:8}{9:3}"},
    {"kode_kabkota", G_REGION},
    {"alamat", G_TEXT, "{@jalan} No. {r:1:220}, {@desa}", .nulls = 30},
    {"telepon", G_TEXT, "0{r:21:98}-5{9:6}", .nulls = 100},
    {"surel_direktur", G_TEXT, "{@surel}.{r:1:999}@example.com", .nulls = 200},
    {"kualifikasi", G_PICK, "6 3 1 1"},
    {"subklasifikasi", G_LIST, "sbu"},
    {"tanggal_berdiri", G_DATE, NULL, 19700301, 20230601},
    {"sertifikat_sampai", G_DATE, NULL, 20240401, 20290331},
    {"tenaga_ahli", G_INT, NULL, 1, 120, .skew = true},
    {"nilai_kinerja", G_DEC, NULL, 5000, 9800, 2, .nulls = 180},
    {"aktif", G_BOOL, NULL, 940},
};

static const struct recipe regulasi[] = {
    {"id_regulasi", G_TEXT, "REG-{#4}"},
    {"jenis", G_PICK, "5 4 1 2"},
    {"tanggal_penetapan", G_DATE, NULL, 19850101, 20240228},
    {"tahun", G_YEAR, "tanggal_penetapan"},
    {"nomor", G_TEXT, "{r:1:40}/{@kodeunit}/M/{tahun}"},
    {"judul", G_TEXT, "{@perihal} {@objek}"},
    {"bidang", G_PICK, "2 2 3 3 2 1"},
    {"tanggal_berlaku", G_LATER, "tanggal_penetapan", 0, 90},
    {"status", G_PICK, "6 2 2"},
    {"digantikan_oleh", G_REF, "regulasi/regulasi.id_regulasi", .when = "status=Dicabut", .nulls = 200},
    {"jumlah_halaman", G_INT, NULL, 2, 240, .skew = true, .nulls = 40},
    {"tautan", G_TEXT, "https://jdih.example.go.id/dokumen/{id_regulasi}"},
    {"ringkasan", G_TEXT, "Mengatur {@objek}, berlaku sejak {tanggal_berlaku}.", .nulls = 100},
    {"_bagian", G_AXIS, "number", SAMPLE_DOCUMENT_ROWS, 1000000000},
    {"berkas", G_TEXT, "reg-{#4}.pdf", .when = "jumlah_halaman=2,3"},
    {"berkas", G_NOTHING, .when = "_bagian!=1"},
};

static const struct recipe target[] = {
    {"kode_indikator", G_AXIS, "code:I", 152, 10},
    {"indikator", G_AXIS, "list:indikator", 152, 10},
    {"kode_provinsi", G_AXIS, "provinsi", 4, 38},
    {"tahun", G_AXIS, "year:2021", 1, 4},
    {"satuan", G_AXIS, "list:satuan_indikator", 152, 10},
    {"prioritas", G_AXIS, "list:prioritas", 152, 10},
    {"baseline", G_DEC, NULL, 3000, 6000, 2, .every = 4},
    {"baseline", G_INT, NULL, 20, 9000, .skew = true, .every = 4, .when = "satuan!=persen"},
    {"target", G_SHARE, "baseline", 1050, 1600, 2},
    {"target", G_SHARE, "baseline", 1050, 1900, .when = "satuan!=persen"},
    {"_capai", G_SHARE, "target", 700, 1030, 2},
    {"_capai", G_SHARE, "target", 550, 1150, .when = "satuan!=persen"},
    {"_nol", G_INT, NULL, 0, 0},
    {"realisasi", G_SUM, "_capai _nol", .nulls = 40, .when = "tahun!=2024"},
    {"capaian", G_RATIO, "realisasi target", .places = 2},
    {"penanggung_jawab", G_LIST, "unit", .every = 152},
};

static const struct recipe inovasi[] = {
    {"id_inovasi", G_TEXT, "INO-{#4}"},
    {"_nama", G_LIST, "inovasi"},
    {"nama", G_TEXT, "{_nama} generasi {r:1:4}"},
    {"bidang", G_PICK},
    {"tingkat_kesiapan", G_INT, NULL, 3, 9},
    {"lembaga", G_LIST, "lembaga"},
    {"tahun", G_INT, NULL, 2016, 2024},
    {"kode_provinsi", G_PROVINCE},
    {"status_paten", G_PICK, "3 2 2"},
    {"nomor_paten", G_TEXT, "IDP{u:9}", .when = "status_paten=Diberi"},
    {"hemat_biaya", G_DEC, NULL, 10, 450, 1, .nulls = 250},
    {"tautan", G_TEXT, "https://inovasi.example.go.id/{id_inovasi}", .nulls = 100},
    {"deskripsi", G_TEXT, "{_nama} diuji di {@desa}; hemat waktu dan mudah dirawat.", .nulls = 50},
};

static const struct recipe aspirasi[] = {
    {"id_aspirasi", G_TEXT, "ASP-{#6}"},
    {"waktu_masuk", G_TIME, NULL, 20240101, 20240318},
    {"kanal", G_PICK, "4 3 1 3 1"},
    {"kategori", G_PICK, "4 3 3 2 2 1"},
    {"kode_kabkota", G_REGION},
    {"isi", G_TEXT, "{@keluhan} di {@desa}, {@saran}"},
    {"nama_pelapor", G_TEXT, "{@depan} {@belakang}", .nulls = 200},
    {"surel_pelapor", G_TEXT, "{@surel}{r:1:9999}@example.com", .nulls = 400},
    {"telepon_pelapor", G_TEXT, "+628{r:11:99}{9:8}", .nulls = 350},
    {"unit_tujuan", G_LIST, "unit"},
    {"status", G_PICK, "2 3 5"},
    {"waktu_tanggapan", G_LATER, "waktu_masuk", 20, 2800, .when = "status!=Diterima"},
    {"kepuasan", G_INT, NULL, 1, 5, .nulls = 300, .when = "status=Selesai"},
};

static const struct recipe penghargaan[] = {
    {"id_penghargaan", G_TEXT, "PHG-{#4}"},
    {"nama", G_LIST, "award"},
    {"jenis", G_PICK, "3 2"},
    {"kategori", G_PICK},
    {"penerima", G_LIST, "penerima"},
    {"jenis_penerima", G_PICK, "4 3 1 1"},
    {"kode_provinsi", G_PROVINCE},
    {"tanggal", G_DATE, NULL, 20180301, 20240301},
    {"tahun", G_YEAR, "tanggal"},
    {"peringkat", G_PICK, "3 2 1", .nulls = 200, .when = "jenis=Penghargaan"},
    {"berlaku_sampai", G_LATER, "tanggal", 730, 1825, .when = "jenis=Sertifikat"},
    {"penyelenggara", G_LIST, "unit"},
};

static const struct recipe pasar[] = {
    {"kode_provinsi", G_AXIS, "provinsi", 36, 38},
    {"periode", G_AXIS, "quarter:2021", 3, 12},
    {"segmen", G_AXIS, "pick", 1, 3},
    {"_ribu", G_INT, NULL, 1000, 1000},
    {"_segmen", G_INT, NULL, 4300, 4600},
    {"_segmen", G_INT, NULL, 7800, 8600, .when = "segmen=Menengah"},
    {"_segmen", G_INT, NULL, 15000, 17000, .when = "segmen=Atas"},
    {"_harga", G_SHARE, "_segmen", 900, 2200, .every = 36},
    {"harga_rata_rata", G_TIMES, "_harga _ribu", .form = "Rp {}"},
    {"indeks_harga", G_DEC, NULL, 10050, 12800, 2},
    {"perubahan_tahunan", G_DEC, NULL, -120, 680, 2, .nulls = 60, .form = "{} %"},
    {"unit_tersedia", G_INT, NULL, 40, 9000, .skew = true},
    {"unit_terjual", G_SHARE, "unit_tersedia", 100, 950},
    {"suku_bunga", G_DEC, NULL, 500, 1150, 2, .form = "{} %"},
    {"lama_jual", G_INT, NULL, 14, 320, .nulls = 40},
    {"porsi_kpr", G_DEC, NULL, 4000, 9500, 2, .nulls = 30},
};

static const struct recipe tenaga[] = {
    {"kode_provinsi", G_AXIS, "provinsi", 21, 38},
    {"tahun", G_AXIS, "year:2021", 7, 3},
    {"jabatan", G_AXIS, "pick", 1, 7},
    {"jenjang", G_INT, NULL, 2, 9},
    {"bersertifikat", G_INT, NULL, 20, 24000, .skew = true},
    {"perempuan", G_SHARE, "bersertifikat", 10, 280},
    {"kebutuhan", G_SHARE, "bersertifikat", 1000, 2600, .nulls = 50},
    {"kekurangan", G_DIFF, "kebutuhan bersertifikat"},
    {"usia_rata_rata", G_DEC, NULL, 240, 520, 1},
    {"_ribu", G_INT, NULL, 1000, 1000},
    {"_upah", G_INT, NULL, 110, 850},
    {"upah_harian", G_TIMES, "_upah _ribu", .nulls = 30},
    {"kecelakaan_kerja", G_INT, NULL, 0, 60, .skew = true, .nulls = 90},
};

static const struct recipe lingkungan[] = {
    {"id_sampel", G_TEXT, "LKG-{#5}"},
    {"kode_kabkota", G_REGION},
    {"lokasi", G_TEXT, "{@tempat} {@desa}"},
    {"media", G_PICK, "5 3 3"},
    {"tanggal", G_DATE, NULL, 20220105, 20240305},
    {"ph", G_DEC, NULL, 520, 880, 2, .when = "media!=Udara", .nulls = 20},
    {"bod", G_DEC, NULL, 8, 420, 1, .when = "media!=Udara"},
    {"cod", G_SHARE, "bod", 1600, 4200, 1},
    {"koliform_tinja", G_INT, NULL, 0, 64000, .skew = true, .when = "media!=Udara", .nulls = 60},
    {"pm25", G_DEC, NULL, 40, 980, 1, .when = "media=Udara"},
    {"indeks_kualitas", G_DEC, NULL, 180, 980, 1},
    {"status_mutu", G_STEP, "indeks_kualitas 50 70"},
    {"_batas", G_INT, NULL, 60, 60},
    {"memenuhi_baku_mutu", G_ATLEAST, "indeks_kualitas _batas"},
};

static const struct recipe pemantauan[] = {
    {"id_pembacaan", G_TEXT, "PMT-{#7}"},
    {"id_proyek", G_REF, PRJ},
    {"_kab", G_FROM, "kode_kabkota"},
    {"id_sensor", G_TEXT, "SNS-{9:4}"},
    {"waktu", G_TIME, "_kab", 20240318, 20240320},
    {"waktu_terima", G_LATER, "waktu", 0, 4, .nulls = 20},
    {"parameter", G_PICK},
    {"satuan", G_MATCH, "parameter", .form = "satuan_sensor"},
    {"ambang_batas", G_MATCH, "parameter", .form = "ambang"},
    {"nilai", G_SHARE, "ambang_batas", 20, 1080, 2},
    {"siaga", G_ABOVE, "nilai ambang_batas"},
    {"baterai", G_DEC, NULL, 120, 1000, 1, .nulls = 40},
    {"status_sensor", G_PICK, "16 2 1"},
};

static const struct recipe kepatuhan[] = {
    {"id_inspeksi", G_TEXT, "INS-{#5}"},
    {"id_kontraktor", G_REF, KTR},
    {"tanggal_inspeksi", G_DATE, NULL, 20210104, 20240305},
    {"jenis", G_PICK, "5 2 2"},
    {"temuan", G_INT, NULL, 0, 24, .skew = true},
    {"temuan_berat", G_SHARE, "temuan", 0, 400},
    {"skor", G_DEC, NULL, 320, 1000, 1},
    {"hasil", G_STEP, "skor 55 75"},
    {"sanksi", G_PICK, "5 3 1", .when = "hasil=Tidak patuh", .nulls = 100},
    {"_juta", G_INT, NULL, 5, 400, .skew = true},
    {"_sejuta", G_INT, NULL, 1000000, 1000000},
    {"nilai_denda", G_TIMES, "_juta _sejuta", .when = "sanksi=Denda"},
    {"batas_perbaikan", G_LATER, "tanggal_inspeksi", 14, 90, .when = "hasil!=Patuh"},
    {"tindak_lanjut_selesai", G_BOOL, NULL, 640},
    {"unit_pemeriksa", G_LIST, "pemeriksa"},
};

static const struct recipe spasial[] = {
    {"id_zona", G_TEXT, "ZNA-{#5}"},
    {"kode_kabkota", G_REGION, "33 34 35"},
    {"jenis_analisis", G_PICK, "3 2 2"},
    {"luas_ha", G_DEC, NULL, 800, 260000, 2, .skew = true},
    {"skor", G_DEC, NULL, 80, 990, 1},
    {"kelas", G_STEP, "skor 25 50 75"},
    {"kepadatan", G_DEC, NULL, 5, 3800, 1, .skew = true, .nulls = 30},
    {"kemiringan_lereng", G_DEC, NULL, 0, 650, 1, .skew = true},
    {"jarak_jalan", G_INT, NULL, 0, 9000, .skew = true, .nulls = 30},
    {"kerawanan_banjir", G_PICK, "4 3 2", .nulls = 80},
    {"kerawanan_longsor", G_PICK, "5 2 1", .nulls = 80},
    {"tahun_analisis", G_INT, NULL, 2020, 2023},
    {"sumber_citra", G_LIST, "citra", .nulls = 60},
};

static const struct recipe risiko[] = {
    {"id_risiko", G_TEXT, "RSK-{#5}"},
    {"id_proyek", G_REF, PRJ},
    {"kategori", G_PICK, "4 3 2 2 1"},
    {"pernyataan", G_TEXT, "{@sebab}: {@akibat}"},
    {"kemungkinan", G_INT, NULL, 1, 5},
    {"dampak", G_INT, NULL, 1, 5},
    {"nilai_risiko", G_TIMES, "kemungkinan dampak"},
    {"tingkat", G_STEP, "nilai_risiko 5 10 16"},
    {"mitigasi", G_LIST, "mitigasi"},
    {"penanggung_jawab", G_LIST, "unit"},
    {"_juta", G_INT, NULL, 5, 900, .skew = true},
    {"_sejuta", G_INT, NULL, 1000000, 1000000},
    {"biaya_mitigasi", G_TIMES, "_juta _sejuta", .nulls = 220},
    {"tanggal_identifikasi", G_DATE, NULL, 20210201, 20240310},
    {"tenggat", G_LATER, "tanggal_identifikasi", 14, 400},
    {"status", G_PICK, "3 3 2"},
};

/* ---- how to break the row rules ---- */
static const struct rule_break kumuh_breaks[] = {{"kumuh-luas", {"luas_kumuh_ha", G_SHARE, "luas_ha", 1100, 1600, 2}}};
static const struct rule_break perumahan_breaks[] = {
    {"perumahan-jumlah", {"rumah_tidak_layak_huni", G_SHARE, "jumlah_rumah", 1010, 1400}},
    {"perumahan-backlog", {"backlog_kepenghunian", G_SHARE, "backlog_kepemilikan", 1100, 1900}}};
static const struct rule_break rehabilitasi_breaks[] = {
    {"rehabilitasi-tanggal", {"tanggal_selesai", G_LATER, "tanggal_mulai", -200, -1}}};
static const struct rule_break anggaran_breaks[] = {{"anggaran-realisasi", {"realisasi", G_SHARE, "pagu_revisi", 1010, 1500}}};
static const struct rule_break proyek_breaks[] = {{"proyek-tanggal", {"tanggal_selesai", G_LATER, "tanggal_mulai", -300, -1}}};
static const struct rule_break timeline_breaks[] = {{"timeline-tercapai", {"tanggal_aktual", G_NOTHING}}};
static const struct rule_break air_breaks[] = {
    {"air-produksi", {"kapasitas_produksi", G_SHARE, "kapasitas_terpasang", 1050, 1500, 1}}};
static const struct rule_break demografi_breaks[] = {{"demografi-jumlah", {"perempuan", G_SHARE, "penduduk", 1010, 1200}}};
static const struct rule_break investasi_breaks[] = {
    {"investasi-realisasi", {"nilai_realisasi", G_SHARE, "nilai_rencana", 1100, 1900, 2}}};
static const struct rule_break pemberdayaan_breaks[] = {
    {"pemberdayaan-tanggal", {"tanggal_selesai", G_LATER, "tanggal_mulai", -60, -1}}};
static const struct rule_break kontraktor_breaks[] = {
    {"kontraktor-tanggal", {"sertifikat_sampai", G_LATER, "tanggal_berdiri", -400, 0}}};
static const struct rule_break regulasi_breaks[] = {
    {"regulasi-tanggal", {"tanggal_berlaku", G_LATER, "tanggal_penetapan", -300, -1}}};
static const struct rule_break aspirasi_breaks[] = {{"aspirasi-waktu", {"waktu_tanggapan", G_LATER, "waktu_masuk", -900, -10}}};
static const struct rule_break pasar_breaks[] = {{"pasar-terjual", {"unit_terjual", G_SHARE, "unit_tersedia", 1100, 1900}}};
static const struct rule_break tenaga_breaks[] = {{"tenaga-perempuan", {"perempuan", G_SHARE, "bersertifikat", 1100, 1500}}};
static const struct rule_break lingkungan_breaks[] = {{"lingkungan-oksigen", {"cod", G_SHARE, "bod", 100, 800, 1}}};
static const struct rule_break pemantauan_breaks[] = {{"pemantauan-terima", {"waktu_terima", G_LATER, "waktu", -90, -5}}};
static const struct rule_break kepatuhan_breaks[] = {
    {"kepatuhan-batas", {"batas_perbaikan", G_LATER, "tanggal_inspeksi", -90, -1}}};
static const struct rule_break spasial_breaks[] = {{"spasial-kelas", {"skor", G_DEC, NULL, 100, 700, 1, .when = "kelas=S1"}}};
static const struct rule_break risiko_breaks[] = {{"risiko-tenggat", {"tenggat", G_LATER, "tanggal_identifikasi", -200, -1}}};

#define FIELDS(a) .fields = a, .nfields = sizeof a / sizeof a[0]
#define BREAKS(a) .breaks = a, .nbreaks = sizeof a / sizeof a[0]

const struct recipe_table sample_recipes[] = {
    {"kumuh", "kumuh", 1204, FIELDS(kumuh), BREAKS(kumuh_breaks), .shape = SHAPE_POLYGON, .zone = 48, .size_field = "luas_ha",
     .region_field = "kode_kabkota"},
    {"perumahan", "perumahan", 1542, .max = 1542, FIELDS(perumahan), BREAKS(perumahan_breaks)},
    {"rehabilitasi", "rehabilitasi", 800, FIELDS(rehabilitasi), BREAKS(rehabilitasi_breaks), .bom = true},
    {"anggaran", "anggaran", 700, FIELDS(anggaran), BREAKS(anggaran_breaks),
     .preamble = "Pagu dan realisasi anggaran kementerian\nKeadaan 10 Maret 2024; data sintetis\n\nNilai dalam rupiah\n"},
    {"proyek", "proyek", 400, FIELDS(proyek), BREAKS(proyek_breaks), .shape = SHAPE_LINE, .size_field = "panjang_km",
     .region_field = "kode_kabkota"},
    {"proyek", "timeline", 2000, .per = 5, FIELDS(timeline), BREAKS(timeline_breaks)},
    {"air-bersih", "air-bersih", 1028, .max = 1028, FIELDS(air), BREAKS(air_breaks)},
    {"demografi-kumuh", "demografi-kumuh", 1204, .max = 14448, FIELDS(demografi), BREAKS(demografi_breaks)},
    {"investasi-properti", "investasi-properti", 300, FIELDS(investasi), BREAKS(investasi_breaks)},
    {"pemberdayaan", "pemberdayaan", 250, FIELDS(pemberdayaan), BREAKS(pemberdayaan_breaks)},
    {"kontraktor", "kontraktor", 600, FIELDS(kontraktor), BREAKS(kontraktor_breaks)},
    {"regulasi", "regulasi", 120, FIELDS(regulasi), BREAKS(regulasi_breaks)},
    {"target-pembangunan", "target-pembangunan", 1520, .max = 1520, FIELDS(target)},
    {"inovasi", "inovasi", 80, FIELDS(inovasi)},
    {"aspirasi", "aspirasi", 500, FIELDS(aspirasi), BREAKS(aspirasi_breaks), .quote_all = true},
    {"penghargaan", "penghargaan", 100, FIELDS(penghargaan), .preamble = "# data sintetis\n"},
    {"analisis-pasar", "analisis-pasar", 1368, .max = 1368, FIELDS(pasar), BREAKS(pasar_breaks)},
    {"tenaga-kerja", "tenaga-kerja", 798, .max = 798, FIELDS(tenaga), BREAKS(tenaga_breaks)},
    {"kualitas-lingkungan", "kualitas-lingkungan", 600, FIELDS(lingkungan), BREAKS(lingkungan_breaks), .shape = SHAPE_POINT,
     .region_field = "kode_kabkota"},
    {"pemantauan", "pemantauan", 1500, FIELDS(pemantauan), BREAKS(pemantauan_breaks)},
    {"kepatuhan", "kepatuhan", 500, FIELDS(kepatuhan), BREAKS(kepatuhan_breaks)},
    {"analisis-spasial", "analisis-spasial", 300, FIELDS(spasial), BREAKS(spasial_breaks), .shape = SHAPE_POLYGON, .zone = 49,
     .size_field = "luas_ha", .region_field = "kode_kabkota"},
    {"risiko", "risiko", 600, FIELDS(risiko), BREAKS(risiko_breaks)},
};
const size_t sample_nrecipes = sizeof sample_recipes / sizeof sample_recipes[0];
