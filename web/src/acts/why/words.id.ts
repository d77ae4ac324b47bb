/** What the act of the divisor √d says, in Indonesian. */
import type { Translation } from '../../format/translation.js';
import type { intro as EnglishWhyIntro } from './intro.js';
import type { words as EnglishWhy } from './words.js';

export const why: Translation<typeof EnglishWhy> = {
  rail: 'Pembagi skor, dan kueri yang ditampilkan',
  more: 'Seed',
  goal: {
    task: 'Temukan pembagi yang membuat skor bersimpangan baku 1 (±0.1), untuk dua nilai d.',
    first: (d, divisor) => `d = ${d}: ${divisor}. Sekarang pilih d yang lain.`,
    reached: (d, divisor, otherD, other) =>
      `${divisor} untuk d = ${d}, ${other} untuk d = ${otherD}. Simpangan baku q · k tumbuh sebagai √d: dibagi √d, nilainya 1 untuk setiap d.`,
  },

  divisor: 'Bagi skor dengan',
  divisorValue: (divisor, weight, entropy) =>
    `${divisor}: bobot terbesar ${weight}, entropi ${entropy}`,
  marks: 'Pembagi untuk dibandingkan',
  mark: {
    none: (value) => value,
    root: (value) => `√d = ${value}`,
    size: (value) => `d = ${value}`,
  },
  largest: 'Bobot terbesar',
  entropy: 'Entropi',
  ofAtMost: (most) => `dari ${most}`,
  deviation: 'Simp. baku',

  d: 'd, kolom per head',
  head: 'Head',
  query: 'Kueri',
  queryName: (number, token) => `${number} ${token}`,
  tokens: ['a', 'small', 'cat', 'sleeps', 'on', 'my', 'warm', 'bed'],

  keysTitle: (query) => `Bagaimana kueri “${query}” membobot kuncinya`,
  keys: 'Skor dan bobot kunci: pilih sebuah kunci',
  keyColumn: 'kunci',
  scoreColumn: (divisor) => `q · k / ${divisor}`,
  weightColumn: 'bobot (softmax)',
  key: (number, token, score, weight) =>
    `Kunci ${number}, ${token}: skor ${score}, bobot ${weight}`,
  keysNote: 'Garis tepi: sebelum dibagi. Garis titik-titik: 1/8, bobot seragam.',

  productsTitle: (query, key) =>
    `Mengapa “${key}”: skornya untuk kueri “${query}”, hasil kali demi hasil kali`,
  products: 'Komponen kueri dan kunci, hasil kalinya, dan jumlah hasil kali itu',
  unit: 'Hasil kali',
  strips: { q: 'q', k: 'k', product: 'q × k', sum: 'total' },
  order: 'Urutan hasil kali',
  orders: { unit: 'Per kolom', product: 'Terbesar dulu' },
  raises: (column, q, k, product) =>
    `Kolom ${column}: q ${q} × k ${k} = ${product} menaikkan skor.`,
  lowers: (column, q, k, product) =>
    `Kolom ${column}: q ${q} × k ${k} = ${product} menurunkan skor.`,
  summary: (query, key, raising, raised, lowering, lowered, score) =>
    `${query} · ${key}: ${raising} hasil kali menaikkan skor sebesar ${raised}, ${lowering} menurunkannya sebesar ${lowered}. Jumlahnya adalah skor, q · k = ${score}.`,
  legend: ['−maks', '0', '+maks'],
  legendLabel:
    'Warna bilangan bertanda dari ungu, negatif, melalui pucat, 0, sampai hijau, positif',
  note: 'Head yang belum dilatih: embedding dan parameternya acak, dengan varians yang membuat setiap komponen q dan k bervarians 1. Komponen memakai satu skala warna, hasil kali memakai skala sendiri; masing-masing berakhir pada besaran terbesarnya, maks. Simpangan bakunya dihitung dari semua skor: dari 8 kueri dan 8 kunci, dalam 4 head. Kurva: 512 kueri acak dengan masing-masing 8 kunci, untuk setiap d.',

  chartTitle: 'Kueri dan kunci acak, menurut d',
  chart: 'Entropi bobot, atau gradien softmax, terhadap d, dengan dan tanpa pembagian oleh √d',
  measure: 'Yang diukur',
  measures: { entropy: 'Entropi', gradient: 'Gradien p(1 − p)' },
  dimension: 'd',
  here: (d) => `d = ${d}`,
  variants: { undivided: 'skor tidak dibagi', divided: 'skor dibagi √d' },
  uniform: {
    entropy: 'bobot seragam: ln 8',
    gradient: 'bobot seragam: 7/64',
  },
  measuring: 'Sedang mengukur.',
  seen: {
    entropy: (d, undivided, divided, most) =>
      `Pada d = ${d}, rata-rata entropi adalah ${undivided} tanpa pembagian, ${divided} dengan pembagian, dan paling besar ${most}. Tanpa pembagian, entropi turun menuju 0 ketika d membesar: satu kunci mengambil seluruh bobot.`,
    gradient: (d, undivided, divided) =>
      `Pada d = ${d}, rata-rata p(1 − p), turunan bobot p terhadap skornya, adalah ${undivided} tanpa pembagian dan ${divided} dengan pembagian. Tanpa pembagian, gradien lenyap ketika d membesar.`,
  },
  reason:
    'Jika komponen q dan k saling bebas dengan rata-rata 0 dan varians 1, setiap hasil kali bervarians 1, dan q · k, jumlah dari d hasil kali, bervarians *d*. Dibagi *√d*, skor bervarians 1 untuk setiap d.',

  exports: {
    keys: 'bobot kunci',
    products: 'hasil kali sebuah skor',
    chart: 'entropi terhadap d',
  },
};

export const whyIntro: Translation<typeof EnglishWhyIntro> = {
  short: 'Skor',
  title: 'Mengapa kunci ini, dan mengapa √d',
  lead: '[Skor|score] (score) adalah jumlah dari d hasil kali. Pilih sebuah kunci (key) untuk melihat hasil kali mana yang menaikkan dan mana yang menurunkan skornya, lalu geser pembagi skor dari 1 hingga melampaui d, dan amati bobotnya.',
  paragraphs: [],
};
