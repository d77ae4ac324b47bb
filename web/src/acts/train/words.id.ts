/** What the act that trains says, in Indonesian. */
import type { Translation } from '../../format/translation.js';
import type { Look, Ran } from './words.js';
import { copyOffset } from '../../worker/training.js';

const cameTo = ({ step, accuracy, goalStep }: Ran): string =>
  goalStep === undefined
    ? `akurasi ${accuracy} setelah ${step} langkah`
    : `akurasi 99\u00a0% pada langkah ${goalStep}`;

const looks = ({ layer, head, key, symbol, weight }: Look): string =>
  `posisi ${key + 1} (${symbol}) di lapisan ${layer + 1}, head ${head + 1}, dengan bobot ${weight}`;

export const train: Translation<typeof import('./words.js').words> = {
  goalTask: 'Capai akurasi 99\u00a0%. Lalu coba satu lapisan saja: apakah itu cukup?',
  goalReached: (step, layers, seed) => `${step} langkah dengan ${layers} lapisan, seed ${seed}.`,
  goalAnswered: (more, one) =>
    `${more.layers} lapisan: ${cameTo(more)}. Satu lapisan: ${cameTo(one)}. ${one.goalStep === undefined ? 'Satu lapisan tidak cukup.' : 'Untuk tugas ini satu lapisan cukup.'}`,
  pin: 'Sematkan run ini',
  unpin: 'Lepas sematan',
  now: 'Kini',
  pinnedName: 'disematkan',
  pinned: (run, task, { layers, heads, seed }) =>
    `Disematkan (${task}, ${layers}\u00a0lapisan, ${heads}\u00a0head per lapisan, seed\u00a0${seed}): ${cameTo(run)}.`,
  compared: {
    notReached: 'Run ini belum mencapai 99\u00a0%.',
    alone: (step) => `Run ini mencapai 99\u00a0% pada langkah ${step}, run yang disematkan tidak.`,
    same: 'Run ini mencapai 99\u00a0% pada langkah yang sama.',
    other: (step, steps, isSooner) =>
      `Run ini mencapai 99\u00a0% pada langkah ${step}, ${steps} langkah lebih ${isSooner ? 'awal' : 'lambat'}.`,
  },
  handle: 'Langkah yang ditampilkan',
  more: 'Laju, seed, sumbu loss',
  task: 'Tugas',
  tasks: {
    induction: 'Induksi',
    recall: 'Ingat',
    sort: 'Urutkan',
    reverse: 'Balikkan',
    copy: 'Salin',
    previous: 'Token sebelumnya',
  },
  explanations: {
    induction:
      'Sebuah barisan acak berulang. Sejak kemunculan kedua, setiap posisi harus memprediksi token berikutnya.',
    recall:
      'Nama-nama, masing-masing diikuti nilainya; lalu hanya nama, yang nilainya harus diprediksi.',
    sort: 'Unsur-unsur, pemisah, lalu unsur yang sama dalam urutan naik: setiap posisi harus memprediksi unsur berikutnya.',
    reverse:
      'Unsur-unsur, pemisah, lalu unsur yang sama dalam urutan terbalik, dari yang terakhir ke yang pertama.',
    copy: `Setiap posisi harus memprediksi token ${copyOffset} posisi sebelumnya.`,
    previous: 'Setiap posisi harus memprediksi token sebelumnya.',
  },
  layers: 'Lapisan',
  heads: 'Head per lapisan',
  rate: 'Laju belajar',
  speed: 'Langkah per detik',
  speeds: { '1': '1', '10': '10', '60': '60', full: 'Penuh' },
  status: (step, loss, accuracy, last) =>
    `Langkah ${step}${last === undefined ? '' : ` dari ${last}`}: loss ${loss}, akurasi ${accuracy}.`,
  ended: (step) => `Run berakhir pada langkah ${step}.`,
  goal: (step) => `Langkah ${step}: akurasi mencapai 99\u00a0%.`,
  took: (step, { layer, head }, keys) =>
    `Langkah ${step}: head ${head + 1} di lapisan ${layer + 1} kini memperhatikan ${keys}.`,
  left: (step, { layer, head }, keys) =>
    `Langkah ${step}: head ${head + 1} di lapisan ${layer + 1} tidak lagi memperhatikan ${keys}.`,
  log: 'Peristiwa',
  nothingYet: 'Belum ada head yang mengambil peran.',
  target: 'target',
  composition: 'Token dalam barisan: apa yang diperhatikan sebuah kueri',
  token: (position, symbol, target) =>
    `Posisi ${position}: ${symbol}${target === undefined ? '' : `, target ${target}`}`,
  arc: ({ layer, head }, weight) => `lapisan ${layer + 1}, head ${head + 1}: ${weight}`,
  oneLook: (query, symbol, look) =>
    `Kueri ${query} (${symbol}) paling memperhatikan ${looks(look)}. Dalam satu lapisan, kunci hanya mengetahui tokennya sendiri, bukan token sebelumnya.`,
  twoLooks: (query, symbol, look, back) =>
    `Kueri ${query} (${symbol}) paling memperhatikan ${looks(look)}. Posisi itu sendiri paling memperhatikan ${looks(back)}: ${
      back.symbol === symbol
        ? 'token yang sama dengan token kueri.'
        : 'bukan token yang sama dengan token kueri.'
    }`,
  card: ({ layer, head }, seen, scores) =>
    `Head ${head + 1} ${seen}. Lapisan ${layer + 1}, ${scores}`,
  noRole: 'belum berperan',
  scores: 'Bagian bobot pada',
  roleRule: (enough, enoughForPrevious, tooLittle) =>
    `Garis melintang: peran diambil pada ${enough} (token sebelumnya: ${enoughForPrevious}) dan dilepas di bawah ${tooLittle}.`,
  rightKeys: {
    induction: 'token yang dulu mengikuti token yang sama',
    recall: 'nilai dari nama itu',
    sort: 'unsur berikutnya dalam urutan',
    reverse: 'unsur berikutnya dalam urutan terbalik',
    copy: `token ${copyOffset} posisi sebelumnya`,
    previous: 'token sebelumnya',
  },
  firstKey: 'token pertama',
  rightKey: 'kunci benar',
  scoreName: (name, keys) => `${name} (${keys})`,
  lossCurve: 'Loss menurut langkah pelatihan',
  loss: 'Loss',
  lossTraining: 'pelatihan',
  lossUnseen: 'data baru',
  guessing: 'tebakan seragam',
  scale: 'Sumbu loss',
  scales: { log: 'Logaritmik', linear: 'Linear' },
  loopStep: (step, accuracy) => `Langkah ${step}: ${accuracy}\u00a0% benar`,
  exportName: 'run pelatihan',
  enlarged: ({ layer, head }) => `Lapisan ${layer + 1}, head ${head + 1}`,
  enlargedLabel: ({ layer, head }) =>
    `Lapisan ${layer + 1}, head ${head + 1}: bobot semua kueri (baris) untuk semua kunci (kolom)`,
  enlargedHint: 'Pilih sebuah head untuk melihat petanya diperbesar.',
  cell: (query, querySymbol, key, keySymbol, weight) =>
    `Kueri ${query} (${querySymbol}) memberi kunci ${key} (${keySymbol}) bobot ${weight}.`,
  later: (query, querySymbol, key, keySymbol) =>
    `Kueri ${query} (${querySymbol}) tidak dapat memperhatikan kunci ${key} (${keySymbol}), yang datang kemudian.`,
};

export const trainIntro: Translation<typeof import('./description.js').intro> = {
  short: 'Latih',
  title: 'Latih: head mengambil peran',
  lead: 'Latih sebuah model kecil dan amati head-nya belajar. Garis yang naik menunjukkan sebuah head mengambil peran.',
  paragraphs: [
    'Model ini hanya memiliki lapisan atensi. Setiap tugas menentukan kunci (key) mana yang seharusnya diperhatikan setiap kueri (query), dan garis di samping peta menunjukkan bagian [bobot atensi|attention weight] (attention weight) head pada kunci itu. Geser pegangan pada kurva loss, atau tekan sebuah peristiwa, untuk melihat setiap head setelah langkah itu.',
    '[Induksi|induction head] (induction) memerlukan dua head di lapisan yang berurutan. Yang pertama memperhatikan token sebelumnya; yang kedua memakainya untuk menemukan apa yang dahulu mengikuti token yang sama. Busur di bawah peta menunjukkan keduanya untuk satu kueri: tunjuk atau ketuk sebuah token.',
  ],
};
