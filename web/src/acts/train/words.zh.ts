/** What the act train says, in Simplified Chinese. */
import type { Translation } from '../../format/translation.js';
import type { Head } from '../../worker/heads.js';
import type { Look, Ran } from './words.js';
import { copyOffset } from '../../worker/training.js';

export const trainIntro: Translation<typeof import('./description.js').intro> = {
  short: '训练',
  title: '训练：看头如何担起角色',
  lead: '训练一个小模型，看它的头（head）如何学习。一条曲线上升，说明一个头正在担起一个角色。',
  paragraphs: [
    '模型只有注意力层。每个任务都规定了每个查询（query）应当关注哪个键（key）；权重图旁的曲线显示该头的[注意力权重|attention weight]（attention weight）有多大份额落在这些键上。拖动损失曲线上的手柄，或按下一个事件，就能看到每个头在那一步之后的样子。',
    '[归纳|induction head]（induction）需要相邻两层中的两个头：第一个关注前一个词元；第二个借此找出相同词元上次出现时其后的词元。权重图下方的弧线对一个查询画出这两步：指向或点按一个词元。',
  ],
};

const place = ({ layer, head }: Head): string => `第${layer + 1}层头${head + 1}`;

const cameTo = ({ step, accuracy, goalStep }: Ran): string =>
  goalStep === undefined ? `${step}步后精度为${accuracy}` : `在第${goalStep}步达到99\u00a0%的精度`;

const looks = ({ layer, head, key, symbol, weight }: Look): string =>
  `位置${key + 1}（${symbol}），在第${layer + 1}层头${head + 1}中，权重为${weight}`;

export const train: Translation<typeof import('./words.js').words> = {
  goalTask: '达到99\u00a0%的精度。然后只用一层试试：它能完成两层的工作吗？',
  goalReached: (step, layers, seed) => `${layers}层、种子${seed}：用了${step}步。`,
  goalAnswered: (more, one) =>
    `${more.layers}层：${cameTo(more)}。1层：${cameTo(one)}。${one.goalStep === undefined ? '一层不够。' : '对这个任务，一层就够了。'}`,
  pin: '固定这次运行',
  unpin: '取消固定',
  now: '当前',
  pinnedName: '固定的运行',
  pinned: (run, task, { layers, heads, seed }) =>
    `固定的运行（${task}，${layers}层，每层${heads}个头，种子${seed}）：${cameTo(run)}。`,
  compared: {
    notReached: '这次运行尚未达到99\u00a0%。',
    alone: (step) => `这次运行在第${step}步达到99\u00a0%，固定的那次没有达到。`,
    same: '这次运行在同一步达到99\u00a0%。',
    other: (step, steps, isSooner) =>
      `这次运行在第${step}步达到99\u00a0%，${isSooner ? '早' : '晚'}了${steps}步。`,
  },
  handle: '显示的步',
  more: '学习率、种子和损失轴',
  task: '任务',
  tasks: {
    induction: '归纳',
    recall: '回忆',
    sort: '排序',
    reverse: '反转',
    copy: '复制',
    previous: '前一词元',
  },
  explanations: {
    induction: '一个随机序列重复出现。从第二次出现起，每个位置都要预测下一个词元。',
    recall: '先是若干名称，每个后面跟着它的值；然后只有名称，要预测它们的值。',
    sort: '若干项，一个分隔符，然后是排好序的同样各项：每个位置都要预测下一项。',
    reverse: '若干项，一个分隔符，然后是倒序的同样各项，从最后一项到第一项。',
    copy: `每个位置都要预测往前第${copyOffset}个词元。`,
    previous: '每个位置都要预测前一个词元。',
  },
  layers: '层数',
  heads: '每层头数',
  rate: '学习率',
  speed: '每秒步数',
  speeds: { '1': '1', '10': '10', '60': '60', full: '全速' },
  status: (step, loss, accuracy, last) =>
    `第${step}步${last === undefined ? '' : `，共${last}步`}：损失${loss}，精度${accuracy}。`,
  ended: (step) => `运行在第${step}步结束。`,
  goal: (step) => `第${step}步：精度达到99\u00a0%。`,
  took: (step, where, keys) => `第${step}步：${place(where)}开始关注${keys}。`,
  left: (step, where, keys) => `第${step}步：${place(where)}不再关注${keys}。`,
  log: '事件',
  nothingYet: '还没有头担起角色。',
  target: '目标',
  composition: '序列的词元：一个查询关注什么',
  token: (position, symbol, target) =>
    `位置${position}：${symbol}${target === undefined ? '' : `，目标${target}`}`,
  arc: (where, weight) => `${place(where)}：${weight}`,
  oneLook: (query, symbol, look) =>
    `查询${query}（${symbol}）最关注${looks(look)}。只有一层时，键只知道自己的词元，不知道它前面的词元。`,
  twoLooks: (query, symbol, look, back) =>
    `查询${query}（${symbol}）最关注${looks(look)}。那个位置自己最关注${looks(back)}：${
      back.symbol === symbol ? '正是查询所持的词元。' : '不是查询所持的词元。'
    }`,
  card: ({ layer, head }, seen, scores) => `头${head + 1} ${seen}。第${layer + 1}层，${scores}`,
  noRole: '尚无角色',
  scores: '权重落在此处的份额：',
  roleRule: (enough, enoughForPrevious, tooLittle) =>
    `横线：份额达到${enough}时担起角色（前一词元为${enoughForPrevious}），低于${tooLittle}时失去角色。`,
  rightKeys: {
    induction: '相同词元上次出现时其后的词元',
    recall: '名称对应的值',
    sort: '排序后的下一项',
    reverse: '倒序的下一项',
    copy: `往前第${copyOffset}个词元`,
    previous: '前一个词元',
  },
  firstKey: '首个词元',
  rightKey: '正确的键',
  scoreName: (name, keys) => `${name}（${keys}）`,
  lossCurve: '损失随训练步数的变化',
  loss: '损失',
  lossTraining: '训练',
  lossUnseen: '未见过的',
  guessing: '均匀猜测',
  scale: '损失轴',
  scales: { log: '对数', linear: '线性' },
  loopStep: (step, accuracy) => `第${step}步：正确率${accuracy}\u00a0%`,
  exportName: '训练过程',
  enlarged: ({ layer, head }) => `第${layer + 1}层，头${head + 1}`,
  enlargedLabel: ({ layer, head }) =>
    `第${layer + 1}层，头${head + 1}：所有查询（行）对所有键（列）的权重`,
  enlargedHint: '选择一个头，放大它的权重图。',
  cell: (query, querySymbol, key, keySymbol, weight) =>
    `查询${query}（${querySymbol}）给键${key}（${keySymbol}）的权重为${weight}。`,
  later: (query, querySymbol, key, keySymbol) =>
    `查询${query}（${querySymbol}）不能关注键${key}（${keySymbol}），因为它在后面。`,
};
