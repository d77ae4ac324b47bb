/** The questions of the chapter's readers, in Indonesian. */
import type { Translation } from '../format/translation.js';

export const questions: Translation<typeof import('./words.js').words> = {
  title: 'Pertanyaan pembaca',
  entries: {
    'h-projections': [
      'h head memerlukan h proyeksi, jadi mengapa hanya satu lapisan Linear?',
      'Bobot satu lapisan Linear dengan num_hiddens keluaran terdiri atas h blok berisi num_hiddens / h baris, satu blok per [head]. Reshape dalam transpose_qkv memberi setiap head kolom yang dihitung bloknya. Hasilnya sama dengan h lapisan Linear kecil, dari satu perkalian matriks besar.',
    ],
    'input-slice': [
      'Apakah setiap head mendapat satu potongan masukan?',
      'Tidak: setiap baris W_q, W_k, dan W_v memiliki bobot untuk setiap fitur masukan, jadi setiap head memproyeksikan seluruh masukan. Yang dibagi adalah hasil [proyeksi|projection] (projection). Memotong masukan lebih dahulu berarti konvolusi berkelompok (grouped convolution), yang setiap headnya hanya melihat 1/h dari fitur.',
    ],
    'giant-head': [
      'Mengapa bukan satu head raksasa saja?',
      'Parameternya sama banyak dan biayanya hampir sama, tetapi [softmax]-nya hanya satu: sebuah kueri (query) memiliki satu distribusi [bobot atensi|attention weight] (attention weight) atas kunci (key), sehingga satu rata-rata berbobot harus melayani semua keperluan. Dengan h head, sebuah kueri memiliki h distribusi, sehingga dapat memperhatikan token sebelumnya dan token pertama sekaligus. Dalam Vaswani et al. (2017), satu head memperoleh 0.9 BLEU lebih rendah daripada jumlah head terbaik.',
    ],
    'two-transposes': [
      'Untuk apa kedua transpose itu?',
      'transpose_qkv memindahkan sumbu head ke samping sumbu batch, dari (batch, n, num_hiddens) ke (batch · h, n, num_hiddens / h), sehingga satu perkalian matriks ber-batch menghitung semua head. transpose_output membalikkannya, dan dengan itu menggabungkan head. Keduanya hanya menata ulang angka, tetapi reshape tanpa transpose akan mencampur token dengan fitur.',
    ],
    'output-projection': [
      'Untuk apa W_o?',
      'Setelah penggabungan, setiap angka masih berasal dari satu head saja. W_o adalah satu-satunya langkah yang memadukan head: setiap keluaran adalah jumlah atas fitur semua head. Kolomnya dikelompokkan menurut head, dan kolom itulah yang menentukan seberapa besar sumbangan sebuah head pada keluaran.',
    ],
    'query-size': [
      'Mengapa lapisan ini memiliki query_size, key_size, dan value_size?',
      'Ketiganya adalah ukuran masukan W_q, W_k, dan W_v, yang boleh berbeda: dalam [atensi silang|cross-attention] (cross-attention), kueri dapat berasal dari decoder yang lebih sempit daripada encoder. Baru setelah proyeksi, kueri dan kunci harus berukuran sama, untuk hasil kali titiknya. Versi lama kode bab ini meneruskan ketiga ukuran itu; versi sekarang memakai LazyLinear, yang membacanya dari masukan pertamanya.',
    ],
    'same-input': [
      'Apakah kueri, kunci, dan nilai sama?',
      'Dalam [atensi diri|self-attention] (self-attention) ketiga masukannya adalah tensor yang sama, tetapi W_q, W_k, dan W_v berbeda, begitu pula kueri, kunci, dan nilai (value) yang dihitungnya. Dalam [atensi silang|cross-attention] kueri berasal dari barisan yang lain daripada kunci dan nilai. Jika q dan k berisi angka yang sama, skor sebuah token untuk dirinya sendiri adalah ‖q‖²/√d, tidak pernah negatif, dan skor i untuk j sama dengan skor j untuk i.',
    ],
    'why-sqrt-d': [
      'Mengapa dibagi √d?',
      'Jika komponen q dan k saling bebas, dengan rata-rata 0 dan varians 1, hasil kali titiknya bervarians d. Tanpa pembagian, [skor|score] (score) head yang besar akan terpaut begitu jauh sehingga [softmax] memberi satu kunci hampir seluruh bobot, dan di sana gradiennya mendekati 0. Dibagi √d, skor bervarians 1 untuk setiap d.',
    ],
    'masked-queries': [
      'Apakah panjang valid memasker kueri?',
      'Tidak, hanya kunci: kueri padding pun memiliki bobot atas kunci yang valid, yang berjumlah 1, dan sebuah keluaran. Ini tidak merugikan, karena tidak ada yang dirata-ratakan atas kueri: lapisan berikutnya memaskernya sebagai kunci, dan loss mengabaikan keluarannya. Dengan satu [panjang valid|valid length] (valid length) per kueri, bukan per sampel, setiap kueri memasker kuncinya sendiri, seperti pada [masker kausal|causal mask] (causal mask).',
    ],
    'why-heads-differ': [
      'Mengapa head berbeda, jika semuanya melakukan hal yang sama?',
      'Pada awalnya parameternya adalah bilangan acak yang berbeda, sehingga gradiennya berbeda dan head saling menjauh. Head dengan parameter yang sama persis, termasuk kolom W_o, akan mendapat gradien yang sama persis dan tetap sama. Tidak ada apa pun dalam loss yang menuntut head berbeda, dan setelah pelatihan sebagian head melakukan hal yang hampir sama dengan head lain.',
    ],
    ensemble: [
      'Apakah head-head itu sebuah ensemble?',
      'Bukan dalam arti biasa: anggota ensemble dilatih terpisah, masing-masing menyelesaikan tugasnya, lalu prediksinya dirata-ratakan. Head dilatih bersama oleh satu loss, dan masing-masing hanya menghitung sebagian dari yang dijumlahkan W_o. Sebuah head dapat tidak berguna sendirian namun diperlukan head lain: [induction head] memerlukan head di lapisan sebelumnya yang memperhatikan token sebelumnya.',
    ],
    'weight-importance': [
      'Apakah bobot atensi menyatakan kepentingan?',
      'Tidak: sumbangan kunci j pada keluaran lapisan adalah bobotnya kali v_j W_o, dan vektor itu dapat pendek untuk kunci dengan bobot besar. Karena itu Kobayashi et al. (2020) membandingkan norma, bobot × ‖v_j W_o‖. Sumbangan yang besar pun belum tentu penting bagi prediksi; hal itu hanya terungkap oleh [ablasi|ablation] (ablation).',
    ],
    'untrained-gate': [
      'Mengapa gerbang tidak menyatakan apa-apa dalam model yang belum dilatih?',
      'Menutup [gerbang|gate] (gate) selalu mengubah keluaran, tetapi sebuah head penting jika loss model yang menyelesaikan sebuah tugas memburuk tanpanya. Model yang belum dilatih hanya menebak: perubahan loss-nya tidak memiliki tanda tertentu, dan seed lain memberi peringkat lain. Latih dahulu, lalu ukur.',
    ],
    'softmax-over-outputs': [
      'Mengapa head tidak dibobot dengan softmax atas keluarannya?',
      'Bobot dari [softmax] demikian berjumlah 1, sehingga head akan bersaing, padahal beberapa mungkin diperlukan sepenuhnya sekaligus. Bobot itu juga mengukur seberapa besar sebuah keluaran, bukan apakah prediksi memakainya: W_o dapat mengecilkan head mana pun. Voita et al. (2019) memberi setiap head [gerbang|gate] sendiri, dan mempelajari mana yang dapat ditutup.',
    ],
    'more-heads': [
      'Apakah makin banyak head makin baik?',
      'Tidak dengan sendirinya: dengan num_hiddens tetap, h head memiliki kueri dan kunci dengan masing-masing num_hiddens / h fitur. Dalam Vaswani et al. (2017), 8 dan 16 head memperoleh skor terbaik, dan 32 head 0.4 BLEU lebih rendah. Setelah pelatihan, banyak head dapat dipangkas: Voita et al. (2019) membuang 38 dari 48 head encoder dengan penurunan 0.15 BLEU.',
    ],
  },
};
