/** What the act figure says, in Simplified Chinese. */
import type { Translation } from '../../format/translation.js';
import type { intro as EnglishFigureIntro } from './intro.js';
import type { words as EnglishFigure } from './words.js';

type Part = keyof (typeof EnglishFigure)['names'];

export const figureIntro: Translation<typeof EnglishFigureIntro> = {
  short: '图解',
  title: '图解，一步一步来',
  lead: '书中[多头注意力|multi-head attention]（multi-head attention）的示意图，配上一个样本的实际数值：从输入X到输出共九步，每一步都附有书中对应的代码。',
  paragraphs: [],
};

const names: Translation<(typeof EnglishFigure)['names']> = {
  X: 'X',
  W_q: 'W_q',
  W_k: 'W_k',
  W_v: 'W_v',
  queries: '查询',
  keys: '键',
  values: '值',
  q: 'q',
  k: 'k',
  v: 'v',
  scores: 'q kᵀ',
  scaled: 'q kᵀ / √d',
  masked: '掩蔽后',
  weights: '权重',
  pooled: '权重 · v',
  concat: '拼接',
  W_o: 'W_o',
  output: '输出',
};

const spokenNames: Readonly<Partial<Record<Part, string>>> = {
  scores: '分数q kᵀ',
  scaled: '缩放后的分数q kᵀ / √d',
  masked: '掩蔽后的分数',
  weights: '注意力权重',
};

/** What each head has a copy of. */
const partsOfHead: readonly Part[] = [
  ...(['q', 'k', 'v', 'scores', 'scaled', 'masked', 'weights', 'pooled'] as const),
];

const steps: Translation<(typeof EnglishFigure)['steps']> = {
  1: '投影',
  2: '拆分',
  3: '分数',
  4: '缩放',
  5: '掩码',
  6: 'Softmax',
  7: '汇聚',
  8: '拼接',
  9: 'W_o',
};

export const figure: Translation<typeof EnglishFigure> = {
  rail: '多头注意力的步骤',
  numbersRail: '所示数值的步骤和头',
  more: '头数和种子',
  goal: {
    task: '拆分之后，哪一步最先把不同头的数组合起来？',
    reached: (heads) =>
      `最后一步，W_o：输出的每个数都是对全部${heads}个头求的和。在此之前，任何一个头的数都不依赖其他头。`,
  },
  buttons: '后退或前进一步',
  previous: '上一步',
  next: '下一步',
  step: '步骤',
  steps,
  stepName: (step) => `${step} ${steps[step]}`,
  stepOf: (step) => `第${step}步，共9步：${steps[step]}`,
  head: '最前面的头',
  heads: '头数',
  mask: '掩码',
  masks: { length: '有效长度3', causal: '因果', none: '无' },

  sentences: {
    1: () =>
      '线性层把X的每一行（一个词元）投影为*查询*（query，该词元在寻找什么）、*键*（key，供查询与之比较）和*值*（value，用来求加权平均）。这样的线性层称为[投影|projection]（projection）。',
    2: ({ heads, headSize, hiddens }) =>
      `查询、键和值的${hiddens}列分成${heads}组，每组${headSize}列。每一组就是一个[头|head]（head）：从这里起，它用自己的查询、键和值计算注意力，与其他头无关。`,
    3: ({ head }) =>
      `查询i对键j的[分数|score]（score）是二者的点积，位于第i行第j列。这里是头${head}的分数。`,
    4: ({ headSize }) =>
      `每个分数除以√d，其中d = ${headSize}是一个头的列数，这样分数的方差就不会随d增长。`,
    5: ({ mask, validLen }) =>
      ({
        length: `[有效长度|valid length]（valid length）为${validLen}：只能关注前${validLen}个键。其余键的分数被替换掉，在d2l中换成−10⁶，在headwise中换成−∞。`,
        causal:
          '[因果掩码|causal mask]（causal mask）：查询i可以关注键1到键i。后面各键的分数被替换掉，在d2l中换成−10⁶，在headwise中换成−∞。这时查询i的有效长度就是i。',
        none: '没有[掩码|mask]（mask）：valid_lens为None，分数保持不变。',
      })[mask],
    6: ({ mask }) =>
      `[softmax]把每一行分数变成一个查询的[注意力权重|attention weight]（attention weights），总和为1${mask === 'none' ? '' : '；被掩蔽的键权重为0'}。`,
    7: ({ head }) =>
      `注意力[汇聚|pooling]（pooling）：头${head}对一个查询的输出，是各个值按该查询的注意力权重求得的加权平均。`,
    8: ({ heads, headSize, hiddens }) =>
      `把所有头的输出拼接（concatenate）起来：${heads} × ${headSize} = ${hiddens}列。数值都不变。`,
    9: ({ heads }) =>
      `最后一个线性层把${heads}个头组合起来：它的列按头分组，输出的每个数都是对所有头求的和。`,
  },

  code: '书中的代码',
  shapes: '形状',
  enlarged: (head) => `这一步的数值，头${head}`,

  figure: '多头注意力，从输入X到输出',
  exportName: '分步图解',
  headTab: (head) => `头${head}`,
  headFront: (head) => `头${head}：移到最前`,
  names,
  timesTransposed: '× 转置',
  spoken: (part, head) => {
    const plain = spokenNames[part] ?? names[part].replace('_', '');
    return partsOfHead.includes(part) ? `头${head}的${plain}` : plain;
  },
  box: (name, shape, step) => `${name}，${shape}：转到第${step}步`,
  empty: (name, step) => `${name}，在第${step}步计算：转到该步`,
  cell: (name, row, column, value) => `${name}，${row}，${column}：${value}`,
  row: (number) => `第${number}行`,
  column: (number) => `第${number}列`,
  query: (number) => `查询${number}`,
  key: (number) => `键${number}`,
  maskedValue: '已掩蔽',
  rowsCaption: (name, head) => `${name}，头${head}的各行`,
  mapCaption: (name) => `${name}：纵向为查询，横向为键`,
  hint: '指向一个数；或用Tab键移到一个方框，再用方向键在其中移动；按下方框可转到对应的步骤。',
  legend: ['−max', '0', '+max'],
  legendLabel: '带符号数的颜色：紫色为负，浅色为0，绿色为正',
  note: '输入：五个词元，随机生成，标准差为2；参数未经训练。彩色的条标出每个头的行或列。X、参数、所有投影、分数和输出各用一个色标，色标的两端是各自的最大绝对值max。',
};
