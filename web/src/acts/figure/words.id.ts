/** What the act of the figure says, in Indonesian. */
import type { Translation } from '../../format/translation.js';
import type { intro as EnglishFigureIntro } from './intro.js';
import type { words as EnglishFigure } from './words.js';

const masks: Readonly<Record<keyof (typeof EnglishFigure)['masks'], (validLen: number) => string>> =
  {
    length: (validLen) =>
      `[Panjang valid|valid length] (valid length) adalah ${validLen}: hanya ${validLen} kunci pertama yang boleh diperhatikan. Skor kunci lainnya diganti, di d2l dengan −10⁶, di headwise dengan −∞.`,
    causal: () =>
      '[Masker kausal|causal mask] (causal mask): kueri i boleh memperhatikan kunci 1 sampai i. Skor kunci sesudahnya diganti, di d2l dengan −10⁶, di headwise dengan −∞. Panjang valid kueri i karena itu adalah i.',
    none: () =>
      'Tidak ada [masker|mask] (mask): valid_lens adalah None, dan skornya tetap seperti semula.',
  };

const names: Translation<(typeof EnglishFigure)['names']> = {
  X: 'X',
  W_q: 'W_q',
  W_k: 'W_k',
  W_v: 'W_v',
  queries: 'kueri',
  keys: 'kunci',
  values: 'nilai',
  q: 'q',
  k: 'k',
  v: 'v',
  scores: 'q kᵀ',
  scaled: 'q kᵀ / √d',
  masked: 'dimasker',
  weights: 'bobot',
  pooled: 'bobot · v',
  concat: 'gabungan',
  W_o: 'W_o',
  output: 'keluaran',
};

const spoken: Partial<typeof names> = {
  scores: 'skor q kᵀ',
  scaled: 'skor terskala q kᵀ / √d',
  masked: 'skor termasker',
  weights: 'bobot atensi',
};

const ofHead: readonly string[] = [
  'q',
  'k',
  'v',
  'scores',
  'scaled',
  'masked',
  'weights',
  'pooled',
] satisfies (keyof typeof names)[];

const steps: Translation<(typeof EnglishFigure)['steps']> = {
  1: 'Proyeksikan',
  2: 'Bagi',
  3: 'Skor',
  4: 'Skalakan',
  5: 'Masker',
  6: 'Softmax',
  7: 'Pooling',
  8: 'Gabungkan',
  9: 'W_o',
};

