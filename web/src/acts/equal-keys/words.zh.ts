/** What the act says, in Simplified Chinese. */
import { quoted } from '../../format/sentences.js';
import type { Translation } from '../../format/translation.js';

export const keysIntro: Translation<typeof import('./description.js').intro> = {
  short: '相同的键',
  title: '键相同，权重就相同',
  lead: '书中用全为1的[查询|query]（query）、[键|key]（key）和[值|value]（value）来测试多头注意力层。先预测五个头会给出什么权重，再动手验证。',
  paragraphs: [
    '每个头都用自己的参数对同样的键做[投影|projection]（projection）。如果所有键都相同，投影也就相同，每个查询给它们的[分数|score]（score）便都相等。只有键不同时，才看得出各个头的不同。',
    '[有效长度|valid length]（valid length）规定可以关注多少个键。其余的键被[掩蔽|mask]（masked）：无论内容是什么，权重都恰好为0。它们画上斜线，因为被掩蔽的键与权重为0的键不是一回事。',
  ],
};

export const keysState: Translation<typeof import('./user-data.js').dataWords> = {
  user: {
    unreadable: '它已损坏，或属于本页不能读取的类型。',
    noNames: '空',
    nothing: '请粘贴若干行数，或嵌套的JSON数组。',
    notJson: '开头像JSON，但不是有效的JSON：请检查括号和逗号。',
    emptyCell: (row) => `第${row}行应有数的地方是空的。`,
    notNumber: (row, cell) => `第${row}行应有数的地方是“${cell}”。`,
    noQueries: (names) => `应给出queries；keys和values若不同，也要给出。实际为${names}。`,
    shape: (name, shape, { length, size }) =>
      `${name}的形状应为(词元数, 大小)，最多${length}个词元，每个词元最多${size}个数；实际为${shape}。`,
    notNumbers: (name) => `应全为数；${name}中含有其他内容。`,
    uneven: (name) => `各行应一样长；${name}的各行长短不一。`,
    notFinite: (name) => `应为有限的数；${name}中含有NaN或无穷大。`,
    disagree: (keys, values) => `values应与keys一样多；实际形状为keys${keys}，values${values}。`,
    tooLarge: (size, largest) => `最大${largest} MB；实际为${size} MB。`,
    unknownFile: (name) => `应为.npy、.safetensors、.json或.csv文件；实际为${name}。`,
  },
  corrections: {
    file: (name) => `此视图需要文件${quoted(name)}，链接无法包含文件。请重新选择该文件以查看。`,
    tooManyNumbers: (longest) => `地址中的数值超过${longest}个字符，已忽略。`,
    numbers: (reason) => `无法读取地址中的数值。${reason}`,
  },
};

export const keys: Translation<typeof import('./words.js').words> = {
  predict: {
    label: '问题',
    names: { keys: '键', mask: '掩码', patterns: '模式' },
    questions: {
      keys: '所有键都相同。什么会使各个头不同？',
      mask: '唯一有效的键会得到多少权重？',
      patterns: '哪个头关注前面第三个词元？',
    },
    causes: { parameters: '新的参数', keys: '不同的键', training: '训练' },
    shares: { same: '和现在一样多', heads: '每个头各不相同', one: '每个头都是1' },
    head: (head) => `头${head}关注前面第三个词元`,
    open: {
      keys: '先预测，再在下面验证：改变种子、训练步数或输入。',
      mask: '先预测，再把有效长度调到1。',
      patterns: '比较各张权重图，然后标出一个头。',
    },
    difference: (value) => `相差${value}`,
    verdict: (guess, isRight) => `你预测的是“${guess}”：${isRight ? '正确' : '错误'}。`,
    reached: {
      keys: '相同的键得到相等的分数，与参数无关。',
      mask: '只有一个分数时，softmax的结果就是1。有效长度为0时，所有权重都是0。',
    },
    found: (onCopy, elsewhere) =>
      `正确：前面第三个键的平均权重为${onCopy}，其他头最多为${elsewhere}。`,
    missed: (onCopy, instead) =>
      `不对：前面第三个键的平均权重只有${onCopy}。这个头的模式：${instead}。`,
  },

  controls: {
    input: '输入',
    inputs: { ones: '全1', random: '随机', patterns: '模式', own: '自备' },
    validLen: '有效长度',
    causal: '因果掩码',
    steps: '训练步数',
    names: '显示名称',
  },

  about: {
    ones: '所有查询、键和值都是1。',
    random: '查询和键是随机数，值与键相同。',
    patterns: '词元由独热的位置和随机的内容组成。参数经过专门设计，使每个头遵循一种模式。',
    own: '查询、键和值是你提供的数值。',
    parameters: (seed) => `参数是由种子${seed}产生的随机数。`,
    trained: (steps, first, now) =>
      `训练了${steps}步，目标是对查询1输出键1处的值，依此类推。损失从${first}降到${now}。`,
    difference: (value) => `各头最大相差${value}。`,
    shapes: (queries, all, headSize, output) =>
      `查询${queries}，键和值${all}，每个头${headSize}个隐藏单元，输出${output}。`,
  },

  maps: '所有头的权重图',
  enlarged: '放大的权重图',
  enlargedLabel: (head) => `头${head}，放大图：权重以及各行各列的和`,
  hint: '指向一个格子，或选择一个头。',
  pattern: {
    diagonal: '自身',
    copy: '前第三个',
    even: '均匀',
    single: '只有一个键',
    mixed: '混合',
  },
  unnamed: '模式：？',
  noKey: '没有有效的键',
  measures: (largest, entropy) => `max\u00a0${largest}，H\u00a0${entropy}`,
  caption:
    '行是查询，列是键。每个头的名称下方：它的模式、最大权重，以及H，即各行的平均熵，单位为奈特。一种模式得到一半以上的权重、并比其他模式多出至少0.2时，才会标出它的名称。放大图的边缘：各行各列的和。',

  own: {
    pasted: '数值，每行一个词元',
    hint: (length) =>
      `CSV，或形状为(词元数, 大小)的JSON，或含有名为queries、keys和values的这类数组的对象。最多${length}个词元。`,
    file: '也可选择或拖入文件',
    fileHint: '含queries、keys和values的CSV、JSON、.npy或.safetensors文件。文件不会离开你的机器。',
    tooLong: (length, longest) =>
      `最多${longest}个字符；实际为${length}个。更多数值请用文件。权重图仍显示上一次的数值。`,
    held: (name) => `正在显示${name}。`,
    failed: (name, reason) => `未能加载${name}。${reason}`,
  },

  arithmetic: {
    title: '这个权重是怎样算出来的',
    caption: (head, query, key) => `头${head}：查询${query}，键${key}`,
    columns: ['步骤', '数值', '结果'],
    mask: '掩码',
    sum: '÷ 和',
    more: (count) => `… 还有${count}项`,
    seen: '可见：保留分数',
    hidden: '被掩蔽：分数变为−∞',
    fromLargest: (score, largest) => `e的${score} − ${largest}次方，减去的是该行最大的分数`,
    nothing: '该行没有可见的键',
    weighed: '加到该头的输出上',
    sums: (row, column) => `该行之和为${row}，该列之和为${column}。`,
  },
};
