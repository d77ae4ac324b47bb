/** What the act words says, in Simplified Chinese. */
import { formatBytes } from '../../format/numbers.js';
import { listOf, quoted } from '../../format/sentences.js';
import type { Translation } from '../../format/translation.js';
import type { words as EnglishCheckpoint } from '../../worker/checkpoint-words.js';
import type { intro as EnglishWordsIntro } from './intro.js';
import type { roleNames as EnglishWordsRoleNames, words as EnglishWords } from './words.js';

export const wordsIntro: Translation<typeof EnglishWordsIntro> = {
  short: '文本',
  title: '真实的模型读你的文本',
  lead: '一个训练好的语言模型预测你的文本的下一个[词元|token]（token）。关闭各个头（head）的[门控|gate]（gate），看预测依赖其中的哪些。',
  paragraphs: [],
};

export const wordsRoleNames: Translation<typeof EnglishWordsRoleNames> = {
  previousToken: '前一个',
  induction: '归纳',
  firstToken: '首个',
  diagonal: '自身',
};

const place = ({ layer, head }: Parameters<(typeof EnglishWords)['show']>[0]): string =>
  `第${layer + 1}层头${head + 1}`;

export const words: Translation<typeof EnglishWords> = {
  panel: '文本和头',
  goalTask: '关闭尽可能少的头，使另一个词元成为概率最大的词元。',
  goalReached: (shut, now, before) => `关闭${shut}个头后，“${now}”取代“${before}”排在首位。`,
  text: '你的文本',
  textHint: '英文，最多200个字符；内容不会离开这台设备。',
  textCut: (characters) => `已截取至${characters}个字符。`,
  textEmpty: '请先输入一个词。',
  tokens: (number, most, isCut) => (isCut ? `文本的前${most}个词元。` : `${number}个词元。`),
  loading: '正在加载模型…',
  loaded: (done, total) => `正在加载模型：${done}，共${total}。`,
  opening: '正在打开文件…',
  model: (name, layers, numHeads) => `${name}：${layers}层，${numHeads}个头。`,
  openAll: '打开所有头',
  shutNow: (shut) => (shut === 0 ? '所有头都打开。' : `已关闭${shut}个头。`),

  board: '每一层的每个头，对文本的各个词元',
  layer: (layer) => `第${layer + 1}层`,
  mixed: '混合',
  show: (head, role) => `显示${place(head)}：${role}`,
  gate: (head, rise) =>
    `${place(head)}的门控` + (rise === undefined ? '' : `；去掉它后损失变化${rise}奈特`),
  open: '打开',
  shut: '关闭',
  boardNote:
    '行是查询，列是键；后面的键被掩蔽，画上斜线。头的名称说明在这段文本上它的大部分注意力权重落在哪里，并附上份额；“混合”表示没有一项达到.3。',

  next: '下一个词元',
  nextLabel: '概率最大的下一个词元',
  nextOpen: '所有头打开',
  nextNow: '当前',
  noNext: '这个模型不是因果的：它不预测下一个词元。',
  bar: (token, now, before) =>
    now === before ? `${token}：${now}` : `${token}：${now}，所有头打开时为${before}`,
  axis: (most) => `0到${most}`,

  selected: '选中的头',
  view: '视\u2060图',
  views: { arcs: '弧线', map: '权重图' },
  name: (head, role) => `${head + 1} ${role}`,

  study: '排序、关闭、计时',
  rank: '用消融给头排序',
  ranking: (done, total) => `消融：第${done}次，共${total}次。`,
  ranked: '每个门控旁：去掉该头后，这段文本的损失增加多少，单位为每词元奈特。',
  prune: '关闭最不重要的',
  pruneValue: (number) => `${number}个头`,
  time: '测量去掉已关闭的头后的用时',
  timing: (done, total) => `计时：第${done}对，共${total}对。`,
  stop: '停止',
  stopped: '已停止。',
  cannotPrune: (layer) => `每层必须保留一个头：请打开第${layer + 1}层中的一个。`,
  timed: (whole, pruned, tokens) =>
    `对${tokens}个词元做一次前向传播：去掉已关闭的头后为${pruned} ms，保留所有头为${whole} ms。`,
  ratio: (ratio, lower, upper, pairs) =>
    `${pairs}对交替计时之比的中位数为${ratio}，95\u00a0%区间为${lower}到${upper}：`,
  faster: '更快。',
  slower: '更慢。',
  level: '没有可测的差别。',

  more: '你自己的模型',
  folder: '打开检查点：文件夹',
  files: '或其中的文件',
  checkpointHint:
    '解码器（GPT-2、Llama、Mistral、Qwen2）或编码器（如BERT）的config.json、model.safetensors和tokenizer.json，最大800 MB。文件不会离开这台设备。',
  builtIn: '回到小模型',
  notAModel: '这些文件不是本页能运行的模型。',
  notRun: '模型无法完成这一操作。',
  refused: (reason) => `没有打开。${reason}`,

  exportNames: { board: '一段文本的各个头', selected: '选中的头' },
};

export const checkpoint: Translation<typeof EnglishCheckpoint> = {
  builtInModel: '小型语言模型',

  missing: (names) =>
    `缺少${listOf(names)}。请选择一个文件夹，或同时选择config.json、model.safetensors和tokenizer.json。`,
  sharded:
    '这些权重分在多个文件中（model.safetensors.index.json）。请先把它们保存为一个model.safetensors。',
  large: (bytes, most) => `权重有${formatBytes(bytes)}；本页最多打开${formatBytes(most)}。`,
  malformed: (name) => `${name}不是JSON对象。`,
  noText: '这个模型不读文本：应为带有词元的解码器或编码器。',
  hasEncoder: '这是编码器－解码器模型，除文本外还需要源序列：应为单独的解码器或编码器。',
  unknown: (token) => `分词器中没有${quoted(token)}的词元。`,
  tokens: (token, size) =>
    `tokenizer.json给出了词元${token}，但模型只有${size}个词元：两者不属于同一个模型。`,
  nothingToPredict: '这段文本中没有可预测的下一个词元。',
  download: (status) => `模型文件未能加载（HTTP ${status}）。`,
};