export const figure: Translation<typeof EnglishFigure> = {
  rail: 'Langkah-langkah atensi multi-head',
  numbersRail: 'Langkah dan head dari angka',
  more: 'Head dan seed',
  goal: {
    task: 'Setelah pembagian, langkah mana yang pertama kali memadukan angka dari head yang berbeda?',
    reached: (heads) =>
      `Yang terakhir, W_o: setiap angka keluaran adalah jumlah atas semua ${heads} head. Sebelumnya, tidak ada angka sebuah head yang bergantung pada head lain.`,
  },
  buttons: 'Satu langkah mundur atau maju',
  previous: 'Mundur',
  next: 'Maju',
  step: 'Langkah',
  steps,
  stepName: (step) => `${step} ${steps[step]}`,
  stepOf: (step) => `Langkah ${step} dari 9: ${steps[step]}`,
  head: 'Head terdepan',
  heads: 'Head',
  mask: 'Masker',
  masks: { length: 'Panjang 3', causal: 'Kausal', none: 'Tanpa' },

  sentences: {
    1: () =>
      'Lapisan linear memproyeksikan setiap baris X, yaitu sebuah token, menjadi *kueri* (query: apa yang dicari token itu), *kunci* (key: yang dibandingkan dengan kueri), dan *nilai* (value: yang dirata-ratakan). Lapisan linear demikian disebut [proyeksi|projection] (projection).',
    2: ({ heads, headSize, hiddens }) =>
      `${hiddens} kolom kueri, kunci, dan nilai dibagi menjadi ${heads} kelompok berisi ${headSize} kolom. Setiap kelompok adalah sebuah [head]: mulai dari sini head memakai kueri, kunci, dan nilainya sendiri, tanpa bergantung pada head lain.`,
    3: ({ head }) =>
      `[Skor|score] (score) kueri i untuk kunci j adalah hasil kali titik keduanya, pada baris i dan kolom j. Inilah skor head ${head}.`,
    4: ({ headSize }) =>
      `Setiap skor dibagi √d, dengan d = ${headSize} jumlah kolom sebuah head, agar varians skor tidak tumbuh bersama d.`,
    5: ({ mask, validLen }) => masks[mask](validLen),
    6: ({ mask }) =>
      `[Softmax|softmax] mengubah setiap baris skor menjadi [bobot atensi|attention weight] (attention weight) sebuah kueri, yang berjumlah 1${mask === 'none' ? '' : '; kunci yang dimasker mendapat bobot 0'}.`,
    7: ({ head }) =>
      `[Pooling|pooling] atensi: keluaran head ${head} untuk sebuah kueri adalah rata-rata nilai, dibobot dengan bobot atensi kueri itu.`,
    8: ({ heads, headSize, hiddens }) =>
      `Keluaran semua head digabungkan: ${heads} × ${headSize} = ${hiddens} kolom. Tidak ada angka yang berubah.`,
    9: ({ heads }) =>
      `Lapisan linear terakhir memadukan ${heads} head: kolomnya dikelompokkan menurut head, dan setiap angka keluaran adalah jumlah atas semuanya.`,
  },

  code: 'Kode dari bab ini',
  shapes: 'Bentuk (shape)',
  enlarged: (head) => `Angka langkah ini, head ${head}`,

  figure: 'Atensi multi-head, dari masukan X sampai keluaran',
  exportName: 'gambar langkah-langkah',
  headTab: (head) => `Head ${head}`,
  headFront: (head) => `Head ${head}: bawa ke depan`,
  names,
  timesTransposed: '× transpos',
  spoken: (part, head) => {
    const plain = spoken[part] ?? names[part].replace('_', '');
    return ofHead.includes(part) ? `${plain} head ${head}` : plain;
  },
  box: (name, shape, step) => `${name}, ${shape}: ke langkah ${step}`,
  empty: (name, step) => `${name}, dihitung di langkah ${step}: ke sana`,
  cell: (name, row, column, value) => `${name}, ${row}, ${column}: ${value}`,
  row: (number) => `baris ${number}`,
  column: (number) => `kolom ${number}`,
  query: (number) => `kueri ${number}`,
  key: (number) => `kunci ${number}`,
  maskedValue: 'dimasker',
  rowsCaption: (name, head) => `${name}, baris head ${head}`,
  mapCaption: (name) => `${name}: kueri ke bawah, kunci ke samping`,
  hint: 'Tunjuk sebuah angka, atau pergi ke sebuah kotak dengan Tab dan telusuri dengan tombol panah; tekan kotak untuk menuju langkahnya.',
  legend: ['−maks', '0', '+maks'],
  legendLabel:
    'Warna bilangan bertanda dari ungu, negatif, melalui pucat, 0, sampai hijau, positif',
  note: 'Masukan: lima token, acak, dengan simpangan baku 2; parameternya belum dilatih. Batang berwarna menandai baris atau kolom setiap head. X, parameter, semua proyeksi, skor, dan keluaran masing-masing memakai skala warna sendiri, yang berakhir pada besaran terbesar, maks.',
};

export const figureIntro: Translation<typeof EnglishFigureIntro> = {
  short: 'Alur',
  title: 'Gambar, langkah demi langkah',
  lead: 'Gambar [atensi multi-head|multi-head attention] (multi-head attention) dari bab itu dengan angka satu sampel: sembilan langkah dari masukan X sampai keluaran, masing-masing dengan baris kodenya dalam bab itu.',
  paragraphs: [],
};
