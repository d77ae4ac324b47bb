/** What the act look says, in Simplified Chinese. */
import { formatBytes } from '../../format/numbers.js';
import { listOf, quoted } from '../../format/sentences.js';
import type { Translation } from '../../format/translation.js';
import type { Head } from '../../worker/heads.js';

const place = ({ layer, head }: Head): string => `第${layer + 1}层头${head + 1}`;
const shapeOf = (numHeads: readonly number[]): string =>
  new Set(numHeads).size === 1
    ? `${numHeads.length}层，每层${numHeads[0]}个头`
    : `${numHeads.length}层，各有${numHeads.join('、')}个头`;

export const lookIntro: Translation<typeof import('./first/words.js').intro> = {
  short: '观察',
  title: '观察：四个头，一个句子',
  lead: '每个[头|head]（head）都以自己的方式回答同一个问题：*我该看哪些词？*',
};

export const reading: Translation<typeof import('../../reading/sentence-field.js').words> = {
  label: '你的句子（英文）',
  examples: '例句',
  starts: '正在加载模型。',
  notRead: '模型未能读取这个句子。',
  loading: (done, total) => `正在加载模型：${done}，共${total}。`,
  cut: (maxCharacters) => `只保留前${maxCharacters}个字符。`,
};

export const first: Translation<typeof import('./first/words.js').words> = {
  hint: '指向或点按一个词：弧线通向它所关注的词。按一个头，就只显示这个头的弧线。',
  label: '一个训练好的模型中，四个头在一个句子里的关注对象',
  roles: {
    previous: '前一个词',
    itself: '词自身',
    followed: '上次的后一词',
    earlier: '前面的同一个词',
    many: '许多词',
  },
  names: {
    query: '你指向的词给出*查询*（query）：这个词在寻找什么。',
    key: '每个词都给出一个*键*（key），查询与每个键比较。两者越匹配，*注意力权重*（attention weight）越大，弧线越粗。一个头的权重之和为1。',
    value: '每个词还给出一个*值*（value）。头的输出是这些值按注意力权重的加权平均。',
    head: '一个*头*（head）用自己的参数完成这一切。*多头注意力*（multi-head attention）让多个头并行计算，把它们的输出拼接起来，再做一次投影。',
  },
  source: (names) =>
    `这些权重由一个用headwise训练的小型语言模型算出：${names.join('、')}。模型使用[因果掩码|causal mask]：任何词都不关注它后面的词。`,
  ownHint: (size) => `开始输入时，页面才加载模型（${size}）。你写的内容不会离开这台设备。`,
  pieces: '模型不认识的词会拆成几段。',
  notLoaded: '模型的代码未能加载。请检查网络连接，然后重新输入。',

  textEmpty: '请先输入一个词。',
  tokens: (number) => `模型读取${number}个词元。`,
  omitted: (tokens, omittedWords) => `它只读前${tokens}个：最后${omittedWords}个词被略去。`,
  headName: place,
};

export const lookRoleNames: Translation<typeof import('./words.js').roleNames> = {
  previousToken: '前一个',
  induction: '归纳',
  firstToken: '首个',
  diagonal: '自身',
};

export const look: Translation<typeof import('./words.js').words> = {
  goalTask: '关闭尽可能少的头，使另一个词元成为概率最大的词元。',
  goalReached: (shut, now, before) => `关闭${shut}个头后，“${now}”取代“${before}”排在首位。`,
  waits: '来到这里时才加载模型。',
  model: (name, numHeads) => `${name}：${shapeOf(numHeads)}。`,
  openAll: '打开所有头',
  shutNow: (shut) => (shut === 0 ? '所有头都打开。' : `已关闭${shut}个头。`),
  noSuchHead: (given, numHeads) =>
    `模型有${shapeOf(numHeads)}。已忽略地址中的${given.join('和')}。`,

  boardTitle: '所有的头，逐层排列',
  boardNote:
    '行是查询，列是键；画上斜线的键被掩蔽。头的名称取自在这个句子中得到它大部分权重的词元；若没有一个名称领先其余20个百分点，则为“混合”。按住Alt键点击权重图可关闭该头。',
  mixed: '混合',
  tile: (head, role) => `${place(head)}：${role}`,
  show: (head, role, isOpen) => `显示${place(head)}：${role}${isOpen ? '' : '，已关闭'}`,
  gate: (head) => `${place(head)}的门控`,
  open: '打开',
  shut: '关闭',

  next: (token) => `“${token}”之后的词元`,
  nextOpen: '所有头打开',
  nextNow: '当前',
  noNext: '这个模型不是因果的：它不预测下一个词元。',
  bar: (token, now, before) =>
    now === before ? `${token}：${now}` : `${token}：${now}，所有头打开时为${before}`,
  axis: (most) => `0到${most}`,
  lens: '每一层会预测什么',
  output: '输出',
  after: (layer) => (layer === 0 ? '嵌入' : `第${layer}层`),

  selected: '选中的头',
  view: '视\u2060图',
  views: { arcs: '弧线', map: '权重图' },

  more: '打开一个模型',
  folder: '文件夹',
  files: '一个GGUF文件，或文件夹中的各个文件',
  address: '以上任一种的地址',
  openAddress: '打开',
  cancel: '取消',
  modelHint:
    '文件夹中须有解码器（如GPT-2、Llama、Qwen）或编码器（如BERT）的config.json、model.safetensors和tokenizer.json。权重最大800 MB。任何内容都不会离开这台设备。',
  builtIn: '回到小模型',
  notAModel: '这些文件不是本页能运行的模型。',
  refused: (reason) => `没有打开。${reason}`,

  exportNames: { board: '一个句子的所有头', selected: '选中的头' },
};

export const checkpoint: Translation<typeof import('../../worker/checkpoint-error.js').words> = {
  builtInModel: '小型语言模型',

  missing: (names) =>
    `缺少${listOf(names)}。请选择包含config.json、model.safetensors和tokenizer.json的文件夹，或一个GGUF文件。`,
  sharded:
    '这些权重分在多个文件中（model.safetensors.index.json）。请先把它们保存为一个model.safetensors。',
  large: (bytes, most) => `权重有${formatBytes(bytes)}；本页最多打开${formatBytes(most)}。`,
  malformed: (name) => `${name}不是JSON对象。`,
  noText: '这个模型不读文本：应为带有词元的解码器或编码器。',
  hasEncoder: '这是编码器－解码器模型，除文本外还需要源序列：应为单独的解码器或编码器。',
  unknown: (token) => `分词器中没有${quoted(token)}的词元。`,
  tokens: (token, size) =>
    `tokenizer.json给出了词元${token}，但模型只有${size}个词元：两者不属于同一个模型。`,
  download: (name, status) =>
    status === 404
      ? `未找到模型文件${name}（404）。`
      : `服务器拒绝了模型文件${name}（${status}）。`,
  unreachable: (name) =>
    `模型文件${name}未能加载。请检查网络连接；其他网站的服务器须允许本页读取它（CORS）。`,
  address: (written) => `${quoted(written)}不是地址：应以https://开头。`,
};
