/** What the act of the heads says, in Indonesian. */
import { quoted } from '../../format/sentences.js';
import type { Translation } from '../../format/translation.js';
import type { intro as EnglishHeadsIntro } from './intro.js';
import type { words as EnglishHeadsState } from './state-words.js';
import type { words as EnglishHeads } from './words.js';

const shapeOf = (shape: readonly number[]): string => `(${shape.join(', ')})`;
const some = (names: readonly string[]): string =>
  names.length === 0
    ? 'tidak ada apa pun'
    : names.slice(0, 4).join(', ') + (names.length > 4 ? ', …' : '');

export const headsState: Translation<typeof EnglishHeadsState> = {
  user: {
    unreadable: 'Berkas ini rusak, atau jenisnya tidak dibaca oleh halaman ini.',
    nothing: 'Tempelkan baris-baris bilangan atau larik JSON bersarang.',
    notJson: 'Awalnya seperti JSON, tetapi bukan JSON yang valid: periksa kurung dan koma.',
    notNumber: (cell, row) =>
      cell === ''
        ? `Baris ${row} memiliki sel kosong yang seharusnya berisi bilangan.`
        : `Baris ${row} berisi “${cell.slice(0, 20)}” yang seharusnya bilangan.`,
    noQueries: (names) =>
      `Seharusnya objek dengan queries, serta keys dan values jika berbeda; yang diterima: ${some(names)}.`,
    shape: (name, shape, { batch, length, size }) =>
      `Seharusnya ${name} berbentuk (token, ukuran) atau (sampel, token, ukuran) dengan paling banyak ${batch} sampel, ${length} token, dan ${size} bilangan per token; yang diterima: ${shapeOf(shape)}.`,
    longRow: (row, length, size, digits) =>
      `Seharusnya paling banyak ${size} bilangan dengan paling banyak ${digits} karakter per baris; baris ${row} memiliki ${length} karakter.`,
    notNumbers: (name) => `Seharusnya bilangan; ${name} berisi hal lain.`,
    uneven: (name) => `Seharusnya baris sama panjang; baris ${name} berbeda-beda.`,
    notFinite: (name) => `Seharusnya bilangan hingga; ${name} berisi NaN atau tak hingga.`,
    disagree: (shapes) =>
      `Jumlah sampel queries, keys, dan values seharusnya sama, dan jumlah nilai sama dengan jumlah kunci; yang diterima: ${shapes.map(shapeOf).join(', ')}.`,
  },
  corrections: {
    file: (name) =>
      `Tampilan ini memerlukan berkas ${quoted(name)}, yang tidak dapat dimuat dalam tautan. Pilih lagi berkasnya untuk melihatnya.`,
    pasted:
      'Tampilan ini memerlukan bilangan yang ditempelkan, yang melebihi kapasitas tautan. Tempelkan lagi untuk melihatnya.',
    tooManyNumbers: (longest) =>
      `Bilangan di alamat lebih panjang dari ${longest} karakter dan diabaikan.`,
    numbers: (reason) => `Bilangan di alamat tidak dapat dibaca. ${reason}`,
    typed: (name, lines, tokens, characters) =>
      `${name} di alamat lebih panjang dari ${lines} baris dengan ${tokens} token dan ${characters} karakter, dan telah dipotong.`,
  },
};

export const headsIntro: Translation<typeof EnglishHeadsIntro> = {
  short: 'Head',
  title: 'Head demi head',
  lead: 'Dengan masukan acak, kunci (key) berbeda-beda, dan begitu pula head, karena masing-masing [memproyeksikannya|projection] dengan parameternya sendiri.',
  paragraphs: [
    'Parameter ini belum dilatih, sehingga tidak ada head yang berpreferensi kuat: [bobot atensi|attention weight] (attention weight) tetap hampir seragam.',
    'Beri sebuah sampel satu kunci valid saja, lalu tidak satu pun: bobot mana yang tersisa? Kembalilah ke masukan “Satu” dan ubah seed: parameternya berubah, petanya tidak. Dengan pola yang ditanam, setiap head punya peran. Anda juga dapat mengetik kalimat atau memakai bilangan sendiri.',
  ],
};

