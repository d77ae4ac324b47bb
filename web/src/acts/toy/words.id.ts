/** What the act of the toy example says, in Indonesian. */
import { listOf } from '../../format/sentences.js';
import type { Translation } from '../../format/translation.js';
import type { words as EnglishToyExperiments } from './experiments-words.js';
import type { intro as EnglishToyIntro } from './intro.js';
import type { words as EnglishToy } from './words.js';

export const toy: Translation<typeof EnglishToy> = {
  flow: {
    label: 'Bentuk (shape) contoh sederhana, dari masukan sampai keluaran',
    queries: 'Kueri',
    keys: 'Kunci dan nilai',
    validLens: 'Panjang valid',
    heads: 'Head',
    output: 'Keluaran',
    axes: 'batch, panjang, unit tersembunyi',
    perSample: 'satu per sampel',
    headSize: (size) => `masing-masing ${size} unit tersembunyi`,
  },
  figure: 'Bobot setiap head dalam contoh sederhana',
  maps: 'peta contoh sederhana',
  broken:
    'Masukannya acak, bukan lagi satu semua; selain itu tidak ada yang berubah. Kini kunci-kuncinya berbeda, dan setiap head membobotnya secara berbeda. Bentuk keluarannya tetap sama.',
  question: 'Tebak dahulu: apa yang akan membuat kelima head berbeda?',
  causes: { parameters: 'Parameter baru', keys: 'Kunci berbeda', training: 'Pelatihan' },
  skip: 'Lewati pertanyaan',
  panel: 'Masukan lapisan',
  input: 'Masukan',
  inputs: { ones: 'Satu', random: 'Acak' },
  steps: 'Langkah pelatihan',
  taught: (steps, first, now) =>
    `Lapisan dilatih selama ${steps} langkah untuk mengeluarkan nilai pada kunci 1 bagi kueri 1, nilai pada kunci 2 bagi kueri 2, dan seterusnya, dan mulai lagi dari awal setelah kunci valid terakhir. Loss turun dari ${first} menjadi ${now}.`,
  outcome: {
    ones: 'Petanya tidak berubah: jika semua kunci sama, tidak ada pelatihan yang dapat membedakannya.',
    random:
      'Tidak ada head yang diberi tahu ke mana harus melihat. Masing-masing menetap pada kuncinya sendiri, yang tidak selalu kunci targetnya: W_o memadukan keluaran semua head menjadi jawaban.',
  },
  goal: {
    task: 'Buatlah kelima head berbeda dengan mengubah satu pengaturan saja.',
    reached:
      'Parameter kelima head sejak awal berbeda; hanya kunci yang berbeda membuatnya terlihat.',
  },
  conclusion: (heads) => `${heads} head, ${heads} peta yang sama persis.`,
  reason: (shares) =>
    `Semua kunci sama, jadi setiap head, apa pun proyeksinya, memberinya skor yang sama dan menyebarkan bobotnya secara seragam pada kunci yang valid: ${listOf(shares)}.`,
  share: (fraction, sample) => `masing-masing\u00a0${fraction} dalam sampel ${sample}`,
};

export const toyExperiments: Translation<typeof EnglishToyExperiments> = {
  label: 'Ketiganya dicoba',
  before: 'satu, seed 1',
  seed: (seed) => `satu, seed ${seed}`,
  random: 'masukan acak, seed 1',
  step: (step) => `satu, langkah ${step}`,
  guess: 'tebakan Anda',
  difference: 'Selisih head paling besar',
  verdict: (guess, isRight) => `Anda menebak “${guess}”: ${isRight ? 'benar' : 'salah'}.`,
  why: 'Jika semua kunci sama, k = W_k x sama untuk setiap kunci, sehingga semua skor sebuah kueri sama dan bobotnya seragam, apa pun W_q dan W_k: diacak ulang ataupun dilatih. Hanya kunci yang berbeda mendapat skor yang berbeda.',
  skip: 'Langsung ke hasil',
  again: 'Putar lagi',
};

export const toyIntro: Translation<typeof EnglishToyIntro> = {
  short: 'Contoh',
  title: 'Contoh sederhana',
  lead: 'Bab itu menguji lapisannya dengan masukan paling sederhana: [kueri|query] (query), [kunci|key] (key), dan [nilai|value] (value) yang semuanya bernilai satu, dalam batch berisi dua sampel.',
  paragraphs: [
    'Keluarannya berisi satu vektor per kueri, dengan ukuran yang sama dengan kueri.',
    '[Panjang valid|valid length] (valid length) sebuah sampel menyatakan berapa kuncinya yang boleh diperhatikan. Kunci lainnya [dimasker|mask] (masked): bobotnya tepat 0, apa pun isinya. Kunci itu diarsir, karena kunci yang dimasker tidak sama dengan kunci berbobot 0.',
  ],
};
