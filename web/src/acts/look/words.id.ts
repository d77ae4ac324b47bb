/** What the act look says, in Indonesian. */
import { formatBytes } from '../../format/numbers.js';
import { listOf, quoted } from '../../format/sentences.js';
import type { Translation } from '../../format/translation.js';
import type { Head } from '../../worker/heads.js';

const place = ({ layer, head }: Head): string => `lapisan ${layer + 1}, head ${head + 1}`;
const shapeOf = (numHeads: readonly number[]): string =>
  new Set(numHeads).size === 1
    ? `${numHeads.length} lapisan dengan ${numHeads[0]} head`
    : `${numHeads.length} lapisan dengan ${numHeads.join(', ')} head`;

export const lookIntro: Translation<typeof import('./first/words.js').intro> = {
  short: 'Lihat',
  title: 'Lihat: empat head, satu kalimat',
  lead: 'Setiap [head] menjawab pertanyaan yang sama dengan caranya sendiri: *kata mana yang harus saya lihat?*',
};

export const reading: Translation<typeof import('../../reading/sentence-field.js').words> = {
  label: 'Kalimat Anda (bahasa Inggris)',
  examples: 'Contoh kalimat',
  starts: 'Model sedang dimuat.',
  notRead: 'Model tidak dapat membaca kalimat itu.',
  loading: (done, total) => `Memuat model: ${done} dari ${total}.`,
  cut: (maxCharacters) => `Hanya ${maxCharacters} karakter pertama yang disimpan.`,
};

export const first: Translation<typeof import('./first/words.js').words> = {
  hint: 'Tunjuk atau ketuk sebuah kata: busur menuju kata-kata yang diperhatikannya. Tekan sebuah head untuk melihat busurnya saja.',
  label: 'Yang diperhatikan empat head dari sebuah model terlatih dalam satu kalimat',
  roles: {
    previous: 'kata sebelumnya',
    itself: 'kata itu sendiri',
    followed: 'yang dulu mengikuti',
    earlier: 'salinan sebelumnya',
    many: 'banyak kata',
  },
  names: {
    query: 'Kata yang Anda tunjuk memberikan *kueri* (query): apa yang dicari kata ini.',
    key: 'Setiap kata memberikan *kunci* (key), dan kueri dibandingkan dengan setiap kunci. Makin cocok keduanya, makin besar *bobot atensi* (attention weight) dan makin tebal busurnya. Jumlah bobot sebuah head adalah 1.',
    value:
      'Setiap kata juga memberikan *nilai* (value). Keluaran head adalah rata-rata nilai, yang dibobot dengan bobot atensi.',
    head: 'Sebuah *head* menghitung semua ini dengan parameternya sendiri. *Atensi multi-head* (multi-head attention) menjalankan beberapa head berdampingan, menggabungkan keluarannya, lalu memproyeksikannya sekali lagi.',
  },
  source: (names) =>
    `Sebuah model bahasa kecil, dilatih dengan headwise, menghitung bobot ini: ${names.join('; ')}. Model ini memakai [masker kausal|causal mask]: tidak ada kata yang memperhatikan kata sesudahnya.`,
  ownHint: (size) =>
    `Saat Anda mengetik, halaman memuat model (${size}). Tulisan Anda tetap di perangkat ini.`,
  pieces: 'Kata yang tidak dikenal model dipecah menjadi beberapa potongan.',
  notLoaded: 'Kode model gagal dimuat. Periksa koneksi, lalu ketik lagi.',

  textEmpty: 'Ketik sebuah kata untuk memulai.',
  tokens: (number) => `Model membaca ${number} token.`,
  omitted: (tokens, omittedWords) =>
    `Model hanya membaca ${tokens} yang pertama: ${omittedWords} kata terakhir tidak dibaca.`,
  headName: place,
};

export const lookRoleNames: Translation<typeof import('./words.js').roleNames> = {
  previousToken: 'sebelum',
  induction: 'induksi',
  firstToken: 'pertama',
  diagonal: 'diri',
};

