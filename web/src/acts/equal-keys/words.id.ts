/** What the act says, in Indonesian. */
import { quoted } from '../../format/sentences.js';
import type { Translation } from '../../format/translation.js';

export const keysIntro: Translation<typeof import('./description.js').intro> = {
  short: 'Kunci sama',
  title: 'Kunci sama, bobot sama',
  lead: 'Bab itu menguji lapisannya dengan [kueri|query] (query), [kunci|key] (key), dan [nilai|value] (value) yang semuanya bernilai satu. Prediksikan bobot kelima head-nya, lalu uji prediksi Anda.',
  paragraphs: [
    'Setiap head [memproyeksikan|projection] kunci yang sama dengan parameternya sendiri. Jika semua kunci sama, proyeksinya juga sama, dan setiap kueri memberi semuanya [skor|score] (score) yang sama. Baru kunci yang berbeda memperlihatkan bahwa head berbeda.',
    '[Panjang valid|valid length] (valid length) menyatakan berapa kunci yang boleh diperhatikan. Kunci lainnya [dimasker|mask] (masked): bobotnya tepat 0, apa pun isinya. Kunci itu diarsir, karena kunci yang dimasker tidak sama dengan kunci berbobot 0.',
  ],
};

export const keysState: Translation<typeof import('./user-data.js').dataWords> = {
  user: {
    unreadable: 'Berkas ini rusak, atau jenisnya tidak dibaca oleh halaman ini.',
    noNames: 'tidak ada apa pun',
    nothing: 'Tempelkan baris-baris bilangan atau larik JSON bersarang.',
    notJson: 'Awalnya seperti JSON, tetapi bukan JSON yang valid: periksa kurung dan koma.',
    emptyCell: (row) => `Baris ${row} memiliki sel kosong yang seharusnya berisi bilangan.`,
    notNumber: (row, cell) => `Baris ${row} berisi “${cell}” yang seharusnya bilangan.`,
    noQueries: (names) =>
      `Seharusnya ada queries, serta keys dan values jika berbeda; yang diterima: ${names}.`,
    shape: (name, shape, { length, size }) =>
      `Seharusnya ${name} berbentuk (token, ukuran) dengan paling banyak ${length} token dan ${size} bilangan per token; yang diterima: ${shape}.`,
    notNumbers: (name) => `Seharusnya bilangan; ${name} berisi hal lain.`,
    uneven: (name) => `Seharusnya baris sama panjang; baris ${name} berbeda-beda.`,
    notFinite: (name) => `Seharusnya bilangan hingga; ${name} berisi NaN atau tak hingga.`,
    disagree: (keys, values) =>
      `Seharusnya values sama banyak dengan keys; yang diterima: keys berbentuk ${keys} dan values berbentuk ${values}.`,
    tooLarge: (size, largest) => `Seharusnya paling besar ${largest} MB; yang diterima ${size} MB.`,
    unknownFile: (name) =>
      `Seharusnya berkas .npy, .safetensors, .json, atau .csv; yang diterima ${name}.`,
  },
  corrections: {
    file: (name) =>
      `Tampilan ini memerlukan berkas ${quoted(name)}, yang tidak dapat dimuat dalam tautan. Pilih lagi berkasnya untuk melihatnya.`,
    tooManyNumbers: (longest) =>
      `Bilangan di alamat lebih panjang dari ${longest} karakter dan diabaikan.`,
    numbers: (reason) => `Bilangan di alamat tidak dapat dibaca. ${reason}`,
  },
};

