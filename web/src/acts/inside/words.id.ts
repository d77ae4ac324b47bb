/** What the act inside says, in Indonesian. */
import type { Translation } from '../../format/translation.js';

export const insideIntro: Translation<typeof import('./description.js').intro> = {
  short: 'Isi',
  title: 'Isi lapisan atensi, langkah demi langkah',
  lead: 'Sembilan langkah membawa masukan X sebuah lapisan [atensi multi-head|multi-head attention] (multi-head attention) ke keluarannya. Setiap langkah menunjukkan angka, bentuk, dan baris kodenya dalam bab itu.',
};

export const inside: Translation<typeof import('./words.js').words> = {
  goal: {
    task: 'Sejak langkah 2, setiap head bekerja sendiri. Tebak: langkah mana yang pertama menjumlahkan angka beberapa head?',
    answer: 'Tebakan Anda',
    answers: {
      6: () => 'Belum: softmax hanya mengolah skor satu head. Lihat langkah sesudahnya.',
      7: () => 'Belum: pooling hanya merata-ratakan nilai satu head. Lihat langkah sesudahnya.',
      8: () => 'Belum: penggabungan hanya menjajarkan head. Tidak ada angka yang berubah.',
      9: (heads) =>
        `Setiap angka keluaran adalah jumlah atas semua ${heads} head. Sebelum W_o, tidak ada head yang bergantung pada head lain.`,
    },
  },
  previous: 'Mundur',
  next: 'Maju',
  step: 'Langkah',
  steps: {
    ...{ 1: 'Proyeksikan', 2: 'Bagi', 3: 'Hasil kali titik', 4: 'Skalakan', 5: 'Masker' },
    ...{ 6: 'Softmax', 7: 'Pooling', 8: 'Gabungkan', 9: 'W_o' },
  },
  stepOf: (step, name) => `Langkah ${step} dari 9: ${name}`,
  layer: 'Lapisan',
  head: 'Head',
  headOf: (head, heads) => `Head ${head} dari ${heads}`,

  input: 'Angka dari',
  inputs: { small: 'Lapisan kecil', sentence: 'Kalimat Anda' },
  small: (size) =>
    `Lapisan yang belum dilatih dengan angka acak, cukup sedikit untuk dibaca satu per satu. “Kalimat Anda” memuat model terlatih (${size}).`,
  reads: (tokens, width) =>
    `Angka asli model untuk kalimat Anda: ${tokens} token, masing-masing vektor berisi ${width} angka.`,
  empty: 'Belum ada kalimat. Tulislah satu di bagian atas halaman.',
  unknown: 'Halaman ini tidak dapat menghitung masukan lapisan model ini.',

  sentences: {
    1: ({ isModel, biases }) =>
      `${isModel ? 'X adalah vektor setiap token yang diterima lapisan ini, sudah dinormalkan. ' : ''}Tiga lapisan linear, masing-masing sebuah [proyeksi|projection] (projection), membuat dari setiap baris X sebuah *kueri* (query: apa yang dicari token itu), *kunci* (key: yang dibandingkan dengan kueri), dan *nilai* (value: yang dirata-ratakan).${biases.qkv ? ' Masing-masing menambahkan bias.' : ''}`,
    2: ({ numHeads, numKvHeads, headSize, isRotated }) =>
      `Kolom kueri dibagi menjadi ${numHeads} kelompok berisi d = ${headSize} kolom. Setiap kelompok adalah sebuah [head], yang menghitung atensi tanpa bergantung pada head lain.${numKvHeads < numHeads ? ` Model ini memiliki ${numKvHeads} kelompok kunci dan nilai, yang dipakai bersama oleh head-nya.` : ''}${isRotated ? ' Model ini lalu memutar q dan k menurut posisi tokennya (posisi putar). Angka di sini adalah hasil putaran.' : ''}`,
    3: ({ headSize }) =>
      `[Hasil kali titik|dot product] (dot product) sebuah kueri dan sebuah kunci: kalikan kolom demi kolom, lalu jumlahkan ${headSize} hasilnya. Pilih sebuah kunci untuk melihat hasil kali mana yang menaikkan dan mana yang menurunkannya.`,
    4: ({ headSize }) =>
      `[Skor|score] (score) adalah hasil kali titik dibagi √d. Tanpa pembagian, jumlah dari banyak hasil kali (di sini d = ${headSize}) menjadi besar, dan softmax memberi satu kunci hampir seluruh bobot. Cobalah pembagi lain.`,
    5: ({ hasMask }) =>
      hasMask
        ? '[Masker kausal|causal mask] (causal mask): sebuah token boleh memperhatikan dirinya dan token sebelumnya. Skor kunci sesudahnya diganti, di d2l dengan −10⁶, di headwise dengan −∞.'
        : 'Model ini tidak memakai [masker|mask] (mask): setiap token boleh memperhatikan semua token, sehingga skornya tetap.',
    6: ({ hasMask }) =>
      `[Softmax|softmax] mengubah setiap baris skor menjadi [bobot atensi|attention weight] (attention weight) yang berjumlah 1.${hasMask ? ' Kunci yang dimasker mendapat bobot 0.' : ''}`,
    7: (_pass, head) =>
      `[Pooling|pooling] atensi: untuk setiap kueri, head ${head} merata-ratakan nilai. Bobot atensi menentukan seberapa besar andil setiap nilai.`,
    8: ({ numHeads, headSize }) =>
      `Keluaran semua head dijajarkan: ${numHeads} × ${headSize} = ${numHeads * headSize} kolom. Tidak ada angka yang berubah.`,
    9: ({ numHeads, biases }) =>
      `Lapisan linear terakhir, W_o, memadukan ${numHeads} head: setiap angka keluaran adalah jumlah atas kolom semua head${biases.output ? ', ditambah bias' : ''}.`,
  },
  code: 'Kode dari bab ini',
  shapes: 'Bentuk (shape)',

  figure: (step, heads) =>
    `Atensi multi-head dengan ${heads} head, dari masukan X sampai keluaran. ${step}`,
  names: {
    ...{ X: 'X', W_q: 'W_q', W_k: 'W_k', W_v: 'W_v' },
    ...{ queries: 'kueri', keys: 'kunci', values: 'nilai', q: 'q', k: 'k', v: 'v' },
    ...{ dots: 'q kᵀ', scores: 'q kᵀ / √d', masked: 'dimasker', weights: 'bobot' },
    ...{ pooled: 'bobot · v', concat: 'gabungan', W_o: 'W_o', output: 'keluaran' },
  },
  timesTransposed: '× transpos',
  spoken: {
    dots: 'hasil kali titik q kᵀ',
    scores: 'skor q kᵀ / √d',
    masked: 'skor termasker',
    weights: 'bobot atensi',
    pooled: 'keluaran head',
  },
  rowsOfHead: (name, head) => `${name}, baris head ${head}`,
  matrix: (name, shape) => `${name} ${shape}. Tombol panah membacakan angkanya.`,
  hint: 'Tunjuk sebuah angka, atau tekan Tab lalu tombol panah.',
  tokenCell: (name, token, column, value) => `${name}, “${token}”, kolom ${column}: ${value}`,
  parameterCell: (name, row, column, value) => `${name}, baris ${row}, kolom ${column}: ${value}`,
  pairCell: (name, query, key, value, isMasked) =>
    `${name}, kueri “${query}”, kunci “${key}”: ${value}${isMasked ? ', dimasker' : ''}`,
  legend: ['−maks', '0', '+maks'],
  legendLabel: 'Warna bilangan bertanda: ungu negatif, hijau positif',

  query: 'Kueri',
  keys: 'Kunci yang boleh diperhatikan kueri',
  columns: ['skor', 'bobot'],
  productsTitle: (query, key) => `Kueri “${query}” · kunci “${key}”`,
  strips: { q: 'q', k: 'k', product: 'q × k', sum: 'total' },
  order: 'Urutan hasil kali',
  orders: { column: 'Per kolom', product: 'Terbesar dulu' },
  productOf: (column, q, k, product, isNegative) =>
    `Kolom ${column}: q ${q} × k ${k} = ${product} ${isNegative ? 'menurunkan' : 'menaikkan'} hasil kali titik.`,
  summary: (query, key, raising, raised, lowering, lowered, dot) =>
    `“${query}” · “${key}”: ${raising} hasil kali menaikkan jumlahnya sebesar ${raised}, ${lowering} menurunkannya sebesar ${lowered}. Hasil kali titiknya ${dot}.`,

  divisor: 'Bagi q · k dengan',
  divisorValue: (divisor, weight, entropy) =>
    `${divisor}: bobot terbesar ${weight}, entropi ${entropy}`,
  largest: 'Bobot terbesar',
  entropy: 'Entropi bobot',
  ofAtMost: (entropy, most) => `${entropy} dari ${most}`,
  deviation: 'Simpangan baku skor head',
  chartTitle: 'Mengapa √d: kueri dan kunci acak',
  chart: 'Entropi bobot terhadap d, dengan dan tanpa pembagian oleh √d',
  equalWeights: 'bobot seragam: ln 8',
  measuring: 'Sedang mengukur.',
  seen: (d, entropy, divided, gradient, dividedGradient) =>
    `Pada d = ${d}, rata-rata entropi bobot adalah ${entropy} tanpa pembagian dan ${divided} dengan pembagian. Rata-rata gradien p(1 − p) dari bobot p adalah ${gradient} tanpa pembagian dan ${dividedGradient} dengan pembagian. Tanpa pembagian, ketika d membesar, satu dari 8 kunci mengambil seluruh bobot dan gradien lenyap.`,

  exports: { products: 'hasil kali kueri dan kunci', chart: 'entropi terhadap d' },
};
