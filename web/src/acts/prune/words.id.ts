/** What the act that prunes says, in Indonesian. */
import type { Translation } from '../../format/translation.js';

export const prune: Translation<typeof import('./words.js').words> = {
  guess: 'Temukan head yang ditanam',
  guessTask: (planted) => `Temukan ${planted} head yang bekerja, hanya dari petanya.`,
  guessed: (found, planted) => `Anda menemukan ${found} dari ${planted}.`,
  shown: 'Peran semua head ditampilkan.',
  otherSeed: 'Seed lain',
  plant: 'Tanam dan latih',
  stop: 'Berhenti',
  progress: (seed, number, total) =>
    `Seed ${seed}, ${number} dari ${total}: melatih, mengukur, memangkas.`,
  notYet: 'Seed ini belum dilatih.',
  notTrained: (seeds) => `Melatih seed ini dan ${seeds - 1} seed berikutnya perlu beberapa detik.`,
  builtIn: (seeds) => `Hasil seed 1 sampai ${seeds} disertakan di halaman ini.`,
  results: (seeds, isDone) =>
    `${isDone ? 'Selesai' : 'Dihentikan'}. Hasil berasal dari ${seeds} seed.`,

  task: 'Model membaca huruf-huruf ini dan, begitu berulang, memprediksi huruf berikutnya: huruf di bawahnya.',
  maps: 'Bobot setiap head pada huruf-huruf ini: kueri ke bawah, kunci ke samping. Head dinomori menurut lapisan dan head.',
  unmarked: (planted) => `Tandai ${planted} head, lalu periksa.`,
  marked: (marks, planted) =>
    `${marks} dari ${planted} ditandai.` +
    (marks === planted ? ' Periksa, atau hapus satu tanda.' : ''),
  check: 'Periksa',
  skip: 'Tampilkan peran',
  again: 'Tebak lagi',
  roles: {
    sharp: 'tajam',
    quiet: 'diam',
  },
  toMark: 'tandai',
  isMarked: 'ditandai',
  you: 'Anda',
  scores: (planted) => `Dari ${planted} head yang dipilih masing-masing`,
  scoreRows: { found: 'ditanam', without: 'akurasi tanpanya' },
  loudTitle: 'Lantang belum tentu berguna.',
  loud: (least, without, whole, ablated) =>
    `Bobot terbesar head yang dipilih keyakinan rata-rata sekurangnya ${least}. Namun akurasi adalah ${without} tanpa head itu dan ${whole} dengan semua head. Tanpa head yang dipilih ablasi, akurasinya ${ablated}.`,

  importance: 'Nilai ukurannya',
  measureNotes: {
    ablation: 'kenaikan loss tanpa head itu',
    gradient: 'kemiringan loss pada gerbang head',
    confidence: 'rata-rata bobot terbesar',
    entropy: 'rendah jika bobot terpusat',
  },
  verdict: (found, planted, seed) =>
    `Seed\u00a0${seed}: ${found} dari ${planted} head teratasnya adalah head yang ditanam.`,
  overSeeds: (found, planted, seeds) => `Atas ${seeds} seed: ${found} dari ${planted}.`,
  chart: (measure, verdict) => `${measure} setiap head. ${verdict}`,
  truth: 'Head ini',
  truths: {
    planted: 'ditanam: model membutuhkannya',
    sharp: 'tajam: hampir semua bobot pada satu kunci, tanpa hasil',
    quiet: 'diam: parameter awalnya yang acak tidak berubah',
  },
  bars: (seed) =>
    `Batang adalah head dari seed\u00a0${seed}. Pada seed lain, head yang ditanam bernomor lain.`,

  curves: 'Pangkas head yang paling tidak penting lebih dulu',
  accuracy: 'Akurasi',
  orders: {
    ablation: 'Ablasi',
    gradient: 'Gradien',
    confidence: 'Keyakinan',
    entropy: 'Entropi',
    random: 'urutan acak',
  },
  heads: 'sisa head',
  band: 'Garis adalah rata-rata atas seed; daerah abu-abu adalah rentang semua urutan acak. Setiap lapisan mempertahankan head terakhirnya.',

  model: 'Pangkas model bahasa',
  modelGoal:
    'Pangkas sebanyak mungkin head. Loss pada teks sisihan boleh naik paling banyak 5\u00a0%.',
  modelReached: (pruned, all, more) =>
    `${pruned} dari ${all} head dipangkas dan loss naik ${more}. Tidak ada urutan yang dapat memangkas lebih banyak.`,
  cut: 'Head yang dipangkas',
  order: 'Peringkat menurut (terbaik lebih dulu)',
  cutStatus: (pruned, all, loss, more, isWithin) =>
    pruned === 0
      ? `Semua ${all} head: loss pada teks sisihan ${loss}.`
      : `${pruned} dari ${all} head dipangkas: loss pada teks sisihan ${loss}, naik ${more}${isWithin ? '' : ', terlalu banyak'}.`,
  modelCurves: 'Loss pada teks sisihan terhadap sisa head',
  heldOutLoss: 'loss pada teks sisihan, nat per token',
  heldOut:
    'Teks sisihan tidak dipakai dalam pelatihan. Separuhnya memeringkat head, separuh lainnya mengukur loss.',
  which: 'Head model bahasa',
  rankOrigin: 'Asal peringkat ini',
  rank: 'Peringkatkan di sini',
  notRanked:
    'Pemeringkatan menjalankan model beberapa ratus kali, jadi perlu satu menit atau lebih.',
  ranked: 'Peringkat ini disertakan di halaman. Mengulanginya di sini perlu sekitar satu menit.',
  ranking: (share) => `Memeringkat: ${share} selesai.`,
  rankedHere: 'Selesai. Peringkat ini dibuat di sini.',
  rankingStopped: (orders) => `Dihentikan. Grafik menampilkan ${orders} urutan.`,
  rankingFailed: (reason) => `Pemeringkatan gagal: ${reason}`,

  nextToken: 'Token berikutnya dari kalimat Anda',
  changeSentence: 'Ubah',
  top: (before, after, isSame) =>
    isSame
      ? `Prediksi teratas tetap “${before}”.`
      : `Prediksi teratas berubah dari “${before}” menjadi “${after}”.`,
  token: 'Token',
  whole: 'Semua head',
  left: 'Dipangkas',
  notRead: 'Pangkas satu head: model lalu dimuat dan membaca kalimat Anda.',
  notCausal: 'Model ini tidak memprediksi token berikutnya, jadi tidak ada loss pada teks sisihan.',
  exportNames: {
    maps: 'peta model yang ditanam',
    importance: 'kepentingan head',
    curves: 'kurva pemangkasan',
    model: 'kurva pemangkasan model bahasa',
  },
};

