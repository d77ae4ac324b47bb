/** What the act why says, in Simplified Chinese. */
import type { Translation } from '../../format/translation.js';
import type { intro as EnglishWhyIntro } from './intro.js';
import type { words as EnglishWhy } from './words.js';

export const whyIntro: Translation<typeof EnglishWhyIntro> = {
  short: '为何',
  title: '为何是这\u2060个\u2060键，为何除以√d',
  lead: '[分数|score]（score）是d个乘积之和。选择一个键，看哪些乘积提高它的分数，哪些降低它的分数；再把分数的除数从1拖到超过d，观察权重的变化。',
  paragraphs: [],
};

export const why: Translation<typeof EnglishWhy> = {
  rail: '分数的除数，以及显示哪个查询',
  more: '种子',
  goal: {
    task: '对两个不同的d，分别找出使分数的标准差为1（±0.1）的除数。',
    first: (d, divisor) => `d = ${d}时为${divisor}。现在换一个d。`,
    reached: (d, divisor, otherD, other) =>
      `d = ${d}时为${divisor}，d = ${otherD}时为${other}。q · k的标准差按√d增长：除以√d后，对任何d都是1。`,
  },

  divisor: '分数除以',
  divisorValue: (divisor, weight, entropy) => `${divisor}：最大权重${weight}，熵${entropy}`,
  marks: '可供比较的除数',
  mark: {
    none: (value) => value,
    root: (value) => `√d = ${value}`,
    size: (value) => `d = ${value}`,
  },
  largest: '最大权重',
  entropy: '熵',
  ofAtMost: (most) => `（最大${most}）`,
  deviation: '标准差',

  d: 'd，每个头的列数',
  head: '头',
  query: '查询',
  queryName: (number, token) => `${number} ${token}`,
  tokens: ['一只', '小', '猫', '在', '我', '温暖的', '床上', '睡觉'],

  keysTitle: (query) => `查询“${query}”如何给各个键加权`,
  keys: '各个键的分数和权重：选择一个键',
  keyColumn: '键',
  scoreColumn: (divisor) => `q · k / ${divisor}`,
  weightColumn: '权重（softmax）',
  key: (number, token, score, weight) => `键${number}，${token}：分数${score}，权重${weight}`,
  keysNote: '空心框：除之前。点线：1/8，即权重均等。',

  productsTitle: (query, key) => `为何是“${key}”：查询“${query}”给它的分数，逐个乘积来看`,
  products: '查询和键的各个分量、它们的乘积，以及乘积之和',
  unit: '乘积',
  strips: { q: 'q', k: 'k', product: 'q × k', sum: '和' },
  order: '乘积的顺序',
  orders: { unit: '按列', product: '从大到小' },
  raises: (column, q, k, product) => `第${column}列：q ${q} × k ${k} = ${product}，提高分数。`,
  lowers: (column, q, k, product) => `第${column}列：q ${q} × k ${k} = ${product}，降低分数。`,
  summary: (query, key, raising, raised, lowering, lowered, score) =>
    `${query} · ${key}：${raising}个乘积使分数提高${raised}，${lowering}个使它降低${lowered}。它们的和就是分数，q · k = ${score}。`,
  legend: ['−max', '0', '+max'],
  legendLabel: '带符号数的颜色：紫色为负，浅色为0，绿色为正',
  note: '这是一个未经训练的头：嵌入和参数都是随机的，其方差使q和k的每个分量的方差为1。分量共用一个色标，乘积另用一个；色标的两端是各自的最大绝对值max。标准差取自所有分数：4个头中8个查询对8个键。曲线：每个d取512个随机查询，每个查询8个键。',

  chartTitle: '随机的查询和键，随d变化',
  chart: '除以√d与不除时，权重的熵或softmax的梯度随d的变化',
  measure: '测量什么',
  measures: { entropy: '熵', gradient: '梯度p(1 − p)' },
  dimension: 'd',
  here: (d) => `d = ${d}`,
  variants: { undivided: '分数不除', divided: '分数除以√d' },
  uniform: {
    entropy: '均匀权重：ln 8',
    gradient: '均匀权重：7/64',
  },
  measuring: '正在测量。',
  seen: {
    entropy: (d, undivided, divided, most) =>
      `d = ${d}时，不除的平均熵为${undivided}，除后为${divided}，最大可能为${most}。不除的话，熵随d增大而趋于0：一个键占去全部权重。`,
    gradient: (d, undivided, divided) =>
      `d = ${d}时，p(1 − p)（权重p对其分数的导数）的平均值不除时为${undivided}，除后为${divided}。不除的话，梯度随d增大而消失。`,
  },
  reason:
    '如果q和k的各分量相互独立，均值为0，方差为1，那么每个乘积的方差为1，d个乘积之和q · k的方差为*d*。除以*√d*后，对任何d，分数的方差都是1。',

  exports: {
    keys: '各个键的权重',
    products: '一个分数的各个乘积',
    chart: '熵随d的变化',
  },
};
