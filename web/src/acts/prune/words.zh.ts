/** What the act prune says, in Simplified Chinese. */
import type { Translation } from '../../format/translation.js';

export const pruneIntro: Translation<typeof import('./description.js').intro> = {
  short: '剪枝',
  title: '哪些头重要，哪些可以去掉',
  lead: '要检验一种重要性度量，必须知道正确答案，所以这里把答案预先植入模型。然后用同样的度量给真实的模型剪枝。',
  paragraphs: [
    '植入的模型学习时，十二个头中只打开四个：两个关注前一个词元，两个找出同一词元上次出现后跟着的词元。然后再打开其余八个。*尖锐*的头（sharp）把几乎全部权重放在一个键上，却毫无贡献。*安静*的头（quiet）保持随机的初始参数。',
    '[消融|ablation]（ablation）测量去掉一个头后损失增加多少。[梯度|gradient]（gradient）是损失在该头门控处的斜率。置信度（confidence）和[熵|entropy]（entropy）只测量一个头的权重有多集中。哪些度量会被误导？',
    '在语言模型里，没有人知道正确答案。那里由损失来判断：在训练时没有用过的文本上，损失增加多少。',
  ],
};

export const prune: Translation<typeof import('./words.js').words> = {
  guess: '找出植入的头',
  guessTask: (planted) => `只看权重图，找出真正做事的${planted}个头。`,
  guessed: (found, planted) => `${planted}个中你找到了${found}个。`,
  shown: '已显示所有头的角色。',
  otherSeed: '换一个种子',
  plant: '植入并训练',
  stop: '停止',
  progress: (seed, number, total) => `种子${seed}，第${number}个，共${total}个：训练、测量、剪枝。`,
  notYet: '这个种子还没有训练。',
  notTrained: (seeds) => `训练这个种子和其后${seeds - 1}个种子需要几秒钟。`,
  builtIn: (seeds) => `种子1到${seeds}的结果随页面提供。`,
  results: (seeds, isDone) => `${isDone ? '已完成' : '已停止'}。结果来自${seeds}个种子。`,

  task: '模型依次读这些字母；序列一开始重复，它就预测下一个字母，即每个字母下方的那个。',
  maps: '每个头在这些字母上的权重，纵向为查询，横向为键。头的编号是“层.头”。',
  unmarked: (planted) => `标记${planted}个头，然后核对。`,
  marked: (marks, planted) =>
    `已标记${marks}个，共需${planted}个。` + (marks === planted ? '请核对，或取消一个标记。' : ''),
  check: '核对',
  skip: '显示角色',
  again: '重新猜测',
  roles: {
    sharp: '尖锐',
    quiet: '安静',
  },
  toMark: '标记',
  isMarked: '已标记',
  you: '你',
  scores: (planted) => `各自选出的${planted}个头中`,
  scoreRows: { found: '植入的头', without: '去掉后的精度' },
  loudTitle: '显眼不等于有用。',
  loud: (least, without, whole, ablated) =>
    `置信度选出的头，最大权重的平均值都不低于${least}。但去掉这些头后精度为${without}，而保留所有头时为${whole}。去掉消融选出的头后，精度为${ablated}。`,

  importance: '评判各种度量',
  measureNotes: {
    ablation: '去掉该头后损失的增加',
    gradient: '损失在该头门控处的斜率',
    confidence: '最大权重的平均值',
    entropy: '权重集中时低',
  },
  verdict: (found, planted, seed) =>
    `种子${seed}：排在最前的${planted}个头中，植入的有${found}个。`,
  overSeeds: (found, planted, seeds) => `${seeds}个种子合计：${found}/${planted}。`,
  chart: (measure, verdict) => `每个头的${measure}。${verdict}`,
  truth: '这个头',
  truths: {
    planted: '植入：模型需要它',
    sharp: '尖锐：几乎全部权重在一个键上，毫无作用',
    quiet: '安静：保持随机的初始参数',
  },
  bars: (seed) => `条形是种子${seed}的各个头。其他种子中，植入的头编号不同。`,

  curves: '从最不重要的头剪起',
  accuracy: '精度',
  orders: {
    ablation: '消融',
    gradient: '梯度',
    confidence: '置信度',
    entropy: '熵',
    random: '随机顺序',
  },
  heads: '剩余的头',
  band: '曲线是各种子的平均；灰色区域是所有随机顺序的范围。每层保留最后一个头。',

  model: '给语言模型剪枝',
  modelGoal: '尽量多剪去一些头，留出文本上的损失最多增加5\u00a0%。',
  modelReached: (pruned, all, more) =>
    `${all}个头剪去了${pruned}个，损失只增加${more}。没有哪种顺序能剪得更多。`,
  cut: '要剪去的头',
  order: '排序依据（最好的在前）',
  cutStatus: (pruned, all, loss, more, isWithin) =>
    pruned === 0
      ? `全部${all}个头：留出文本上的损失为${loss}。`
      : `${all}个头剪去${pruned}个：留出文本上的损失为${loss}，增加${more}${isWithin ? '' : '，太多了'}。`,
  modelCurves: '留出文本上的损失与剩余的头',
  heldOutLoss: '留出文本上的损失，每词元 nat 数',
  heldOut: '训练时没有用过留出文本。一半用来给头排序，另一半用来测量损失。',
  which: '语言模型的头',
  rankOrigin: '排序的来源',
  rank: '在这里重新排序',
  notRanked: '排序要让模型运行几百次，需要一分钟或更久。',
  ranked: '这个排序随页面提供。在这里重做大约需要一分钟。',
  ranking: (share) => `正在排序：已完成${share}。`,
  rankedHere: '已完成。这个排序是在这里做的。',
  rankingStopped: (orders) => `已停止。图中有${orders}种顺序。`,
  rankingFailed: (reason) => `排序失败：${reason}`,

  nextToken: '你的句子的下一个词元',
  changeSentence: '修改',
  top: (before, after, isSame) =>
    isSame ? `最可能的预测仍是“${before}”。` : `最可能的预测从“${before}”变为“${after}”。`,
  token: '词元',
  whole: '所有头',
  left: '剪枝后',
  notRead: '剪去一个头，模型就会加载并读你的句子。',
  notCausal: '这个模型不预测下一个词元，所以没有留出文本上的损失。',
  exportNames: {
    maps: '植入模型的权重图',
    importance: '各个头的重要性',
    curves: '剪枝曲线',
    model: '语言模型的剪枝曲线',
  },
};
