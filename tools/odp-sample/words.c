#include <string.h>

#include "sample.h"

const struct sample_list sample_lists[] = {
    {"desa", "Sukamaju|Mekarsari|Karangsari|Tanjungsari|Sumberagung|Wonosari|Margahayu|Sidomulyo|Banjarsari|Kalibaru|Pasirjaya|"
             "Tegalrejo|Cempaka Putih|Rawasari|Bojongsari|Purwodadi|Sukasari|Mulyorejo|Kampung Baru|Pulau Gadung|Muara Sari|"
             "Tanah Tinggi|Lembah Hijau|Gunung Batu|Teluk Dalam|Air Putih|Batu Merah|Sungai Jawi|Pasar Lama|Bukit Indah"},
    {"kecamatan", "Mekarwangi|Cahaya Timur|Sumber Rejeki|Tirta Jaya|Karya Baru|Medan Raya|Harapan Jaya|Bumi Asih|Sinar Laut|"
                  "Jaya Mulya|Kota Selatan|Kota Utara|Tanjung Harapan|Mandala|Sukapura"},
    {"jalan",
     "Jl. Merdeka|Jl. Melati|Jl. Diponegoro|Jl. Pahlawan|Jl. Kenanga|Jl. Raya Timur|Jl. Pelabuhan|Jl. Industri|Jl. Kartini|"
     "Jl. Sudirman"},
    {"depan",
     "Budi|Siti|Agus|Dewi|Made|Yohanes|Rahma|Andi|Putri|Slamet|Ketut|Fitri|Joko|Maria|Ucok|Nur|Wahyu|Ratna|Hendra|Yuliana"},
    {"belakang",
     "Santoso|Wulandari|Saragih|Pratama|Lestari|Nasution|Hidayat|Simanjuntak|Kusuma|Rahayu|Wijaya|Tampubolon|Saputra|"
     "Handayani|Wenda|Mandacan|Syahputra|Permata"},
    {"surel", "budi|siti|agus|dewi|made|rahma|andi|putri|joko|maria|wahyu|ratna|hendra"},
    {"usaha", "Karya Nusantara|Bangun Persada|Cipta Sarana|Tirta Mandiri|Graha Utama|Jaya Konstruksi|Mitra Teknik|Sinar Beton|"
              "Adhi Guna|Ma’mur Bersama|Nur’aini Putra|Résidence Kencana|Anugerah Lestari|Bumi Perkasa|Duta Prima – Konsorsium|"
              "Samudra Baja|Gema Insani|Pilar Abadi"},
    {"tempat",
     "Jembatan Ma’mur|Dermaga Lama|Pintu Air|Simpang Lima|Taman Kota|Muara|Hulu Sungai|Terminal|Pasar Induk|Lokasi Proyek"},
    {"satker", "Balai Pelaksanaan Jalan Nasional|Balai Besar Wilayah Sungai|Balai Prasarana Permukiman|"
               "Balai Pelaksana Penyediaan Perumahan|Balai Jasa Konstruksi"},
    {"kegiatan", "Preservasi jalan dan jembatan|Rehabilitasi jaringan irigasi|Pembangunan rumah susun|Pengelolaan air limbah|"
                 "Peningkatan kualitas permukiman kumuh|Pembangunan SPAM regional|Pembinaan tenaga kerja|Layanan perkantoran|"
                 "Bantuan stimulan perumahan swadaya|Pengendalian banjir"},
    {"paket", "Pembangunan|Rehabilitasi|Peningkatan|Preservasi|Lanjutan"},
    {"bobot", "5|10|10|70|5"},
    {"alasan", "Pembebasan lahan terlambat|Cuaca buruk|Perubahan desain|Menunggu izin|Material terlambat, sudah dipesan ulang|"
               "Sesuai rencana"},
    {"bumd", "Perumda Air Minum|PDAM|UPTD SPAM|BLUD Air Minum"},
    {"properti", "Griya|Taman|Graha|Bukit|Kota|Menara|Puri"},
    {"properti2", "Asri|Lestari|Indah|Sentosa|Permai|Cendana|Harmoni"},
    {"kbli", "41011|41012|41020|68111|68120|68200"},
    {"negara", "SGP|JPN|KOR|CHN|MYS|NLD|AUS|ARE|USA"},
    {"latihan", "Pelatihan tukang bangunan|Padat karya drainase|Sekolah lapang sanitasi|Bank sampah|Kelompok pengelola air|"
                "Pelatihan paving|Simpan pinjam kelompok|Kampung iklim"},
    {"kelompok", "KSM Maju Bersama|BKM Sejahtera|KSM Tirta|Karang Taruna|PKK|Kelompok Tani Subur"},
    {"hasil", "Peserta bersertifikat|Saluran sepanjang 400 m dibersihkan|Kelompok berbadan hukum|Usaha baru terbentuk|"
              "Rencana kerja disepakati, dana menyusul"},
    {"sbu", "BG001|BG002|BG009|BS001|BS003|BS004|BS010|IN001|KK003|PA001|PL004"},
    {"kodeunit", "PRT|KPTS|IN|SE"},
    {"perihal", "Pedoman|Tata cara|Petunjuk teknis|Standar|Penetapan|Penyelenggaraan"},
    {"objek", "peningkatan kualitas permukiman kumuh|pengelolaan rumah susun|sistem manajemen keselamatan konstruksi|"
              "operasi dan pemeliharaan irigasi|pengelolaan air limbah domestik|bantuan stimulan perumahan swadaya|"
              "laik fungsi jalan|bangunan gedung hijau|\"satu data\" bidang pekerjaan umum"},
    {"indikator",
     "Rumah tangga menempati hunian layak|Luas permukiman kumuh ditangani|Akses air minum layak|Akses sanitasi layak|"
     "Jalan nasional mantap|Jaringan irigasi dibangun|Rumah susun terbangun|Bantuan rumah swadaya|"
     "Tenaga kerja konstruksi bersertifikat|Sampah terkelola"},
    {"satuan_indikator", "persen|hektare|persen|persen|kilometer|hektare|unit|unit|unit|persen"},
    {"prioritas", "PN5|PN5|PN5|PN5|PN2|PN2|PN5|PN5|PN2|PN6"},
    {"unit",
     "Direktorat Air Minum|Direktorat Sanitasi|Direktorat Rumah Susun|Direktorat Rumah Swadaya|Direktorat Jalan Bebas Hambatan|"
     "Direktorat Irigasi dan Rawa|Balai Jasa Konstruksi"},
    {"inovasi", "Beton geopolimer|Aspal plastik|Jembatan judesa|Biofilter rumah tangga|Panel dinding ringan|Sensor tanggul|"
                "Peta lubang jalan|Pompa tenaga surya|Saringan air gambut|Bata limbah|Atap surya rumah susun"},
    {"lembaga",
     "Balai Bahan Jalan|Balai Teknik Air Minum|Balai Struktur Bangunan|Politeknik Pekerjaan Umum|Universitas Contoh"},
    {"keluhan", "Jalan berlubang sejak musim hujan|Saluran tersumbat; air meluap ke rumah|Air keran mati tiga hari|"
                "Warga menyebutnya \"jalan kolam\"|Rumah subsidi retak, belum diperbaiki|Sampah menumpuk di tepi sungai"},
    {"saran", "mohon segera ditindaklanjuti|tolong diperbaiki sebelum lebaran|kapan jadwal perbaikannya?|terima kasih atas "
              "perhatiannya"},
    {"award", "Penghargaan Kota Layak Huni|Sertifikat Bangunan Hijau|Anugerah Keselamatan Konstruksi|Inovasi Layanan Terbaik|"
              "Sertifikat Laik Operasi"},
    {"penerima", "Pemerintah Kota Contoh|Pemerintah Kabupaten Contoh|PT Karya Nusantara|Universitas Contoh|KSM Maju Bersama|"
                 "PT Bangun Persada"},
    {"satuan_sensor", "mm|cm|mm/s|dB|°C"},
    {"ambang", "50|120|10|85|70"},
    {"citra", "SPOT-7 2023|Pleiades 2022|Landsat 9|Sentinel-2|LiDAR udara"},
    {"akibat", "pekerjaan terlambat|biaya melebihi pagu|mutu tidak tercapai|warga menolak|gugatan hukum"},
    {"sebab", "Pembebasan lahan belum tuntas|Harga baja naik|Curah hujan tinggi|Desain berubah|Izin lingkungan belum terbit"},
    {"mitigasi", "Musyawarah dengan warga|Kontrak harga satuan|Jadwal ulang pekerjaan tanah|Tinjauan desain mingguan|"
                 "Pendampingan hukum"},
    {"pemeriksa", "Inspektorat I|Inspektorat II|Inspektorat III|Inspektorat IV|Tim gabungan"},
};
const size_t sample_nlists = sizeof sample_lists / sizeof sample_lists[0];

