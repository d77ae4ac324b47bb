/** What the act heads says, in Simplified Chinese. */
import { quoted } from '../../format/sentences.js';
import type { Translation } from '../../format/translation.js';
import type { intro as EnglishHeadsIntro } from './intro.js';
import type { words as EnglishHeadsState } from './state-words.js';
import type { words as EnglishHeads } from './words.js';

export const headsIntro: Translation<typeof EnglishHeadsIntro> = {
  short: '各个头',
  title: '各个头',
  lead: '输入随机时，各个键不同，各个头（head）也就不同，因为每个头都用自己的参数对它们做[投影|projection]（projection）。',
  paragraphs: [
    '这些参数未经训练，所以没有哪个头有强烈的偏好：[注意力权重|attention weight]（attention weights）接近均匀。',
    '先让一个样本只有一个有效的键，再让它一个也没有：还剩下哪些权重？回到全1的输入并改变种子：参数变了，权重图却不变。在植入的模式下，每个头都有一个角色。你也可以输入一个句子，或使用自己的数值。',
  ],
};

const shapeOf = (shape: readonly number[]): string => `(${shape.join(', ')})`;

const some = (names: readonly string[]): string =>
  names.length === 0 ? '空' : names.slice(0, 4).join('、') + (names.length > 4 ? '等' : '');

export const headsState: Translation<typeof EnglishHeadsState> = {
  user: {
    unreadable: '它已损坏，或属于本页不能读取的类型。',
    nothing: '请粘贴若干行数，或嵌套的JSON数组。',
    notJson: '开头像JSON，但不是有效的JSON：请检查括号和逗号。',
    notNumber: (cell, row) =>
      cell === ''
        ? `第${row}行应有数的地方是空的。`
        : `第${row}行应有数的地方是“${cell.slice(0, 20)}”。`,
    noQueries: (names) =>
      `应为含有queries的对象，若keys和values不同，也要一并给出；实际为${some(names)}。`,
    shape: (name, shape, { batch, length, size }) =>
      `${name}的形状应为(词元数, 大小)或(样本数, 词元数, 大小)，最多${batch}个样本、${length}个词元、每个词元${size}个数；实际为${shapeOf(shape)}。`,
    longRow: (row, length, size, digits) =>
      `每行最多${size}个数，每个数最多${digits}个字符；第${row}行有${length}个字符。`,
    notNumbers: (name) => `应全为数；${name}中含有其他内容。`,
    uneven: (name) => `各行应一样长；${name}的各行长短不一。`,
    notFinite: (name) => `应为有限的数；${name}中含有NaN或无穷大。`,
    disagree: (shapes) =>
      `queries、keys和values的样本数应相同，values应与keys一样多；实际为${shapes.map(shapeOf).join('、')}。`,
  },
  corrections: {
    file: (name) => `此视图需要文件${quoted(name)}，链接无法包含文件。请重新选择该文件以查看。`,
    pasted: '此视图需要粘贴的数值，它们超出了链接的容量。请重新粘贴以查看。',
    tooManyNumbers: (longest) => `地址中的数值超过${longest}个字符，已忽略。`,
    numbers: (reason) => `无法读取地址中的数值。${reason}`,
    typed: (name, lines, tokens, characters) =>
      `地址中的${name}超过${lines}行、每行${tokens}个词元或${characters}个字符，已截断。`,
  },
};