export const pruneIntro: Translation<typeof import('./description.js').intro> = {
  short: 'Pangkas',
  title: 'Head mana yang penting, dan mana yang dapat dibuang',
  lead: 'Untuk menguji sebuah ukuran kepentingan, kita perlu tahu jawaban yang benar, jadi di sini jawabannya kita tanam. Lalu ukuran yang sama memangkas model sungguhan.',
  paragraphs: [
    'Selama model tanaman belajar, hanya empat dari dua belas head yang terbuka: dua memperhatikan token sebelumnya, dua menemukan token yang dulu mengikuti token yang sama. Lalu delapan head lainnya dibuka. Head *tajam* (sharp) menaruh hampir semua bobot pada satu kunci dan tidak menyumbang apa pun. Head *diam* (quiet) mempertahankan parameter awal yang acak.',
    '[Ablasi|ablation] mengukur seberapa besar kenaikan loss tanpa sebuah head. [Gradien|gradient] adalah kemiringan loss pada gerbang head. Keyakinan (confidence) dan [entropi|entropy] hanya mengukur seberapa terpusat bobot sebuah head. Ukuran mana yang tertipu?',
    'Pada model bahasa, tidak ada yang tahu jawaban yang benar. Di sana loss yang menentukan: seberapa besar kenaikannya pada teks yang tidak dipakai untuk melatih model.',
  ],
};
