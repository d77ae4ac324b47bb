/** What the page says around the acts and in all of them, in Simplified Chinese. */
import { choiceOf, listOf, quoted } from '../format/sentences.js';
import type { Translation } from '../format/translation.js';

const address: Translation<typeof import('../address/words.js').words> = {
  choice: (name, given, known, shown) =>
    `地址中的${name}值${quoted(given)}无效：应为${choiceOf(known)}；现使用${shown}。`,
  number: (name, given, min, max, shown) =>
    `地址中的${name}值${quoted(given)}无效：应为${min}到${max}之间的数；现使用${shown}。`,
  list: (name, given, shown) =>
    `地址中的${name}值${quoted(given)}无效；现使用${shown === '' ? '空值' : shown}。`,
  needs: (given, other, wanted) =>
    `已忽略地址中的${quoted(given)}：它需要${other}中有${wanted}项，或没有任何项。`,
  hide: (given, known) =>
    `地址中要隐藏的名称${quoted(given)}未知：应为${listOf(known)}中的若干项。`,
};

const app: Translation<typeof import('./words.js').words> = {
  title: 'headwise：逐头看懂多头注意力',
  heading: '逐头看懂多头注意力',

  footer: {
    source:
      '依据《动手学深度学习》（阿斯顿·张、扎卡里·C. 立顿、李沐、亚历山大·J. 斯莫拉著，剑桥大学出版社，2023）的“多头注意力”一节，沿用其例子和命名。文字为本页自撰。',
    chapter: '在d2l.ai阅读这一节',
    print: '打印整个页面',
  },

  language: {
    label: '语言',
    notLoaded: (name) =>
      `页面的${name}版本未能加载，现以英文显示。请检查网络连接，然后重新加载页面。`,
  },

  present: { start: '演示', leave: '退出', label: '演示' },

  skip: '跳到第一部分',
  navigation: '各部分',
};

const attention: Translation<typeof import('../attention/words.js').words> = {
  map: {
    heads: '每个头的权重',
    title: (head) => `头${head}`,
    row: (query) => `查询${query}`,
    layer: (layer) => `第${layer}层`,
  },

  cell: ({ head, query, key, weight, masked }) =>
    `头${head}，查询${query}，键${key}：权重${weight}${masked ? '，已掩蔽' : ''}`,

  patterns: {
    previousToken: '前一词元',
    induction: '归纳',
    firstToken: '首个词元',
  },

  hint: '指向或点按一个格子，也可以用Tab键和方向键在权重图中移动。',

  legend: {
    // Joined, since narrow legends would break a word anywhere.
    name: '权\u2060重',
    label: '权重的颜色，从0（背景色）到1（该头的全色）',
    masked: '已\u2060掩\u2060蔽',
  },
};

const attentionElement: Translation<typeof import('../attention/words.js').elementWords> = {
  heads: '头',
  queries: '词：各作为一个查询去关注其他词',
  keys: '键',
  layers: '层',
  previousLayer: '上一层',
  nextLayer: '下一层',
  allLayers: '所有层',
  layer: (layer, layers) => `第${layer}层，共${layers}层`,
  map: (layer, head) => `第${layer}层头${head}的注意力权重：纵向为查询，横向为键`,
  model: (layers) => `${layers}层中每个头的注意力权重`,
};