export const look: Translation<typeof import('./words.js').words> = {
  goalTask: 'Tutup sesedikit mungkin head sampai token lain menjadi yang paling mungkin.',
  goalReached: (shut, now, before) =>
    `${shut} head ditutup: “${now}” unggul menggantikan “${before}”.`,
  waits: 'Model dimuat saat Anda tiba di sini.',
  model: (name, numHeads) => `${name}: ${shapeOf(numHeads)}.`,
  openAll: 'Buka semua head',
  shutNow: (shut) => (shut === 0 ? 'Semua head terbuka.' : `${shut} head ditutup.`),
  noSuchHead: (given, numHeads) =>
    `Model ini punya ${shapeOf(numHeads)}. Yang diabaikan dalam alamat: ${given.join(' dan ')}.`,

  boardTitle: 'Semua head, lapis demi lapis',
  boardNote:
    'Baris adalah kueri dan kolom adalah kunci; kunci yang diarsir dimasker. Nama head diambil dari token yang mendapat sebagian besar bobotnya dalam kalimat ini. Namanya “campuran” bila tidak ada nama yang unggul sedikitnya 20 poin. Klik peta sambil menekan Alt untuk menutup head-nya.',
  mixed: 'campuran',
  tile: (head, role) => `${place(head)}: ${role}`,
  show: (head, role, isOpen) => `Tampilkan ${place(head)}: ${role}${isOpen ? '' : ', ditutup'}`,
  gate: (head) => `Gerbang ${place(head)}`,
  open: 'buka',
  shut: 'tutup',

  next: (token) => `Token sesudah “${token}”`,
  nextOpen: 'semua head terbuka',
  nextNow: 'kini',
  noNext: 'Model ini tidak kausal: tidak memprediksi token berikutnya.',
  bar: (token, now, before) =>
    now === before ? `${token}: ${now}` : `${token}: ${now}, dengan semua head terbuka ${before}`,
  axis: (most) => `0 sampai ${most}`,
  lens: 'Prediksi setiap lapisan',
  output: 'keluaran',
  after: (layer) => (layer === 0 ? 'embedding' : `lapisan ${layer}`),

  selected: 'Head terpilih',
  view: 'Tampilan',
  views: { arcs: 'Busur', map: 'Peta' },

  more: 'Buka model',
  folder: 'Sebuah folder',
  files: 'Berkas GGUF, atau berkas-berkas dari folder',
  address: 'Alamat salah satunya',
  openAddress: 'Buka',
  cancel: 'Batal',
  modelHint:
    'Folder memerlukan config.json, model.safetensors, dan tokenizer.json dari sebuah decoder (misalnya GPT-2, Llama, Qwen) atau encoder (misalnya BERT). Bobot paling besar 800 MB. Tidak ada yang meninggalkan perangkat ini.',
  builtIn: 'Kembali ke model kecil',
  notAModel: 'Berkas ini bukan model yang dapat dijalankan halaman ini.',
  refused: (reason) => `Tidak dibuka. ${reason}`,

  exportNames: { board: 'semua head pada sebuah kalimat', selected: 'head terpilih' },
};

export const checkpoint: Translation<typeof import('../../worker/checkpoint-error.js').words> = {
  builtInModel: 'Model bahasa kecil',

  missing: (names) =>
    `Tidak ada: ${listOf(names)}. Pilih folder berisi config.json, model.safetensors, dan tokenizer.json, atau satu berkas GGUF.`,
  sharded:
    'Bobot ini terbagi dalam beberapa berkas (model.safetensors.index.json). Simpan dahulu sebagai satu model.safetensors.',
  large: (bytes, most) =>
    `Ukuran bobot ${formatBytes(bytes)}; halaman ini membuka paling banyak ${formatBytes(most)}.`,
  malformed: (name) => `${name} bukan objek JSON.`,
  noText: 'Model ini tidak membaca teks: seharusnya decoder atau encoder dengan token.',
  hasEncoder:
    'Ini encoder–decoder, yang memerlukan urutan sumber di samping teks: seharusnya decoder atau encoder saja.',
  unknown: (token) => `Tokenizer tidak memiliki token untuk ${quoted(token)}.`,
  tokens: (token, size) =>
    `tokenizer.json memberikan token ${token}, tetapi model hanya memiliki ${size}: keduanya tidak berasal dari model yang sama.`,
  download: (name, status) =>
    status === 404
      ? `Berkas model ${name} tidak ditemukan (404).`
      : `Server menolak berkas model ${name} (${status}).`,
  unreachable: (name) =>
    `Berkas model ${name} gagal dimuat. Periksa koneksi; server situs lain harus mengizinkan halaman ini membacanya (CORS).`,
  address: (written) => `${quoted(written)} bukan alamat: seharusnya dimulai dengan https://.`,
};