export const keys: Translation<typeof import('./words.js').words> = {
  predict: {
    label: 'Pertanyaan',
    names: { keys: 'Kunci', mask: 'Masker', patterns: 'Pola' },
    questions: {
      keys: 'Semua kunci sama. Apa yang akan membuat head berbeda?',
      mask: 'Berapa bobot satu-satunya kunci yang valid?',
      patterns: 'Head mana yang melihat tiga token ke belakang?',
    },
    causes: { parameters: 'Parameter baru', keys: 'Kunci yang berbeda', training: 'Pelatihan' },
    shares: {
      same: 'Sama seperti sekarang',
      heads: 'Berbeda di setiap head',
      one: '1 di setiap head',
    },
    head: (head) => `Head ${head} melihat tiga ke belakang`,
    open: {
      keys: 'Buat prediksi, lalu ujilah: ubah seed, langkah pelatihan, atau masukan.',
      mask: 'Buat prediksi, lalu geser panjang valid ke 1.',
      patterns: 'Bandingkan petanya, lalu tandai satu head.',
    },
    difference: (value) => `selisih ${value}`,
    verdict: (guess, isRight) => `Prediksi Anda “${guess}”: ${isRight ? 'benar' : 'salah'}.`,
    reached: {
      keys: 'Kunci yang sama mendapat skor yang sama, apa pun parameternya.',
      mask: 'Softmax dari satu skor adalah 1. Dengan panjang valid 0, semua bobot adalah 0.',
    },
    found: (onCopy, elsewhere) =>
      `Benar: rata-rata bobot kunci tiga ke belakang ${onCopy}. Head lain: paling besar ${elsewhere}.`,
    missed: (onCopy, instead) =>
      `Bukan: rata-rata bobot kunci tiga ke belakang hanya ${onCopy}. Pola head ini: ${instead}.`,
  },

  controls: {
    input: 'Masukan',
    inputs: { ones: 'Satu', random: 'Acak', patterns: 'Pola', own: 'Sendiri' },
    validLen: 'Panjang valid',
    causal: 'Masker kausal',
    steps: 'Langkah pelatihan',
    names: 'Tampilkan nama',
  },

  about: {
    ones: 'Semua kueri, kunci, dan nilai adalah 1.',
    random: 'Kueri dan kunci acak, dan nilai sama dengan kunci.',
    patterns:
      'Token terdiri atas posisinya sebagai one-hot dan isi acak. Parameternya dipilih agar setiap head mengikuti sebuah pola.',
    own: 'Kueri, kunci, dan nilai adalah bilangan Anda.',
    parameters: (seed) => `Parameternya acak, dari seed ${seed}.`,
    trained: (steps, first, now) =>
      `Dilatih ${steps} langkah agar kueri 1 mengeluarkan nilai di kunci 1, dan seterusnya. Loss turun dari ${first} ke ${now}.`,
    difference: (value) => `Selisih terbesar antar-head adalah ${value}.`,
    shapes: (queries, all, headSize, output) =>
      `Kueri ${queries}, kunci dan nilai ${all}, ${headSize} unit tersembunyi per head, keluaran ${output}.`,
  },

  maps: 'peta semua head',
  enlarged: 'peta yang diperbesar',
  enlargedLabel: (head) => `Head ${head}, diperbesar: bobot dengan jumlah baris dan kolom`,
  hint: 'Tunjuk sebuah sel, atau pilih sebuah head.',
  pattern: {
    diagonal: 'diri sendiri',
    copy: 'tiga ke belakang',
    even: 'seragam',
    single: 'hanya satu kunci',
    mixed: 'campuran',
  },
  unnamed: 'pola: ?',
  noKey: 'tanpa kunci valid',
  measures: (largest, entropy) => `maks\u00a0${largest}, H\u00a0${entropy}`,
  caption:
    'Baris adalah kueri, kolom adalah kunci. Di bawah nama head: polanya, bobot terbesarnya, dan H, rata-rata entropi barisnya dalam nat. Sebuah pola diberi nama jika mendapat lebih dari separuh bobot, dan 0.2 lebih banyak daripada pola lain. Di tepi peta yang diperbesar: jumlah baris dan kolom.',

  own: {
    pasted: 'Bilangan, satu token per baris',
    hint: (length) =>
      `CSV, atau JSON berbentuk (token, ukuran), atau objek dengan larik demikian bernama queries, keys, dan values. Paling banyak ${length} token.`,
    file: 'Atau pilih atau jatuhkan berkas',
    fileHint:
      'CSV, JSON, .npy, atau .safetensors dengan queries, keys, dan values. Berkas tetap di komputer Anda.',
    tooLong: (length, longest) =>
      `Seharusnya paling banyak ${longest} karakter; yang diterima ${length}. Pakai berkas untuk lebih banyak. Peta masih menampilkan bilangan terakhir.`,
    held: (name) => `Menampilkan ${name}.`,
    failed: (name, reason) => `${name} tidak dimuat. ${reason}`,
  },

  arithmetic: {
    title: 'Bagaimana bobot ini dihitung',
    caption: (head, query, key) => `Head ${head}: kueri ${query}, kunci ${key}`,
    columns: ['Langkah', 'Angka', 'Hasil'],
    mask: 'Masker',
    sum: '÷ jumlah',
    more: (count) => `… ${count} lagi`,
    seen: 'terlihat: skor dipertahankan',
    hidden: 'dimasker: skor menjadi −∞',
    fromLargest: (score, largest) => `e pangkat ${score} − ${largest}, yang terbesar di baris ini`,
    nothing: 'tidak ada kunci di baris ini yang terlihat',
    weighed: 'ditambahkan ke keluaran head',
    sums: (row, column) => `Jumlah baris ini ${row}, jumlah kolomnya ${column}.`,
  },
};