export const heads: Translation<typeof EnglishHeads> = {
  figure: '所选输入下每个头的权重',
  maps: '所有头的权重图',
  largest: ({ sample, head, query, key, weight }) =>
    `最大的权重是${weight}，在样本${sample}的头${head}中，由查询${query}给键${key}。`,
  even: '每一行都是均匀的：如果所有键都相同，任何头都无法偏向其中一个。',
  nothing: '没有样本含有有效的键，所以所有权重都是0。',
  pattern: (found, planted) =>
    planted === undefined || planted === found ? found : `${found}，植入的是：${planted}`,
  measures: (largest, entropy) => `max\u00a0${largest}，H\u00a0${entropy}`,
  noKey: '没有有效的键',
  caption:
    '每个头的名称下方：它在该样本中的模式、最大权重，以及H，即各行的平均熵，单位为奈特（每个查询只关注一个键时为0）。放大图的边缘：每一行的和，以及每个键得到的总权重。',
  unnamed: '模式：？',
  goal: {
    task: '找出关注前面第三个词元的头：选择输入“模式”，比较各张权重图，标记这个头。',
    question: '哪个头关注前面第三个词元？',
    answer: (head) => `头${head}关注前面第三个词元`,
    reached: '你从权重图中找出了一个头。',
    outcomes: {
      copy: ({ head, weight, elsewhere }) =>
        `头${head}给前面第三个键的平均权重为${weight}，其他头最多为${elsewhere}。`,
      previousToken: ({ head, weight, onCopy }) =>
        `头${head}关注前一个词元：平均权重为${weight}。前面第三个键得到${onCopy}。`,
      firstToken: ({ head, weight, onCopy }) =>
        `头${head}关注首个词元：平均权重为${weight}。前面第三个键得到${onCopy}。`,
      diagonal: ({ head, weight, onCopy }) =>
        `在头${head}中，每个词元关注自身：平均权重为${weight}。前面第三个键得到${onCopy}。`,
      even: ({ head, onCopy }) => `头${head}对所有键一视同仁。前面第三个键得到${onCopy}。`,
      mixed: ({ head, onCopy }) =>
        `头${head}不偏向任何位置：前面第三个键得到的平均权重为${onCopy}。`,
    },
  },

  patterns: {
    previousToken: '前一词元',
    firstToken: '首个词元',
    diagonal: '自身',
    copy: '前第三个',
    even: '均匀',
    mixed: '混合',
    note: '词元由独热的位置和随机的内容组成。一个头的查询或关注前一个词元，或关注首个词元、自身、前面第三个词元，或同等关注所有词元；哪个头做哪一件，由种子决定。',
    names: '显示名称',
  },

  controls: {
    panel: '层的输入和设置',
    more: '掩码、缩放、暂退、颜色',
    input: '输入',
    inputs: {
      ones: '全1',
      random: '随机',
      patterns: '模式',
      text: '文本',
      own: '自备',
    },
    heads: '头数',
    scale: '缩放系数（× 1/√d）',
    dropout: '暂退率（dropout）',
    causal: '因果掩码',
    contrast: '每个头各自的对比度',
    sample: '样本',
    validLen: (sample) => `样本${sample}的有效长度`,
  },

  typed: {
    label: '文本，每行一个样本',
    hint: (lines, tokens) =>
      `最多${lines}行，每行${tokens}个词元。每个不同的词元都有自己的随机嵌入，在任何位置都相同。`,
    nothing: '请至少输入一个词。权重图仍显示上一次的文本。',
    cut: (lines, tokens, characters) =>
      `最多显示${lines}行，每行${tokens}个词元、${characters}个字符；其余已略去。`,
    tokens: '词元',
    kinds: { words: '单词', letters: '字母' },
    positions: '位置编码',
  },

  user: {
    pasted: '数值，每行一个词元',
    pastedHint: ({ batch, length }) =>
      `CSV或JSON：(词元数, 大小)、(样本数, 词元数, 大小)，或含有名为queries、keys和values的这类数组的对象。最多${batch}个样本，每个${length}个词元。`,
    file: '也可选择或拖入文件',
    fileHint:
      '含queries、keys和values的.npy或.safetensors文件；或含一个层的参数的.safetensors文件。文件不会离开你的机器。',
    heldPasted: (longest) =>
      `正在显示粘贴的数值。它们超过链接可容纳的${longest}个字符：打开此视图链接的人需要重新粘贴。`,
    tooLong: (length, longest) =>
      `最多${longest}个字符；实际为${length}个。更多数值请用文件。权重图仍显示上一次的数值。`,
    heldTensors: (name) => `正在显示${name}中的张量。`,
    heldParameters: (name, prefix) =>
      `正在显示${name}中${prefix === '' ? '' : `“${prefix}”下`}的参数，输入为随机。`,
    failed: (name, reason) => `未能加载${name}。${reason}`,
    tooLarge: (size, largest) => `最大${largest} MB；实际为${Math.ceil(size)} MB。`,
    unknownFile: (name) => `应为.npy、.safetensors、.json或.csv文件；实际为${name.slice(-40)}。`,
    noParameters: (names) =>
      `应为名为queries、keys和values的张量，或一个注意力层的参数（W_q.weight、in_proj_weight、query.weight等）；实际为${some(names)}。`,
    otherLayer: '应为使用线性投影和点积注意力的层，本页只能画这一种。',
  },

  gates: {
    title: '门控',
    intro:
      '门控（gate）在输出投影之前乘以一个头的输出：1表示保持不变，0表示去掉这个头。注意力权重不受影响。',
    gate: (head) => `头${head}的门控`,
    gateShort: '门控',
    open: '全部打开',
    moved: (share) => `输出改变了${share}（相对L2范数）。`,
    still: '所有门控都打开：这就是该层本身的输出。',
    name: '门控的效果',
    bars: '条形表示单独一个门控使输出改变多少（相对L2范数）：实心为门控取当前值，空心为取0。',
    bar: (head, now, without) =>
      `头${head}：门控取当前值时输出改变${now}，去掉该头时改变${without}`,
    now: (share) => `当前 ${share}`,
    without: (share) => `去掉后 ${share}`,
    loud: ({ most, mostShare, least, leastShare }) =>
      `去掉头${most}时输出改变最大（${mostShare}），去掉头${least}时最小（${leastShare}）。这是一个头的贡献大小，不是它的重要性。`,
    untrained: '重要性是去掉一个头后任务完成得差多少，而这一层没有为任何任务训练过。',
    unknownTask: '重要性是去掉一个头后任务完成得差多少，而本页不知道你的参数用于什么任务。',
    importance: '在任务上测量重要性',
  },

  layer: {
    title: '整个层',
    intro:
      '书中的示意图，标有此输入下的实际形状。选择一个部分可查看它的数值；选择一个头会在所有图中选中它。',
    panel: '图中显示什么',
    label: '多头注意力，从查询、键和值到输出',
    name: '该层',
    parts: {
      queries: '查询',
      keys: '键',
      values: '值',
      W_q: 'W_q',
      W_k: 'W_k',
      W_v: 'W_v',
      q: '该头的q',
      k: '该头的k',
      v: '该头的v',
      weights: 'softmax(q kᵀ ÷ √d)',
      pooled: '权重 × v',
      concat: '拼接',
      W_o: 'W_o',
      output: '输出',
    },
    partLabel: (name, shape) => `${name.replace('_', '')}，${shape}：显示数值`,
    headLabel: (head) => `头${head}：选中`,
    headsTitle: (heads) => `${heads}个头`,
    about: {
      queries: (sample) => `样本${sample}的查询，每个查询一行。`,
      keys: (sample) => `样本${sample}的键，每个键一行。`,
      values: (sample) => `样本${sample}的值，每个键一行。`,
      W_q: (_sample, head) => `W_q中为头${head}投影查询的各行。`,
      W_k: (_sample, head) => `W_k中为头${head}投影键的各行。`,
      W_v: (_sample, head) => `W_v中为头${head}投影值的各行。`,
      q: (sample, head) => `样本${sample}的查询，经头${head}投影。`,
      k: (sample, head) => `样本${sample}的键，经头${head}投影。`,
      v: (sample, head) => `样本${sample}的值，经头${head}投影。`,
      weights: (sample, head) => `头${head}对样本${sample}的注意力权重。`,
      pooled: (sample, head) => `头${head}对样本${sample}的输出，门控之前，每个查询一行。`,
      concat: (sample) => `所有头对样本${sample}的输出，经门控后拼接。`,
      W_o: (_sample, head) => `W_o中对应头${head}的各列。`,
      output: (sample) => `样本${sample}的输出，每个查询一行。`,
    },
    numbers: (part) => `${part}的数值`,
    truncated: (rows, columns, shape) => `${shape}的前${rows}行、前${columns}列。`,
    whole: (shape) => `${shape}的全部。`,
  },

  closeUp: {
    title: '放大的权重图',
    name: '放大的权重图',
    label: (head, sample) => `头${head}，样本${sample}，放大图：权重以及各行各列的和`,
  },

  arithmetic: {
    title: '这个权重是怎样算出来的',
    hint: '选择任意权重图中的一个格子。例如：',
    caption: (head, sample, query, key) => `头${head}，样本${sample}：查询${query}，键${key}`,
    columns: ['步骤', '数值', '结果'],
    dot: 'q · k',
    scale: (size, factor) => (factor === '1' ? `÷ √${size}` : `÷ √${size} × ${factor}`),
    mask: '掩码',
    exp: 'exp',
    sum: '÷ 和',
    dropout: '暂退',
    value: '× v',
    more: (count) => `… 还有${count}项`,
    seen: '可见：保留分数',
    hidden: '被掩蔽：分数变为−∞',
    fromLargest: (score, largest) =>
      `e的${score} − ${largest.startsWith('−') ? `(${largest})` : largest}次方，减去的是该行最大的分数`,
    nothing: '该行没有可见的键',
    kept: (rate) => `保留，÷ (1 − ${rate})`,
    dropped: '在这次前向传播中被暂退',
    weighed: '加到该头的输出上',
    sums: (row, column) => `该行之和为${row}，该列之和为${column}。`,
  },

  compare: {
    title: '比较两个头',
    control: '与哪个头比较',
    none: '无',
    head: (head) => `头${head}`,
    name: '两个头之差',
    minus: '减',
    label: (head, other, sample) => `样本${sample}中头${head}的权重减去头${other}的权重`,
    legend: (head, other) => `绿色：头${head}的权重较大；紫色：头${other}较大`,
    ends: (largest) => [`−${largest}`, '0', `+${largest}`],
    legendLabel: (largest) => `差的颜色：从−${largest}（紫）经0（浅色）到${largest}（绿）`,
    same: '两个头的权重相同。',
    largest: (value) => `最大的差是${value}。`,
    cell: ({ query, key, value, masked }) =>
      `查询${query}，键${key}：差为${value}${masked ? '，已掩蔽' : ''}`,
  },
};
