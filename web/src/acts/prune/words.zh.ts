/** What the act prune says, in Simplified Chinese. */
import type { Translation } from '../../format/translation.js';
import type { intro as EnglishPruneIntro } from './intro.js';
import type { words as EnglishPrune } from './words.js';

export const pruneIntro: Translation<typeof EnglishPruneIntro> = {
  short: '剪枝',
  title: '哪些头重要，哪些可以去掉',
  lead: '要评判一种重要性度量，必须知道哪些头重要，所以这里把答案预先植入模型。',
  paragraphs: [
    '模型学习时，十二个头中只有四个打开：两个关注前一个词元，两个找出相同词元上次出现时其后的词元。然后再打开其余的头。其中一些是*尖锐*的（sharp）：注意力集中在一个键上，却毫无贡献。另一些是*安静*的（quiet）：保持随机的初始参数。',
    '[消融|ablation]（ablation）测量去掉一个头后损失增加多少，[梯度|gradient]（gradient）测量损失在该头门控处的斜率。置信度（confidence）和[熵|entropy]（entropy）只测量一个头的注意力权重有多集中。哪些度量会被误导？',
  ],
};

const past: Readonly<Record<Parameters<(typeof EnglishPrune)['pruned']>[0], string>> = {
  previousToken: '关注前一个词元',
  induction: '找出上次跟在其后的词元',
  sharp: '尖锐而没有角色',
  quiet: '安静而没有角色',
};

const measures: Translation<(typeof EnglishPrune)['measures']> = {
  ablation: '消融',
  gradient: '梯度',
  confidence: '置信度',
  entropy: '熵',
};

export const prune: Translation<typeof EnglishPrune> = {
  panel: '植入模型并猜测',
  guess: '先植入，再猜测',
  guessTask: (planted) => `只看权重图，找出真正做事的${planted}个头。`,
  guessReached: (planted) => `${planted}个全都找到了。`,
  guessMissed: (found, planted) => `${planted}个中你找到了${found}个。`,
  plant: '植入并训练',
  stop: '停止',
  progress: (seed, number, total) => `种子${seed}，第${number}个，共${total}个：训练、测量、剪枝。`,
  notYet: '还没有训练模型。训练需要几秒钟。',
  stopped: (seeds) => `已停止。结果来自${seeds}个种子。`,
  done: (seeds) => `已完成。结果来自${seeds}个种子。`,

  tiles: '所有头的权重图',
  maps: '一个测试序列的权重图，纵向为查询，横向为键；被掩蔽的键在查询之后。头的编号是“层.头”。',
  unmarked: (planted) => `标记${planted}个头，然后核对。`,
  marked: (marks, planted) =>
    `已标记${marks}个，共需${planted}个。` + (marks === planted ? '请核对，或取消一个标记。' : ''),
  check: '核对',
  skip: '不猜，直接看',
  roles: {
    previousToken: '前一词元',
    induction: '归纳',
    sharp: '尖锐',
    quiet: '安静',
  },
  toMark: '标记',
  isMarked: '已标记',
  you: '你',
  scores: (planted) => `各自选出的${planted}个头中`,
  scoreRows: { found: '植入的头', without: '去掉后的精度' },
  found: (found, planted) => `${found}/${planted}`,
  loudTitle: '显眼不等于有用。',
  loud: (least, without, whole, ablated) =>
    `置信度选出的头，最大权重的平均值都不低于${least}，但去掉它们后精度为${without}，而保留所有头时为${whole}。去掉消融选出的头后，精度为${ablated}。`,

  importance: '四种度量下的重要性',
  importancePanel: '条形表示什么',
  measures,
  measureNotes: {
    ablation: '去掉该头后损失的增加',
    gradient: '损失在该头门控处的斜率',
    confidence: '最大权重对所有查询的平均',
    entropy: '权重的平均熵：越集中越低',
  },
  verdict: (found, planted, seed) => {
    if (found === planted)
      return `它排在最前的${planted}个头正是植入的${planted}个（种子${seed}）。`;
    return found === 0
      ? `它排在最前的${planted}个头中，没有一个是植入的（种子${seed}）。`
      : `它排在最前的${planted}个头中，${found}个是植入的（种子${seed}）。`;
  },
  overSeeds: (found, planted, seeds) => `${seeds}个种子合计：${found}/${planted}。`,
  chart: (measure, verdict) => `每个头的${measures[measure]}。${verdict}`,
  truth: '植入为',
  truths: { planted: '植入的角色', sharp: '尖锐', quiet: '安静' },
  bars: (seed) => `条形是种子${seed}的各个头，编号为“层.头”。其他种子植入在别处。`,
  place: ({ layer, head }) => `${layer}.${head}`,

  curves: '剪枝曲线，从最不重要的头剪起',
  curvesPanel: '曲线表示什么',
  metric: '显示',
  metrics: { accuracy: '精度', loss: '损失' },
  orders: { ...measures, random: '随机顺序' },
  heads: '剩余的头',
  band: '曲线是各种子的平均；灰色区域是所有随机顺序的范围。每层保留最后一个头。',

  session: '自己动手剪枝',
  sessionPanel: '模型还剩下什么',
  goalTask: '剪枝到只剩四个头，而精度仍不低于95\u00a0%。',
  sessionHint: '剪去一个头，或拖动它的门控：在0处松开，这个头就被剪去。',
  answersHint:
    '这是完整模型预测得最好的测试序列。每个词元下方是预测的下一个词元及其概率；叉号表示预测错误。',
  answered: (right, asked) => `这个序列的${asked}个预测中，${right}个正确。`,
  answer: (symbol, probability, isRight) =>
    `预测为${symbol}，${probability}，${isRight ? '正确' : '错误'}`,
  wrong: '×',
  layer: (layer) => `第${layer}层`,
  head: (head) => `头${head}`,
  gate: ({ layer, head }) => `第${layer}层头${head}的门控`,
  gateValue: (percent) => `${percent}\u00a0%`,
  pruneHead: '剪去',
  pruneLabel: ({ layer, head }) => `剪去第${layer}层头${head}`,
  lastOne: '该层最后一个',
  pruned: (role) => `已剪去。它曾经${past[role]}。`,
  undo: '撤销',
  reset: '全部恢复',
  table: '完整模型与剪枝后的模型',
  whole: '完整',
  left: '剪枝后',
  rows: { heads: '头', loss: '损失', accuracy: '精度', time: '前向传播' },
  milliseconds: (time) => `${time} ms`,
  notTimed: '–',
  measuring: '…',
  ratio: (ratio, lower, upper, pairs) =>
    `剪枝后÷完整：${ratio}，95\u00a0%区间为${lower}到${upper}；取${pairs}对轮流计时的中位数。`,
  tried: (loss, accuracy) => `在这些门控下：损失${loss}，精度${accuracy}。`,
  status: (heads, loss, accuracy) => `剩余${heads}个头：损失${loss}，精度${accuracy}。`,
  reached: (heads, accuracy) => `${heads}个头达到${accuracy}的精度。`,
  reachedIn: (heads, accuracy, ratio) =>
    `${heads}个头达到${accuracy}的精度，用时为原来的${ratio}。`,
  exportNames: {
    maps: '植入模型的权重图',
    importance: '各个头的重要性',
    curves: '剪枝曲线',
  },
};
