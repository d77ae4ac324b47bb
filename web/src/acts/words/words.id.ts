/** What the act of a model on a text says, in Indonesian. */
import { formatBytes } from '../../format/numbers.js';
import { listOf, quoted } from '../../format/sentences.js';
import type { Translation } from '../../format/translation.js';
import type { words as EnglishCheckpoint } from '../../worker/checkpoint-words.js';
import type { intro as EnglishWordsIntro } from './intro.js';
import type { roleNames as EnglishWordsRoleNames, words as EnglishWords } from './words.js';

type Head = Parameters<(typeof EnglishWords)['gate']>[0];

const place = ({ layer, head }: Head): string => `lapisan ${layer + 1}, head ${head + 1}`;

export const wordsRoleNames: Translation<typeof EnglishWordsRoleNames> = {
  previousToken: 'sebelum',
  induction: 'induksi',
  firstToken: 'pertama',
  diagonal: 'diri',
};

export const words: Translation<typeof EnglishWords> = {
  panel: 'Teks dan head',
  goalTask: 'Tutup sesedikit mungkin head, sampai token lain menjadi yang paling mungkin.',
  goalReached: (shut, now, before) =>
    `${shut} head ditutup: “${now}” unggul menggantikan “${before}”.`,
  text: 'Teks Anda',
  textHint: 'Hingga 200 karakter; tidak ada yang meninggalkan perangkat ini.',
  textCut: (characters) => `Dipotong menjadi ${characters} karakter.`,
  textEmpty: 'Ketik sebuah kata untuk memulai.',
  tokens: (number, most, isCut) =>
    isCut ? `${most} token pertama dari teks.` : `${number} token.`,
  loading: 'Memuat model…',
  loaded: (done, total) => `Memuat model: ${done} dari ${total}.`,
  opening: 'Membuka berkas…',
  model: (name, layers, numHeads) => `${name}: ${layers} lapisan, ${numHeads} head.`,
  openAll: 'Buka semua head',
  shutNow: (shut) => (shut === 0 ? 'Semua head terbuka.' : `${shut} head ditutup.`),

  board: 'Setiap head di setiap lapisan, atas token-token teks',
  layer: (layer) => `Lapisan ${layer + 1}`,
  mixed: 'campuran',
  show: (head, role) => `Tampilkan ${place(head)}: ${role}`,
  gate: (head, rise) =>
    `Gerbang ${place(head)}` + (rise === undefined ? '' : `; loss tanpanya ${rise} nat`),
  open: 'buka',
  shut: 'tutup',
  boardNote:
    'Baris adalah kueri (query), kolom adalah kunci (key); kunci yang datang kemudian dimasker dan diarsir. Nama sebuah head menyatakan ke mana sebagian besar bobot atensinya tertuju pada teks ini, beserta bagiannya; “campuran” berarti tidak ada bagian yang mencapai .3.',

  next: 'Token berikutnya',
  nextLabel: 'Token berikutnya yang paling mungkin',
  nextOpen: 'semua head terbuka',
  nextNow: 'kini',
  noNext: 'Model ini tidak kausal: tidak memprediksi token berikutnya.',
  bar: (token, now, before) =>
    now === before ? `${token}: ${now}` : `${token}: ${now}, dengan semua head terbuka ${before}`,
  axis: (most) => `0 sampai ${most}`,

  selected: 'Head terpilih',
  view: 'Tampilan',
  views: { arcs: 'Busur', map: 'Peta' },
  name: (head, role) => `${head + 1} ${role}`,

  study: 'Peringkat, tutup, ukur',
  rank: 'Peringkat head dengan ablasi',
  ranking: (done, total) => `Ablasi: pass ${done} dari ${total}.`,
  ranked:
    'Di samping setiap gerbang: kenaikan loss pada teks ini tanpa head itu, dalam nat per token.',
  prune: 'Tutup yang paling tidak penting',
  pruneValue: (number) => `${number} head`,
  time: 'Waktu tanpa head tertutup',
  timing: (done, total) => `Pengukuran waktu: pasangan ${done} dari ${total}.`,
  stop: 'Berhenti',
  stopped: 'Dihentikan.',
  cannotPrune: (layer) =>
    `Setiap lapisan harus mempertahankan satu head: buka salah satu di lapisan ${layer + 1}.`,
  timed: (whole, pruned, tokens) =>
    `Satu forward pass atas ${tokens} token: ${pruned} ms tanpa head yang ditutup, ${whole} ms dengan semuanya.`,
  ratio: (ratio, lower, upper, pairs) =>
    `Rasio median ${ratio}, interval 95 % dari ${lower} sampai ${upper}, dari ${pairs} pasangan bergantian:`,
  faster: 'lebih cepat.',
  slower: 'lebih lambat.',
  level: 'tidak ada perbedaan yang terukur.',

  more: 'Model Anda sendiri',
  folder: 'Buka checkpoint: sebuah folder',
  files: 'atau berkasnya',
  checkpointHint:
    'config.json, model.safetensors, dan tokenizer.json dari sebuah decoder (GPT-2, Llama, Mistral, Qwen2) atau encoder (misalnya BERT), hingga 800 MB. Berkas tetap di perangkat ini.',
  builtIn: 'Kembali ke model kecil',
  notAModel: 'Berkas ini bukan model yang dapat dijalankan halaman ini.',
  notRun: 'Model tidak dapat melakukannya.',
  refused: (reason) => `Tidak dibuka. ${reason}`,

  exportNames: { board: 'head untuk sebuah teks', selected: 'head terpilih' },
};

export const wordsIntro: Translation<typeof EnglishWordsIntro> = {
  short: 'Kata',
  title: 'Model nyata pada kata-kata Anda',
  lead: 'Sebuah model bahasa terlatih memprediksi [token] berikutnya dari teks Anda. Tutup [gerbang|gate] (gate) head-headnya untuk melihat pada head mana prediksi itu bergantung.',
  paragraphs: [],
};

export const checkpoint: Translation<typeof EnglishCheckpoint> = {
  builtInModel: 'Model bahasa kecil',

  missing: (names) =>
    `Tidak ada: ${listOf(names)}. Pilih sebuah folder, atau config.json, model.safetensors, dan tokenizer.json sekaligus.`,
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
  nothingToPredict: 'Tidak ada token berikutnya untuk diprediksi dalam teks ini.',
  download: (status) => `Berkas model gagal dimuat (HTTP ${status}).`,
};