const glossary: Translation<typeof import('../ui/glossary-words.js').words> = {
  ablation: '消融是去掉模型的一部分（例如一个头），再测量模型变差了多少。',
  'attention weight':
    '注意力权重是一个查询的注意力中分给某个键的份额：介于0和1之间，对所有键求和为1。',
  'causal mask': '因果掩码让查询只能关注自己的位置和更早的位置，不能关注后面的位置。',
  'cross-attention': '在交叉注意力中，查询来自一个序列，键和值来自另一个序列。',
  decoder: '解码器逐个词元地写出一个序列，每个词元都依赖于它前面的词元。',
  'dot product': '两个向量的点积是把它们逐个数相乘，再把乘积相加。',
  encoder: '编码器读取整个序列，为其中每个词元给出一个向量。',
  entropy: '权重的熵表示权重有多分散：全部权重在一个键上时为0，所有键的权重相同时最大。',
  gate: '头的门控是与头的输出相乘的一个数：1为打开，0为关闭。',
  gradient: '损失的梯度说明：每个参数增大时，损失如何变化。',
  head: '头是带有自己的查询投影、键投影和值投影的注意力；多个头并列，就是多头注意力。',
  'induction head': '归纳头找到当前词元先前出现的位置，并关注当时跟在其后的词元。',
  key: '一个词元的键是供查询与之比较的向量。',
  mask: '掩码把一些键排除在注意力之外：它们的分数变为−∞，权重变为0。',
  'multi-head attention': '多头注意力让多个头并行计算，拼接它们的输出，再用W_o组合起来。',
  pooling: '注意力汇聚把所有键对应的值按注意力权重求加权平均。',
  projection: '投影是一个线性层：把向量乘以一个由学习得到的参数组成的矩阵。',
  query: '一个词元的查询是与所有键比较的向量，由此找出该词元关注什么。',
  score: '查询对键的分数是二者的点积除以√d，softmax由分数得出注意力权重。',
  'self-attention': '在自注意力中，查询、键和值都是同一个序列的投影。',
  softmax: 'softmax把一组数变成总和为1的正的份额：先对每个数取指数，再除以总和。',
  'valid length': '样本的有效长度说明它有多少个键是真实的；其后的键是填充，会被掩蔽。',
  value: '一个词元的值是参与加权平均的向量。',
};

const ui: Translation<typeof import('../ui/words.js').words> = {
  controls: {
    label: '控件',
    seed: '种子',
    newSeed: '随机种子',
    seedHint: (min, max, shown) => `请输入${min}到${max}之间的整数。页面仍显示种子${shown}的结果。`,
    reset: '重置',
    heads: '头数',
  },

  run: {
    label: '训练',
    start: '开始',
    goOn: '继续',
    pause: '暂停',
    step: '单步',
    again: '重新开始',
    waiting: '正在创建模型。',
    steps: '步数',
  },

  notLoaded: '这一部分未能加载。请检查网络连接，然后重新加载页面。',

  of: (part, whole) => `${part}/${whole}`,

  goal: { name: '你的目标：', reached: '已达成。' },

  failure: {
    title: '该层无法在此运行',
    unsupported:
      '它需要WebAssembly SIMD和异常处理，而此浏览器不支持。Chrome和Edge自95版起、Firefox自100版起、Safari自16.4版起支持。',
    loading: '它的WebAssembly文件未能加载。请检查网络连接，然后重新加载页面。',
    other: '发生了意外错误。重新加载页面也许有用。',
    reason: (said, details) => `${said}详情：${details}`,
  },

  exports: {
    intro: '保存',
    nothingYet: '还没有可保存的内容。',
    formats: { svg: 'SVG', png: 'PNG', json: 'JSON', loop: '循环动画' },
    saveAs: (name, format) => `将${name}保存为${format}`,
    saved: (file) => `已保存为${file}。`,
    failed: (reason) => `没有保存：${reason}`,
    noPicture: '浏览器无法渲染图像。SVG和JSON仍可使用。',
    copyLink: '复制链接',
    copied: '链接已复制。',
    notCopied: '未能自动复制，链接如下：',
    linkLabel: '指向当前视图的链接',
  },
};

const worker: Translation<typeof import('../worker/notice.js').words> = {
  slow: {
    title: '工作线程尚未应答',
    advice:
      '已有20秒没有应答。工作线程可能仍在加载，也可能是机器繁忙：应答到达后会照常使用，不会丢失任何内容。关闭其他标签页也许有用。点“重新开始”可更换工作线程。',
  },
  lost: {
    title: '工作线程已停止',
    advice:
      '浏览器终止了工作线程，或者它的脚本未能加载。页面的其余部分不受影响。点“重新开始”可启动新的工作线程：相同的种子给出相同的运行结果。',
  },
  memory: {
    title: '内存不足',
    advice: '浏览器无法给本页更多内存。请关闭其他标签页，或减少层数和头数，然后重新开始。',
  },
  other: {
    title: '出了问题',
    advice: '请重新开始；如果没有用，请重新加载页面。',
  },
  again: '重新开始',
};

/** All that the page says in Simplified Chinese, by the names that `translatable` knows the words by. */
export const texts = Object.assign(
  { address, app, attention, attentionElement, glossary, ui, worker },
  ...Object.values(import.meta.glob<object>('../{acts/*,questions}/words.zh.ts', { eager: true })),
) as Readonly<Record<string, unknown>>;
