/** What the act inside says, in Simplified Chinese. */
import type { Translation } from '../../format/translation.js';

export const insideIntro: Translation<typeof import('./description.js').intro> = {
  short: '内部',
  title: '注意力层的内部，一步一步看',
  lead: '[多头注意力|multi-head attention]（multi-head attention）层从输入X到输出共九步。每一步都列出数值、形状和书中对应的代码。',
};

export const inside: Translation<typeof import('./words.js').words> = {
  goal: {
    task: '先预测：从第2步起，每个头各自计算。不同头的数最先在哪一步相加？',
    answer: '预测：第几步',
    answers: {
      6: () => '还没有：softmax只处理一个头的分数。再往后看。',
      7: () => '还没有：汇聚只对一个头的值求平均。再往后看。',
      8: () => '还没有：拼接只是把各个头并排放在一起，数值都不变。',
      9: (heads) => `输出的每个数都是对全部${heads}个头求的和。在W_o之前，各个头互不依赖。`,
    },
  },
  previous: '上一步',
  next: '下一步',
  step: '步骤',
  steps: {
    ...{ 1: '投影', 2: '拆分', 3: '点积', 4: '缩放', 5: '掩码' },
    ...{ 6: 'Softmax', 7: '汇聚', 8: '拼接', 9: 'W_o' },
  },
  stepOf: (step, name) => `第${step}步，共9步：${name}`,
  layer: '层',
  head: '头',
  headOf: (head, heads) => `头${head}（共${heads}个）`,

  input: '显示谁的数值',
  inputs: { small: '一个小层', sentence: '您的句子' },
  small: (size) =>
    `一个未经训练的层，参数随机，数值少到可以逐个读出。“您的句子”会加载一个训练好的模型（${size}）。`,
  reads: (tokens, width) =>
    `模型处理您的句子时的实际数值：${tokens}个词元，每个是${width}个数的向量。`,
  empty: '还没有句子。请在页面顶部写一句。',
  unknown: '本页无法计算这个模型各层的输入。',

  sentences: {
    1: ({ isModel, biases }) =>
      `${isModel ? 'X是这一层收到的各词元的向量，已经归一化。' : ''}三个线性层，即[投影|projection]（projection），由X的每一行算出*查询*（query，该词元在寻找什么）、*键*（key，供查询与之比较）和*值*（value，用来求平均）。${biases.qkv ? '每个线性层还加上偏置。' : ''}`,
    2: ({ numHeads, numKvHeads, headSize, isRotated }) =>
      `查询的各列分成${numHeads}组，每组d = ${headSize}列。每一组就是一个[头|head]（head），各自计算注意力。${numKvHeads < numHeads ? `这个模型只有${numKvHeads}组键和值，由各个头共用。` : ''}${isRotated ? '随后，这个模型按词元的位置旋转q和k（旋转位置编码）。这里显示的是旋转后的数。' : ''}`,
    3: ({ headSize }) =>
      `查询与键的[点积|dot product]（dot product）：逐列相乘，再把${headSize}个乘积相加。选择一个键，看哪些乘积提高点积，哪些降低点积。`,
    4: ({ headSize }) =>
      `[分数|score]（score）是点积除以√d。不除的话，许多乘积（这里d = ${headSize}）之和会很大，softmax便把几乎全部权重给一个键。试试别的除数。`,
    5: ({ hasMask }) =>
      hasMask
        ? '[因果掩码|causal mask]（causal mask）：一个词元可以关注自己和前面的词元。后面各键的分数被替换掉，在d2l中换成−10⁶，在headwise中换成−∞。'
        : '这个模型没有[掩码|mask]（mask）：每个词元可以关注所有词元，分数保持不变。',
    6: ({ hasMask }) =>
      `[softmax]把每一行分数变成[注意力权重|attention weight]（attention weights），总和为1。${hasMask ? '被掩蔽的键权重为0。' : ''}`,
    7: (_pass, head) =>
      `注意力[汇聚|pooling]（pooling）：头${head}对每个查询求各个值的平均，注意力权重决定每个值占多少。`,
    8: ({ numHeads, headSize }) =>
      `把所有头的输出并排拼接：${numHeads} × ${headSize} = ${numHeads * headSize}列。数值都不变。`,
    9: ({ numHeads, biases }) =>
      `最后一个线性层W_o把${numHeads}个头组合起来：输出的每个数都是对所有头的各列求的和${biases.output ? '，再加上偏置' : ''}。`,
  },
  code: '书中的代码',
  shapes: '形状',

  figure: (step, heads) => `有${heads}个头的多头注意力，从输入X到输出。${step}`,
  names: {
    ...{ X: 'X', W_q: 'W_q', W_k: 'W_k', W_v: 'W_v' },
    ...{ queries: '查询', keys: '键', values: '值', q: 'q', k: 'k', v: 'v' },
    ...{ dots: 'q kᵀ', scores: 'q kᵀ / √d', masked: '掩蔽后', weights: '权重' },
    ...{ pooled: '权重 · v', concat: '拼接', W_o: 'W_o', output: '输出' },
  },
  timesTransposed: '× 转置',
  spoken: {
    dots: '点积q kᵀ',
    scores: '分数q kᵀ / √d',
    masked: '掩蔽后的分数',
    weights: '注意力权重',
    pooled: '头的输出',
  },
  rowsOfHead: (name, head) => `${name}，头${head}的各行`,
  matrix: (name, shape) => `${name} ${shape}。用方向键逐个读数。`,
  hint: '指向一个数，或按Tab键后用方向键移动。',
  tokenCell: (name, token, column, value) => `${name}，“${token}”，第${column}列：${value}`,
  parameterCell: (name, row, column, value) => `${name}，第${row}行，第${column}列：${value}`,
  pairCell: (name, query, key, value, isMasked) =>
    `${name}，查询“${query}”，键“${key}”：${value}${isMasked ? '，已掩蔽' : ''}`,
  legend: ['−max', '0', '+max'],
  legendLabel: '带符号数的颜色：紫色为负，绿色为正',

  query: '查询',
  keys: '该查询可以关注的键',
  columns: ['分数', '权重'],
  productsTitle: (query, key) => `查询“${query}” · 键“${key}”`,
  strips: { q: 'q', k: 'k', product: 'q × k', sum: '和' },
  order: '乘积的顺序',
  orders: { column: '按列', product: '从大到小' },
  productOf: (column, q, k, product, isNegative) =>
    `第${column}列：q ${q} × k ${k} = ${product}，${isNegative ? '降低' : '提高'}点积。`,
  summary: (query, key, raising, raised, lowering, lowered, dot) =>
    `“${query}” · “${key}”：${raising}个乘积使和提高${raised}，${lowering}个使它降低${lowered}。点积为${dot}。`,

  divisor: 'q · k除以',
  divisorValue: (divisor, weight, entropy) => `${divisor}：最大权重${weight}，熵${entropy}`,
  largest: '最大权重',
  entropy: '权重的熵',
  ofAtMost: (entropy, most) => `${entropy}（最大${most}）`,
  deviation: '该头分数的标准差',
  chartTitle: '为何除以√d：随机的查询和键',
  chart: '除以√d与不除时，权重的熵随d的变化',
  equalWeights: '均匀权重：ln 8',
  measuring: '正在测量。',
  seen: (d, entropy, divided, gradient, dividedGradient) =>
    `d = ${d}时，权重的平均熵不除时为${entropy}，除后为${divided}；权重p的平均梯度p(1 − p)不除时为${gradient}，除后为${dividedGradient}。不除的话，d越大，8个键中的一个就越接近占去全部权重，梯度也随之消失。`,

  exports: { products: '查询与键的各个乘积', chart: '熵随d的变化' },
};