export const heads: Translation<typeof EnglishHeads> = {
  figure: 'Bobot setiap head untuk masukan yang dipilih',
  maps: 'peta semua head',
  largest: (where) =>
    `Bobot terbesar adalah ${where.weight}, dari kueri ${where.query} ke kunci\u00a0${where.key} di head ${where.head} sampel ${where.sample}.`,
  even: 'Setiap baris seragam: jika semua kunci sama, tidak ada head yang dapat mengutamakan salah satunya.',
  nothing: 'Tidak ada sampel yang memiliki kunci valid, jadi setiap bobot adalah 0.',
  pattern: (found, planted) => {
    if (planted === undefined) return found;
    return planted === found ? found : `${found}, ditanam: ${planted}`;
  },
  measures: (largest, entropy) => `maks\u00a0${largest}, H\u00a0${entropy}`,
  noKey: 'tanpa kunci valid',
  caption:
    'Di bawah nama setiap head: polanya dalam sampel itu, bobot terbesarnya, dan H, rata-rata entropi barisnya dalam nat (0 jika setiap kueri memperhatikan satu kunci saja). Di tepi peta yang diperbesar: jumlah setiap baris, dan bobot total setiap kunci.',
  unnamed: 'pola: ?',
  goal: {
    task: 'Temukan head yang melihat tiga posisi ke belakang: pilih masukan “Pola”, bandingkan petanya, dan tandai head itu.',
    question: 'Head mana yang melihat tiga ke belakang?',
    answer: (head) => `Head ${head} melihat tiga ke belakang`,
    reached: 'Anda telah menemukan sebuah head dari petanya.',
    outcomes: {
      copy: ({ head, weight, elsewhere }) =>
        `Head ${head} memberi kunci tiga ke belakang rata-rata bobot ${weight}, head lain paling besar ${elsewhere}.`,
      previousToken: ({ head, weight, onCopy }) =>
        `Head ${head} melihat token sebelumnya: rata-rata bobot ${weight}. Kunci tiga ke belakang mendapat ${onCopy}.`,
      firstToken: ({ head, weight, onCopy }) =>
        `Head ${head} melihat token pertama: rata-rata bobot ${weight}. Kunci tiga ke belakang mendapat ${onCopy}.`,
      diagonal: ({ head, weight, onCopy }) =>
        `Di head ${head} setiap token melihat dirinya sendiri: rata-rata bobot ${weight}. Kunci tiga ke belakang mendapat ${onCopy}.`,
      even: ({ head, onCopy }) =>
        `Head ${head} membobot semua kunci sama besar. Kunci tiga ke belakang mendapat ${onCopy}.`,
      mixed: ({ head, onCopy }) =>
        `Head ${head} tidak mengutamakan posisi mana pun: kunci tiga ke belakang mendapat rata-rata bobot ${onCopy}.`,
    },
  },
  patterns: {
    previousToken: 'token sebelumnya',
    firstToken: 'token pertama',
    diagonal: 'diri sendiri',
    copy: 'tiga ke belakang',
    even: 'seragam',
    mixed: 'campuran',
    note: 'Token terdiri atas posisinya sebagai one-hot dan isi acak. Kueri sebuah head melihat token sebelumnya, token pertama, dirinya sendiri, token tiga ke belakang, atau semuanya sama; seed menentukan head mana melakukan apa.',
    names: 'Tampilkan nama',
  },
  controls: {
    panel: 'Masukan dan pengaturan lapisan',
    more: 'Masker, skala, dropout, warna',
    input: 'Masukan',
    inputs: {
      ones: 'Satu',
      random: 'Acak',
      patterns: 'Pola',
      text: 'Teks',
      own: 'Sendiri',
    },
    heads: 'Head',
    scale: 'Faktor skala (× 1/√d)',
    dropout: 'Dropout',
    causal: 'Kausal',
    contrast: 'Kontras per head',
    sample: 'Sampel',
    validLen: (sample) => `Panjang valid sampel ${sample}`,
  },
  typed: {
    label: 'Teks, satu sampel per baris',
    hint: (lines, tokens) =>
      `Paling banyak ${lines} baris dengan ${tokens} token. Setiap token yang berbeda memiliki embedding acaknya sendiri, yang sama di setiap posisi.`,
    nothing: 'Ketik sekurangnya satu kata. Peta masih menampilkan teks terakhir.',
    cut: (lines, tokens, characters) =>
      `Paling banyak ${lines} baris dengan ${tokens} token dan ${characters} karakter yang ditampilkan; sisanya diabaikan.`,
    tokens: 'Token',
    kinds: { words: 'Kata', letters: 'Huruf' },
    positions: 'Positional encoding',
  },
  user: {
    pasted: 'Bilangan, satu token per baris',
    pastedHint: ({ batch, length }) =>
      `CSV, atau JSON: (token, ukuran), (sampel, token, ukuran), atau objek dengan larik demikian bernama queries, keys, dan values. Paling banyak ${batch} sampel dengan ${length} token.`,
    file: 'Atau pilih atau jatuhkan berkas',
    fileHint:
      '.npy atau .safetensors dengan queries, keys, dan values; atau .safetensors dengan parameter sebuah lapisan. Berkas tetap di komputer Anda.',
    heldPasted: (longest) =>
      `Menampilkan bilangan yang ditempelkan. Panjangnya melebihi ${longest} karakter yang dapat dimuat tautan: siapa pun yang membuka tautan ke tampilan ini diminta menempelkannya lagi.`,
    tooLong: (length, longest) =>
      `Seharusnya paling banyak ${longest} karakter; yang diterima ${length}. Pakai berkas untuk lebih banyak. Peta masih menampilkan bilangan terakhir.`,
    heldTensors: (name) => `Menampilkan tensor dalam ${name}.`,
    heldParameters: (name, prefix) =>
      `Menampilkan parameter dalam ${name}${prefix === '' ? '' : ` di bawah “${prefix}”`}, dengan masukan acak.`,
    failed: (name, reason) => `${name} tidak dimuat. ${reason}`,
    tooLarge: (size, largest) =>
      `Seharusnya paling besar ${largest} MB; yang diterima ${Math.ceil(size)} MB.`,
    unknownFile: (name) =>
      `Seharusnya berkas .npy, .safetensors, .json, atau .csv; yang diterima ${name.slice(-40)}.`,
    noParameters: (names) =>
      `Seharusnya tensor bernama queries, keys, dan values, atau parameter lapisan atensi (W_q.weight, in_proj_weight, query.weight, dan sejenisnya); yang diterima: ${some(names)}.`,
    otherLayer:
      'Seharusnya lapisan dengan proyeksi linear dan pooling hasil kali titik, satu-satunya jenis yang digambar halaman ini.',
  },
  gates: {
    title: 'Gerbang',
    intro:
      'Gerbang (gate) mengalikan keluaran sebuah head sebelum proyeksi keluaran: 1 membiarkannya, 0 menghilangkan head itu. Bobot atensinya tidak berubah.',
    gate: (head) => `Gerbang head ${head}`,
    gateShort: 'Gerbang',
    open: 'Buka semua',
    moved: (share) => `Keluaran berubah sebesar ${share} (norma L2 relatif).`,
    still: 'Semua gerbang terbuka: inilah keluaran asli lapisan.',
    name: 'efek gerbang',
    bars: 'Batang adalah perubahan keluaran oleh satu gerbang saja (norma L2 relatif): terisi untuk nilai gerbang saat ini, bergaris tepi untuk 0.',
    bar: (head, now, without) =>
      `Head ${head}: keluaran berubah sebesar ${now} pada gerbang ini, sebesar ${without} tanpa head itu`,
    now: (share) => `${share} kini`,
    without: (share) => `${share} tanpanya`,
    loud: ({ most, mostShare, least, leastShare }) =>
      `Tanpa head ${most} keluaran paling banyak berubah (${mostShare}), tanpa head ${least} paling sedikit (${leastShare}). Ini besarnya sumbangan sebuah head, bukan kepentingannya.`,
    untrained:
      'Kepentingan adalah seberapa jauh sebuah tugas dikerjakan lebih buruk tanpa head itu, dan lapisan ini tidak dilatih untuk tugas apa pun.',
    unknownTask:
      'Kepentingan adalah seberapa jauh sebuah tugas dikerjakan lebih buruk tanpa head itu, dan halaman ini tidak mengetahui tugas parameter Anda.',
    importance: 'Ukur kepentingan pada sebuah tugas',
  },
  layer: {
    title: 'Seluruh lapisan',
    intro:
      'Gambar dari bab itu, dengan bentuk (shape) sebenarnya untuk masukan ini. Pilih sebuah bagian untuk melihat angkanya; pilih sebuah head untuk menyorotnya di semua gambar.',
    panel: 'Yang ditampilkan gambar',
    label: 'Atensi multi-head, dari kueri, kunci, dan nilai sampai keluaran',
    name: 'lapisan',
    parts: {
      queries: 'kueri',
      keys: 'kunci',
      values: 'nilai',
      W_q: 'W_q',
      W_k: 'W_k',
      W_v: 'W_v',
      q: 'q head ini',
      k: 'k head ini',
      v: 'v head ini',
      weights: 'softmax(q kᵀ ÷ √d)',
      pooled: 'bobot × v',
      concat: 'Gabungkan',
      W_o: 'W_o',
      output: 'keluaran',
    },
    partLabel: (name, shape) => `${name.replace('_', '')}, ${shape}: tampilkan angka`,
    headLabel: (head) => `Head ${head}: pilih`,
    headsTitle: (heads) => `${heads} head`,
    about: {
      queries: (sample) => `Kueri sampel ${sample}, satu baris per kueri.`,
      keys: (sample) => `Kunci sampel ${sample}, satu baris per kunci.`,
      values: (sample) => `Nilai sampel ${sample}, satu baris per kunci.`,
      W_q: (_sample, head) => `Baris W_q yang memproyeksikan kueri untuk head ${head}.`,
      W_k: (_sample, head) => `Baris W_k yang memproyeksikan kunci untuk head ${head}.`,
      W_v: (_sample, head) => `Baris W_v yang memproyeksikan nilai untuk head ${head}.`,
      q: (sample, head) => `Kueri sampel ${sample}, diproyeksikan untuk head ${head}.`,
      k: (sample, head) => `Kunci sampel ${sample}, diproyeksikan untuk head ${head}.`,
      v: (sample, head) => `Nilai sampel ${sample}, diproyeksikan untuk head ${head}.`,
      weights: (sample, head) => `Bobot atensi head ${head} untuk sampel ${sample}.`,
      pooled: (sample, head) =>
        `Keluaran head ${head} untuk sampel ${sample} sebelum gerbangnya, satu baris per kueri.`,
      concat: (sample) =>
        `Keluaran semua head untuk sampel ${sample} setelah gerbangnya, digabungkan.`,
      W_o: (_sample, head) => `Kolom W_o untuk head ${head}.`,
      output: (sample) => `Keluaran untuk sampel ${sample}, satu baris per kueri.`,
    },
    numbers: (part) => `Angka ${part}`,
    truncated: (rows, columns, shape) =>
      `${rows} baris dan ${columns} kolom pertama dari ${shape}.`,
    whole: (shape) => `Seluruh ${shape}.`,
  },
  closeUp: {
    title: 'Peta yang diperbesar',
    name: 'peta yang diperbesar',
    label: (head, sample) =>
      `Head ${head}, sampel ${sample}, diperbesar: bobot dengan jumlah baris dan kolom`,
  },
  arithmetic: {
    title: 'Bagaimana bobot ini dihitung',
    hint: 'Pilih sebuah sel di peta mana pun. Sebagai contoh:',
    caption: (head, sample, query, key) =>
      `Head ${head}, sampel ${sample}: kueri ${query}, kunci ${key}`,
    columns: ['Langkah', 'Angka', 'Hasil'],
    dot: 'q · k',
    scale: (size, factor) => (factor === '1' ? `÷ √${size}` : `÷ √${size} × ${factor}`),
    mask: 'Masker',
    exp: 'exp',
    sum: '÷ jumlah',
    dropout: 'Dropout',
    value: '× v',
    more: (count) => `… ${count} lagi`,
    seen: 'terlihat: skor dipertahankan',
    hidden: 'dimasker: skor menjadi −∞',
    fromLargest: (score, largest) =>
      `e pangkat ${score} − ${largest.startsWith('−') ? `(${largest})` : largest}, yang terbesar di baris ini`,
    nothing: 'tidak ada kunci di baris ini yang terlihat',
    kept: (rate) => `dipertahankan, ÷ (1 − ${rate})`,
    dropped: 'dibuang dalam pass ini',
    weighed: 'ditambahkan ke keluaran head',
    sums: (row, column) => `Jumlah baris ini ${row}, jumlah kolomnya ${column}.`,
  },
  compare: {
    title: 'Bandingkan dua head',
    control: 'Head pembanding',
    none: 'tidak ada',
    head: (head) => `Head ${head}`,
    name: 'selisih dua head',
    minus: 'minus',
    label: (head, other, sample) =>
      `Bobot head ${head} dikurangi bobot head ${other}, sampel ${sample}`,
    legend: (head, other) => `hijau: bobot head ${head} lebih besar; ungu: head ${other}`,
    ends: (largest) => [`−${largest}`, '0', `+${largest}`],
    legendLabel: (largest) =>
      `Warna selisih dari −${largest} (ungu) melalui 0 (pucat) sampai ${largest} (hijau)`,
    same: 'Kedua head memiliki bobot yang sama.',
    largest: (value) => `Selisih terbesar adalah ${value}.`,
    cell: (words) =>
      `Kueri ${words.query}, kunci ${words.key}: selisih ${words.value}${words.masked ? ', dimasker' : ''}`,
  },
};
