/** What the act toy says, in Simplified Chinese. */
import type { Translation } from '../../format/translation.js';
import type { words as EnglishToyExperiments } from './experiments-words.js';
import type { intro as EnglishToyIntro } from './intro.js';
import type { words as EnglishToy } from './words.js';

export const toyIntro: Translation<typeof EnglishToyIntro> = {
  short: '小例子',
  title: '小例子',
  lead: '书中用最简单的输入测试多头注意力层：[查询|query]（query）、[键|key]（key）和[值|value]（value）全为1，一个批量含两个样本。',
  paragraphs: [
    '输出中每个查询对应一个向量，大小与查询相同。',
    '样本的[有效长度|valid length]（valid length）说明可以关注多少个键，其余的键被[掩蔽|mask]（masked）：无论内容是什么，权重都恰好为0。它们画上斜线，因为被掩蔽的键与权重为0的键不是一回事。',
  ],
};

export const toy: Translation<typeof EnglishToy> = {
  flow: {
    label: '小例子中从输入到输出的形状',
    queries: '查询',
    keys: '键和值',
    validLens: '有效长度',
    heads: '头',
    output: '输出',
    axes: '批量、长度、隐藏单元',
    perSample: '每个样本一个',
    headSize: (size) => `每个头${size}个隐藏单元`,
  },
  figure: '小例子中每个头的权重',
  maps: '小例子的权重图',
  broken:
    '输入由全1改为随机，其他都没有变。现在各个键不同，每个头给它们的权重也不同。输出的形状不变。',
  question: '先预测：什么会使五个头变得不同？',
  causes: { parameters: '新的参数', keys: '不同的键', training: '训练' },
  skip: '跳过问题',
  panel: '层的输入',
  input: '输入',
  inputs: { ones: '全1', random: '随机' },
  steps: '训练步数',
  taught: (steps, first, now) =>
    `这一层训练了${steps}步，目标是对查询1输出键1处的值，对查询2输出键2处的值，依此类推，到最后一个有效键后再从头开始。损失从${first}降到${now}。`,
  outcome: {
    ones: '权重图没有变化：如果所有键都相同，任何训练都无法区分它们。',
    random:
      '没有谁规定每个头该关注哪里。各个头选定了自己的键，不一定是目标所在的键：W_o把所有头的输出组合成答案。',
  },
  goal: {
    task: '只改变一个设置，使五个头变得不同。',
    reached: '各个头的参数其实一直不同；只有键不同时，这一点才看得出来。',
  },
  conclusion: (heads) => `${heads}个头，${heads}张相同的权重图。`,
  reason: (shares) =>
    `所有键都相同，因此每个头无论用什么投影，给它们的分数都相等，权重便均匀地分在有效的键上：${shares.join('，')}。`,
  share: (fraction, sample) => `样本${sample}中各为${fraction}`,
};

export const toyExperiments: Translation<typeof EnglishToyExperiments> = {
  label: '三种原因都试一遍',
  before: '全1，种子1',
  seed: (seed) => `全1，种子${seed}`,
  random: '随机输入，种子1',
  step: (step) => `全1，第${step}步`,
  guess: '你的预测',
  difference: '各头最大相差',
  verdict: (guess, isRight) => `你预测的是“${guess}”：${isRight ? '正确' : '错误'}。`,
  why: '如果所有键都相同，k = W_k x对每个键都一样，于是一个查询的所有分数相等，权重均匀，无论W_q和W_k是重新抽取的还是训练过的。只有不同的键才会得到不同的分数。',
  skip: '直接看结果',
  again: '再放一遍',
};
