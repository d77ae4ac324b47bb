/** What the page says around the acts and in all of them, in Indonesian. */
import { choiceOf, listOf, quoted } from '../format/sentences.js';
import type { Translation } from '../format/translation.js';

const address: Translation<typeof import('../address/words.js').words> = {
  choice: (name, given, known, shown) =>
    `Nilai ${name} ${quoted(given)} di alamat tidak valid: seharusnya ${choiceOf(known)}; dipakai ${shown}.`,
  number: (name, given, min, max, shown) =>
    `Nilai ${name} ${quoted(given)} di alamat tidak valid: seharusnya bilangan dari ${min} sampai ${max}; dipakai ${shown}.`,
  list: (name, given, shown) =>
    `Nilai ${name} ${quoted(given)} di alamat tidak valid; dipakai ${shown === '' ? 'nilai kosong' : shown}.`,
  needs: (given, other, wanted) =>
    `${quoted(given)} di alamat diabaikan: diperlukan ${wanted} entri pada ${other}, atau tidak sama sekali.`,
  hide: (given, known) =>
    `Nama ${quoted(given)} yang hendak disembunyikan di alamat tidak dikenal: seharusnya salah satu atau beberapa dari ${listOf(known)}.`,
};

const app: Translation<typeof import('./words.js').words> = {
  title: 'headwise: atensi multi-head, head demi head',
  heading: 'Atensi multi-head, head demi head',

  footer: {
    source:
      'Berdasarkan bab “Multi-Head Attention” dari *Dive into Deep Learning* karya Aston Zhang, Zachary C. Lipton, Mu Li, dan Alexander J. Smola (Cambridge University Press, 2023), dengan contoh dan penamaannya. Teksnya kami tulis sendiri.',
    chapter: 'Baca bab ini di d2l.ai',
    print: 'Cetak seluruh halaman',
  },

  language: {
    label: 'Bahasa',
    notLoaded: (name) =>
      `Halaman dalam bahasa ${name} gagal dimuat, sehingga tampil dalam bahasa Inggris. Periksa koneksi, lalu muat ulang halaman.`,
  },

  present: { start: 'Presentasi', leave: 'Keluar', label: 'Presentasi' },

  skip: 'Langsung ke bagian pertama',
  navigation: 'Bagian',
};

const attention: Translation<typeof import('../attention/words.js').words> = {
  map: {
    heads: 'Bobot setiap head',
    title: (head) => `Head ${head}`,
    row: (query) => `Kueri ${query}`,
    layer: (layer) => `Lapisan ${layer}`,
  },

  cell: ({ head, query, key, weight, masked }) =>
    `Head ${head}, kueri ${query}, kunci ${key}: bobot ${weight}${masked ? ', dimasker' : ''}`,

  patterns: {
    previousToken: 'token sebelumnya',
    induction: 'induksi',
    firstToken: 'token pertama',
  },

  hint: 'Tunjuk atau ketuk sebuah sel, atau telusuri peta dengan Tab dan tombol panah.',

  legend: {
    name: 'Bobot',
    label: 'Warna bobot, dari 0 (latar belakang) sampai 1 (warna penuh head)',
    masked: 'dimasker',
  },
};

const attentionElement: Translation<typeof import('../attention/words.js').elementWords> = {
  heads: 'Head',
  queries: 'Kata: masing-masing memperhatikan sebagai kueri',
  keys: 'Kunci',
  layers: 'Lapisan',
  previousLayer: 'Lapisan sebelumnya',
  nextLayer: 'Lapisan berikutnya',
  allLayers: 'Semua lapisan',
  layer: (layer: number, layers: number) => `Lapisan ${layer} dari ${layers}`,
  map: (layer: number, head: number) =>
    `Bobot atensi lapisan ${layer}, head ${head}: kueri ke bawah, kunci ke samping`,
  model: (layers: number) => `Bobot atensi setiap head dalam ${layers} lapisan`,
};

const ui: Translation<typeof import('../ui/words.js').words> = {
  controls: {
    label: 'Kontrol',
    seed: 'Seed',
    newSeed: 'Seed acak',
    seedHint: (min, max, shown) =>
      `Masukkan bilangan bulat dari ${min} sampai ${max}. Halaman masih menampilkan seed ${shown}.`,
    reset: 'Reset',
    heads: 'Head',
  },

  run: {
    label: 'Pelatihan',
    start: 'Mulai',
    goOn: 'Lanjut',
    pause: 'Jeda',
    step: '1 langkah',
    again: 'Ulangi',
    waiting: 'Membuat model.',
    steps: 'langkah',
  },

  notLoaded: 'Bagian ini gagal dimuat. Periksa koneksi, lalu muat ulang halaman.',

  of: (part, whole) => `${part} dari ${whole}`,

  goal: { name: 'Tujuan Anda:', reached: 'Tercapai.' },

  failure: {
    title: 'Lapisan tidak dapat berjalan di sini',
    unsupported:
      'Lapisan ini memerlukan WebAssembly SIMD dan exception, yang tidak dimiliki peramban ini. Chrome dan Edge mendukung keduanya sejak versi 95, Firefox sejak 100, Safari sejak 16.4.',
    loading: 'Berkas WebAssembly-nya gagal dimuat. Periksa koneksi, lalu muat ulang halaman.',
    other: 'Terjadi galat yang tidak terduga. Memuat ulang halaman mungkin membantu.',
    reason: (said, details) => `${said} Rincian: ${details}`,
  },

  exports: {
    intro: 'Simpan',
    nothingYet: 'Belum ada yang dapat disimpan.',
    formats: { svg: 'SVG', png: 'PNG', json: 'JSON', loop: 'Animasi' },
    saveAs: (name, format) => `Simpan ${name} sebagai ${format}`,
    saved: (file) => `Disimpan sebagai ${file}.`,
    failed: (reason) => `Tidak ada yang disimpan: ${reason}`,
    noPicture: 'peramban tidak dapat membuat gambarnya. SVG dan JSON tetap berfungsi.',
    copyLink: 'Salin tautan',
    copied: 'Tautan disalin.',
    notCopied: 'Tidak dapat disalin otomatis; inilah tautannya:',
    linkLabel: 'Tautan ke tampilan ini',
  },
};