/* Rough middles, by eye, of the land of each province: only synthetic places come from them. WIB 7, WITA 8, WIT 9. */
static const struct sample_province provinces[] = {
    {"11", 96.8, 4.4, 0.8, 7},   {"12", 99.2, 2.3, 0.7, 7},    {"13", 100.6, -0.8, 0.5, 7},   {"14", 101.6, 0.6, 0.7, 7},
    {"15", 102.8, -1.7, 0.7, 7}, {"16", 104.1, -3.2, 0.7, 7},  {"17", 102.5, -3.6, 0.4, 7},   {"18", 105.0, -4.9, 0.5, 7},
    {"19", 106.2, -2.4, 0.3, 7}, {"21", 104.5, 1.0, 0.2, 7},   {"31", 106.83, -6.2, 0.06, 7}, {"32", 107.4, -6.9, 0.5, 7},
    {"33", 110.2, -7.2, 0.6, 7}, {"34", 110.4, -7.9, 0.15, 7}, {"35", 112.4, -7.7, 0.6, 7},   {"36", 106.1, -6.4, 0.25, 7},
    {"51", 115.1, -8.4, 0.2, 8}, {"52", 117.6, -8.7, 0.4, 8},  {"53", 121.5, -8.8, 0.4, 8},   {"61", 110.6, -0.1, 0.9, 7},
    {"62", 113.4, -1.6, 0.9, 7}, {"63", 115.4, -2.9, 0.5, 8},  {"64", 116.3, 0.4, 0.8, 8},    {"65", 116.4, 3.0, 0.6, 8},
    {"71", 124.5, 1.1, 0.3, 8},  {"72", 121.0, -1.2, 0.6, 8},  {"73", 120.0, -4.2, 0.7, 8},   {"74", 122.0, -4.1, 0.5, 8},
    {"75", 122.6, 0.7, 0.2, 8},  {"76", 119.3, -2.5, 0.3, 8},  {"81", 129.3, -3.2, 0.4, 9},   {"82", 127.9, 0.8, 0.4, 9},
    {"91", 138.8, -2.6, 0.7, 9}, {"92", 133.5, -1.8, 0.6, 9},  {"93", 139.5, -7.0, 0.6, 9},   {"94", 136.0, -3.8, 0.5, 9},
    {"95", 139.3, -4.1, 0.4, 9}, {"96", 131.9, -1.2, 0.4, 9},
};

const struct sample_province *sample_province_of(const char *code, size_t len)
{
    for (size_t i = 0; i < sizeof provinces / sizeof provinces[0]; i++)
        if (len >= 2 && memcmp(code, provinces[i].code, 2) == 0)
            return &provinces[i];
    return &provinces[11]; /* a province newer than this table: somewhere on Java */
}
