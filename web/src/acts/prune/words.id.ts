/** What the act that prunes says, in Indonesian. */
import type { Translation } from '../../format/translation.js';
import type { intro as EnglishPruneIntro } from './intro.js';
import type { words as EnglishPrune } from './words.js';

const past: Readonly<Record<Parameters<(typeof EnglishPrune)['pruned']>[0], string>> = {
  previousToken: 'memperhatikan token sebelumnya',
  induction: 'menemukan token yang dulu mengikuti',
  sharp: 'tajam dan tidak berperan',
  quiet: 'diam dan tidak berperan',
};

const measures: Translation<(typeof EnglishPrune)['measures']> = {
  ablation: 'Ablasi',
  gradient: 'Gradien',
  confidence: 'Keyakinan',
  entropy: 'Entropi',
};

export const prune: Translation<typeof EnglishPrune> = {
  panel: 'Tanam model dan tebak',
  guess: 'Tanam, lalu tebak',
  guessTask: (planted) => `Temukan ${planted} head yang bekerja, hanya dari petanya.`,
  guessReached: (planted) => `Anda menemukan semua ${planted} head.`,
  guessMissed: (found, planted) => `Anda menemukan ${found} dari ${planted}.`,
  plant: 'Tanam dan latih',
  stop: 'Berhenti',
  progress: (seed, number, total) =>
    `Seed ${seed}, ${number} dari ${total}: melatih, mengukur, memangkas.`,
  notYet: 'Belum ada model yang dilatih. Hanya perlu beberapa detik.',
  stopped: (seeds) => `Dihentikan. Hasil berasal dari ${seeds} seed.`,
  done: (seeds) => `Selesai. Hasil berasal dari ${seeds} seed.`,

  tiles: 'Peta semua head',
  maps: 'Kueri ke bawah, kunci ke samping, pada satu barisan uji; kunci yang dimasker datang kemudian. Head dinomori menurut lapisan dan head.',
  unmarked: (planted) => `Tandai ${planted} head, lalu periksa.`,
  marked: (marks, planted) =>
    `${marks} dari ${planted} ditandai.` +
    (marks === planted ? ' Periksa, atau hapus satu tanda.' : ''),
  check: 'Periksa',
  skip: 'Tampilkan tanpa menebak',
  roles: {
    previousToken: 'token sebelumnya',
    induction: 'induksi',
    sharp: 'tajam',
    quiet: 'diam',
  },
  toMark: 'tandai',
  isMarked: 'ditandai',
  you: 'Anda',
  scores: (planted) => `Dari ${planted} head yang dipilih masing-masing`,
  scoreRows: { found: 'ditanam', without: 'akurasi tanpanya' },
  found: (found, planted) => `${found} dari ${planted}`,
  loudTitle: 'Lantang belum tentu berguna.',
  loud: (least, without, whole, ablated) =>
    `Head yang dipilih keyakinan memiliki rata-rata bobot terbesar sekurangnya ${least}, tetapi akurasinya ${without} tanpa head itu dan ${whole} dengan semua head. Tanpa head yang dipilih ablasi, akurasinya ${ablated}.`,

  importance: 'Kepentingan menurut empat ukuran',
  importancePanel: 'Arti batang',
  measures,
  measureNotes: {
    ablation: 'kenaikan loss tanpa head itu',
    gradient: 'kemiringan loss pada gerbang head',
    confidence: 'rata-rata bobot terbesar atas semua kueri',
    entropy: 'rata-rata entropi bobot: rendah jika bobot terpusat',
  },
  verdict: (found, planted, seed) =>
    found === planted
      ? `${planted} head dengan peringkat tertinggi adalah ${planted} head yang ditanam (seed\u00a0${seed}).`
      : `${found === 0 ? 'Tidak satu pun' : found} dari ${planted} head dengan peringkat tertinggi adalah head yang ditanam (seed\u00a0${seed}).`,
  overSeeds: (found, planted, seeds) => `Atas ${seeds} seed: ${found} dari ${planted}.`,
  chart: (measure, verdict) => `${measures[measure]} setiap head. ${verdict}`,
  truth: 'Ditanam sebagai',
  truths: { planted: 'peran ditanam', sharp: 'tajam', quiet: 'diam' },
  bars: (seed) =>
    `Batang adalah head dari seed\u00a0${seed}, dinomori menurut lapisan dan head. Seed lain menanam di tempat lain.`,
  place: ({ layer, head }) => `${layer}.${head}`,

  curves: 'Kurva pemangkasan, dimulai dari head yang paling tidak penting',
  curvesPanel: 'Isi kurva',
  metric: 'Tampilkan',
  metrics: { accuracy: 'Akurasi', loss: 'Loss' },
  orders: { ...measures, random: 'urutan acak' },
  heads: 'sisa head',
  band: 'Garis adalah rata-rata atas seed; daerah abu-abu adalah rentang semua urutan acak. Setiap lapisan mempertahankan head terakhirnya.',

  session: 'Pangkas sendiri',
  sessionPanel: 'Yang tersisa dari model',
  goalTask: 'Pangkas hingga tersisa empat head dan akurasi masih sekurangnya 95\u00a0%.',
  sessionHint: 'Pangkas sebuah head, atau geser gerbangnya: dilepas pada 0, head itu dipangkas.',
  answersHint:
    'Barisan uji yang paling baik diprediksi model lengkap. Di bawah setiap token tertulis prediksi token berikutnya beserta probabilitasnya; tanda silang berarti salah.',
  answered: (right, asked) => `${right} dari ${asked} prediksi untuk barisan ini benar.`,
  answer: (symbol, probability, isRight) =>
    `memprediksi ${symbol}, ${probability}, ${isRight ? 'benar' : 'salah'}`,
  wrong: '×',
  layer: (layer) => `Lapisan ${layer}`,
  head: (head) => `Head ${head}`,
  gate: ({ layer, head }) => `Gerbang head ${head} di lapisan ${layer}`,
  gateValue: (percent) => `${percent}\u00a0%`,
  pruneHead: 'Pangkas',
  pruneLabel: ({ layer, head }) => `Pangkas head ${head} di lapisan ${layer}`,
  lastOne: 'terakhir di lapisan',
  pruned: (role) => `Dipangkas. Head ini ${past[role]}.`,
  undo: 'Urungkan',
  reset: 'Pulihkan semua',
  table: 'Model lengkap dan model terpangkas',
  whole: 'Lengkap',
  left: 'Terpangkas',
  rows: { heads: 'Head', loss: 'Loss', accuracy: 'Akurasi', time: 'Forward pass' },
  milliseconds: (time) => `${time} ms`,
  notTimed: '–',
  measuring: '…',
  ratio: (ratio, lower, upper, pairs) =>
    `Terpangkas ÷ lengkap: ${ratio}, interval 95\u00a0% dari ${lower} sampai ${upper}; median dari ${pairs} pasang yang diukur bergantian.`,
  tried: (loss, accuracy) => `Dengan gerbang ini: loss ${loss}, akurasi ${accuracy}.`,
  status: (heads, loss, accuracy) => `Tersisa ${heads} head: loss ${loss}, akurasi ${accuracy}.`,
  reached: (heads, accuracy) => `${heads} head mencapai akurasi ${accuracy}.`,
  reachedIn: (heads, accuracy, ratio) =>
    `${heads} head mencapai akurasi ${accuracy} dalam ${ratio} dari waktunya.`,
  exportNames: {
    maps: 'peta model yang ditanam',
    importance: 'kepentingan head',
    curves: 'kurva pemangkasan',
  },
};

export const pruneIntro: Translation<typeof EnglishPruneIntro> = {
  short: 'Pangkas',
  title: 'Head mana yang penting, dan mana yang dapat dibuang',
  lead: 'Untuk menilai sebuah ukuran kepentingan, kita harus tahu head mana yang penting; karena itu, di sini kepentingan ditanam.',
  paragraphs: [
    'Selama model belajar, hanya empat dari dua belas head yang terbuka: dua yang memperhatikan token sebelumnya, dan dua yang menemukan token yang dulu mengikuti token yang sama. Kemudian head lainnya dibuka. Sebagian *tajam*: memperhatikan satu kunci (key) dengan tajam tetapi tidak menyumbang apa pun. Sebagian *diam*: mempertahankan parameter awalnya yang acak.',
    '[Ablasi|ablation] (ablation) mengukur seberapa besar loss naik tanpa sebuah head, [gradien|gradient] (gradient) mengukur kemiringan loss pada gerbang (gate) head itu. Keyakinan (confidence) dan [entropi|entropy] (entropy) hanya mengukur seberapa terpusat bobot atensi sebuah head. Ukuran mana yang terkecoh?',
  ],
};