const glossary: Translation<typeof import('../ui/glossary-words.js').words> = {
  ablation:
    'Ablasi (ablation) menghilangkan satu bagian model, misalnya sebuah head, lalu mengukur seberapa jauh model memburuk.',
  'attention weight':
    'Bobot atensi (attention weight) adalah bagian perhatian kueri yang diberikan pada sebuah kunci: antara 0 dan 1, dan jumlahnya atas semua kunci adalah 1.',
  'causal mask':
    'Dengan masker kausal (causal mask), kueri dapat memperhatikan posisinya sendiri dan posisi sebelumnya, tetapi tidak posisi sesudahnya.',
  'cross-attention':
    'Dalam atensi silang (cross-attention), kueri berasal dari satu barisan, sedangkan kunci dan nilai dari barisan lain.',
  decoder:
    'Decoder menulis barisan token demi token; setiap token bergantung pada token-token sebelumnya.',
  'dot product':
    'Hasil kali titik dua vektor diperoleh dengan mengalikan bilangannya satu per satu, lalu menjumlahkan hasilnya.',
  encoder: 'Encoder membaca seluruh barisan dan menghasilkan satu vektor untuk setiap tokennya.',
  entropy:
    'Entropi (entropy) bobot bernilai 0 jika satu kunci memiliki seluruh bobot, dan terbesar jika semua kunci berbobot sama: ukuran ini menyatakan seberapa tersebar bobotnya.',
  gate: 'Gerbang (gate) sebuah head adalah bilangan pengali keluarannya: 1 terbuka, 0 tertutup.',
  gradient:
    'Gradien (gradient) loss menyatakan, untuk setiap parameter, bagaimana loss berubah ketika parameter itu membesar.',
  head: 'Head adalah atensi dengan proyeksi kueri, kunci, dan nilainya sendiri; beberapa head berdampingan membentuk atensi multi-head.',
  'induction head':
    'Induction head mencari kemunculan terdahulu dari token saat ini, lalu memperhatikan token yang mengikutinya.',
  key: 'Kunci (key) sebuah token adalah vektor yang dibandingkan dengan kueri.',
  mask: 'Masker (mask) mengecualikan kunci dari atensi: skornya menjadi −∞ dan bobotnya 0.',
  'multi-head attention':
    'Atensi multi-head (multi-head attention) menjalankan beberapa head berdampingan, menggabungkan keluarannya, lalu memadukannya dengan W_o.',
  pooling:
    'Pooling atensi (attention pooling) merata-ratakan nilai semua kunci, dibobot dengan bobot atensi.',
  projection:
    'Proyeksi (projection) adalah lapisan linear: vektor dikalikan dengan matriks parameter yang dipelajari.',
  query:
    'Kueri (query) sebuah token adalah vektor yang dibandingkan dengan semua kunci untuk menentukan apa yang diperhatikan token itu.',
  score:
    'Skor (score) kueri untuk sebuah kunci adalah hasil kali titik keduanya dibagi √d; dari skor, softmax membentuk bobot atensi.',
  'self-attention':
    'Dalam atensi diri (self-attention), kueri, kunci, dan nilai adalah proyeksi dari barisan yang sama.',
  softmax:
    'Softmax mengubah bilangan menjadi bagian-bagian positif yang berjumlah 1: setiap bilangan dieksponenkan, lalu dibagi dengan totalnya.',
  'valid length':
    'Panjang valid (valid length) sebuah sampel menyatakan berapa kuncinya yang nyata; kunci sesudahnya adalah padding dan dimasker.',
  value: 'Nilai (value) sebuah token adalah vektor yang masuk ke dalam rata-rata berbobot.',
};

const worker: Translation<typeof import('../worker/notice.js').words> = {
  slow: {
    title: 'Worker belum menjawab',
    advice:
      'Sudah 20 detik tidak ada jawaban. Worker mungkin masih dimuat, atau komputer sedang sibuk: jawabannya akan dipakai begitu tiba, dan tidak ada yang hilang. Menutup tab lain mungkin membantu. Mulai ulang untuk mengganti worker.',
  },
  lost: {
    title: 'Worker berhenti',
    advice:
      'Peramban menghentikan worker, atau skripnya gagal dimuat. Bagian lain halaman tidak terpengaruh. Mulai ulang untuk mendapat worker baru: seed yang sama memberikan hasil yang sama.',
  },
  memory: {
    title: 'Memori habis',
    advice:
      'Peramban tidak dapat memberi halaman ini lebih banyak memori. Tutup tab lain atau pilih lebih sedikit lapisan dan head, lalu mulai ulang.',
  },
  other: {
    title: 'Terjadi kesalahan',
    advice: 'Mulai ulang; jika tidak membantu, muat ulang halaman.',
  },
  again: 'Mulai ulang',
};

/** All that the page says in Indonesian, by the names that `translatable` knows the words by. */
export const texts = Object.assign(
  { address, app, attention, attentionElement, ui, glossary, worker },
  ...Object.values(import.meta.glob<object>('../{acts/*,questions}/words.id.ts', { eager: true })),
) as Readonly<Record<string, unknown>>;
