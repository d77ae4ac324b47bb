/** What the act translate says, in Simplified Chinese. */
import type { Translation } from '../../format/translation.js';

export const translateIntro: Translation<typeof import('./description.js').intro> = {
  short: '翻译',
  title: '翻译：读出对齐',
  lead: '[编码器|encoder]（encoder）读取用文字写的日期，[解码器|decoder]（decoder）把它写成ISO 8601格式。在交叉注意力（cross-attention）中，解码器的查询关注编码器的输出。',
  paragraphs: [
    '每个输出字符来自哪些输入字符是已知的，所以可以把一个头的[注意力权重|attention weight]（attention weight）与真实的对齐（alignment）作比较。',
  ],
};

export const translate: Translation<typeof import('./words.js').words> = {
  goal: '训练到未见过的日期正确率达95\u00a0%。每个头各读日期的一部分，还是几个头共读同一部分？',
  goalReached: (step) => `第${step}步达到95\u00a0%。`,
  ended: '已完成',
  variant: '模型',
  variants: {
    standard: '标准',
    alone: '编码器无注意力',
    shared: '共享嵌入',
  },
  variantNotes: {
    standard: '编码器和解码器各一层。',
    alone: '编码器的自注意力已关闭：键只编码自己的字符和位置，不知道该字符属于日还是年。',
    shared: '输入、输出和最后的输出层共用一张嵌入表。请比较精度和各个头关注的位置。',
  },

  status: (step, last, accuracy) => `第${step}步，共${last}步：未见过的日期正确率为${accuracy}。`,

  parts: { year: '年', month: '月', day: '日' },
  verdict: {
    learnt: (accuracy, step) => `${step}步后，未见过的日期正确率为${accuracy}。`,
    notLearnt: (accuracy, step) => `没有学会：${step}步后，未见过的日期正确率为${accuracy}。`,
    share: (head, share) => `头${head}（${share}）`,
    specialist: (part, head, share) => `头${head}读取${part}（${share}）。`,
    shared: (part, heads) => `${part}由${heads}共同读取。`,
    none: (part, head, share) => `没有头明确读取${part}；最高的是头${head}（${share}）。`,
    elsewhere:
      '结果正确却没有对齐：编码器在一个位置的输出也含有其他位置的信息，所以这些权重并不显示字符从何而来。',
  },

  text: '让模型读取的日期',
  textKept: (shown) => `字母、数字、空格、逗号和连字符，最多18个。模型读到的是“${shown}”。`,
  textEmpty: '请输入一个日期，例如5 March 2021。',
  noTruth:
    '不属于训练过的日期格式（如March 5, 2021或5 Mar 2021，年份从1000到2999）：没有可供比较的正确答案。',

  figure: '对齐：每个输出字符到它所关注的输入字符',
  padding: (length, longest) =>
    `阴影线：填充。在一个批次中，这个${length}个字符的输入被填充到${longest}个键；有效长度（valid length）把填充掩蔽，所以每个查询给它的权重都是0。`,
  queries: '输出字符',
  output: (number) => `输出${number}`,
  query: (number, character, attended, expected) =>
    `输出${number}，${character}：${attended}。${expected === undefined ? '' : `应为${expected}。`}`,
  attends: (head, key, share) => `头${head}给${key}的权重为${share}`,
  hint: '指向或选中一个输出字符，单独查看它的权重。按一个头，单独查看这个头。',
  space: '空格',

  maps: '各个头的权重：纵向为输出字符，横向为输入字符',
  map: (head, answer, text) => `头${head}：输出${answer}（行）对输入${text}（列）的权重`,
  headAlone: (head) => `单独显示头${head}`,
  best: '最佳',
  outlined:
    '框出的是该输出所来自的字符。条形：在未见过的日期上，该头的权重落在这些字符上的份额；刻度线是均匀权重的位置。',
  shares: '份额',
  shareCurve: '未见过的日期的正确率，以及每个头的权重落在正确字符上的份额',
  dates: '日期正确率',
  loopStep: (step) => `第${step}步`,
  exportName: '对齐图',
};
