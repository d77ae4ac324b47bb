/** What the act of the alignment says, in Indonesian. */
import type { Translation } from '../../format/translation.js';

export const translate: Translation<typeof import('./words.js').words> = {
  goal: 'Latih sampai 95\u00a0% tanggal baru benar. Apakah setiap head membaca bagian tanggalnya sendiri, atau beberapa head berbagi satu bagian?',
  goalReached: (step) => `95\u00a0% pada langkah ${step}.`,
  ended: 'Selesai',
  variant: 'Model',
  variants: {
    standard: 'Standar',
    alone: 'Encoder tanpa atensi',
    shared: 'Embedding bersama',
  },
  variantNotes: {
    standard: 'Satu lapisan encoder dan satu lapisan decoder.',
    alone:
      'Atensi diri encoder dimatikan: sebuah kunci memuat karakternya dan posisinya, tetapi tidak apakah karakter itu bagian dari hari atau tahun.',
    shared:
      'Masukan, keluaran, dan unembedding memakai satu tabel embedding. Bandingkan akurasinya dengan apa yang diperhatikan head.',
  },

  status: (step, last, accuracy) => `Langkah ${step} dari ${last}: ${accuracy} tanggal baru benar.`,

  parts: { year: 'tahun', month: 'bulan', day: 'hari' },
  verdict: {
    learnt: (accuracy, step) => `${accuracy} tanggal baru benar setelah ${step} langkah.`,
    notLearnt: (accuracy, step) =>
      `Belum dipelajari: ${accuracy} tanggal baru benar setelah ${step} langkah.`,
    share: (head, share) => `head ${head} (${share})`,
    specialist: (part, head, share) => `Head ${head} membaca ${part} (${share}).`,
    shared: (part, heads) => `Bagian ${part} dibaca bersama oleh ${heads}.`,
    none: (part, head, share) =>
      `Tidak ada head yang jelas membaca ${part}; yang terbaik head ${head} (${share}).`,
    elsewhere:
      'Benar tanpa keselarasan: keluaran encoder pada satu posisi juga memuat informasi dari posisi lain, sehingga bobot ini tidak menunjukkan asal sebuah karakter.',
  },

  text: 'Tanggal untuk dibaca model',
  textKept: (shown) =>
    `Huruf, angka, spasi, koma, dan tanda hubung, paling banyak 18. Model membaca “${shown}”.`,
  textEmpty: 'Ketik tanggal seperti 5 March 2021.',
  noTruth:
    'Bukan tanggal dalam bentuk yang dilatih, seperti March 5, 2021 atau 5 Mar 2021, dengan tahun dari 1000 sampai 2999: tidak ada jawaban benar sebagai pembanding.',

  figure: 'Keselarasan: dari setiap karakter keluaran ke karakter masukan yang diperhatikannya',
  padding: (length, longest) =>
    `Diarsir: padding. Dalam satu batch, masukan ${length} karakter ini diisi hingga ${longest} kunci; panjang validnya (valid length) memasker padding itu, sehingga setiap kueri memberinya bobot 0.`,
  queries: 'Karakter keluaran',
  output: (number) => `Keluaran ${number}`,
  query: (number, character, attended, expected) =>
    `Keluaran ${number}, ${character}: ${attended}.${expected === undefined ? '' : ` Seharusnya ${expected}.`}`,
  attends: (head, key, share) => `head ${head} memberi ${key} ${share}`,
  hint: 'Tunjuk atau pilih sebuah karakter keluaran untuk melihat bobotnya saja. Tekan sebuah head untuk melihat head itu saja.',
  space: 'spasi',

  maps: 'Bobot per head: karakter keluaran ke bawah, karakter masukan ke samping',
  map: (head, answer, text) =>
    `Head ${head}: bobot keluaran ${answer} (baris) untuk masukan ${text} (kolom)`,
  headAlone: (head) => `Tampilkan head ${head} saja`,
  best: 'terbaik',
  outlined:
    'Bergaris tepi: karakter asal keluaran. Batang: bagian bobot head pada karakter itu, atas tanggal baru; garis kecil menandai letak bobot seragam.',
  shares: 'Bagian',
  shareCurve:
    'Bagian tanggal baru yang benar, dan bagian bobot setiap head pada karakter yang benar',
  dates: 'tanggal benar',
  loopStep: (step) => `Langkah ${step}`,
  exportName: 'keselarasan',
};

export const translateIntro: Translation<typeof import('./description.js').intro> = {
  short: 'Terjemah',
  title: 'Terjemahkan: membaca keselarasan',
  lead: 'Sebuah [encoder] membaca tanggal dalam kata-kata, lalu sebuah [decoder] menuliskannya sebagai ISO 8601. Dalam atensi silang (cross-attention), kueri decoder memperhatikan keluaran encoder.',
  paragraphs: [
    'Asal setiap karakter keluaran di masukan sudah diketahui. Karena itu [bobot atensi|attention weight] (attention weight) sebuah head dapat dibandingkan dengan keselarasan (alignment) yang sebenarnya.',
  ],
};
