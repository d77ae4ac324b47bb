/** What the act inside says, in Korean. */
import type { Translation } from '../../format/translation.js';

export const insideIntro: Translation<typeof import('./description.js').intro> = {
  short: '내부',
  title: '어텐션 층의 내부를 단계별로',
  lead: '[멀티헤드 어텐션|multi-head attention](multi-head attention) 층은 입력 X에서 출력까지 아홉 단계를 거칩니다. 단계마다 수와 형상, 교재 코드의 해당 줄이 나옵니다.',
};

export const inside: Translation<typeof import('./words.js').words> = {
  goal: {
    task: '예측해 보십시오. 2단계부터 헤드는 저마다 따로 계산합니다. 서로 다른 헤드의 수가 처음 더해지는 단계는 어느 것입니까?',
    answer: '예측한 단계',
    answers: {
      6: () => '아직 아닙니다. 소프트맥스는 한 헤드의 점수만 다룹니다. 더 뒤의 단계를 보십시오.',
      7: () => '아직 아닙니다. 풀링은 한 헤드의 값만 평균합니다. 더 뒤의 단계를 보십시오.',
      8: () => '아직 아닙니다. 연결은 헤드를 나란히 놓을 뿐 수를 바꾸지 않습니다.',
      9: (heads) =>
        `출력의 각 수는 헤드 ${heads}개 모두에 걸친 합입니다. W_o 전까지는 어떤 헤드도 다른 헤드에 의존하지 않습니다.`,
    },
  },
  previous: '이전',
  next: '다음',
  step: '단계',
  steps: {
    ...{ 1: '투영', 2: '분할', 3: '내적', 4: '스케일링', 5: '마스크' },
    ...{ 6: '소프트맥스', 7: '풀링', 8: '연결', 9: 'W_o' },
  },
  stepOf: (step, name) => `9단계 중 ${step}단계: ${name}`,
  layer: '층',
  head: '헤드',
  headOf: (head, heads) => `헤드 ${heads}개 중 ${head}번`,

  input: '어느 층의 수',
  inputs: { small: '작은 층', sentence: '내 문장' },
  small: (size) =>
    `학습되지 않은 층의 무작위 수이며, 하나하나 읽을 만큼 적습니다. “내 문장”을 누르면 학습된 모델(${size})을 불러옵니다.`,
  reads: (tokens, width) =>
    `모델이 내 문장을 읽을 때의 실제 수입니다. 토큰은 ${tokens}개이고, 토큰마다 수 ${width}개로 된 벡터입니다.`,
  empty: '아직 문장이 없습니다. 페이지 맨 위에서 문장을 쓰십시오.',
  unknown: '이 모델의 층에 들어가는 입력은 이 페이지에서 계산할 수 없습니다.',

  sentences: {
    1: ({ isModel, biases }) =>
      `${isModel ? 'X는 이 층이 받는 각 토큰의 벡터이며 정규화되어 있습니다. ' : ''}선형 층 세 개, 곧 [투영|projection](projection)이 X의 각 행에서 *쿼리*(query: 토큰이 찾는 것), *키*(key: 쿼리와 비교되는 것), *값*(value: 평균을 내는 대상)을 만듭니다.${biases.qkv ? ' 저마다 편향도 더합니다.' : ''}`,
    2: ({ numHeads, numKvHeads, headSize, isRotated }) =>
      `쿼리의 열을 d = ${headSize}개씩 ${numHeads}개의 그룹으로 나눕니다. 각 그룹이 하나의 [헤드|head](head)이며, 다른 헤드와 독립적으로 어텐션을 계산합니다.${numKvHeads < numHeads ? ` 이 모델에는 키와 값의 그룹이 ${numKvHeads}개뿐이며 헤드들이 함께 씁니다.` : ''}${isRotated ? ' 이 모델은 이어서 q와 k를 토큰의 위치에 따라 회전합니다(회전 위치 인코딩). 아래는 회전한 뒤의 수입니다.' : ''}`,
    3: ({ headSize }) =>
      `쿼리와 키의 [내적|dot product](dot product)은 열마다 곱한 뒤 그 곱 ${headSize}개를 더한 값입니다. 키를 하나 골라 어떤 곱이 내적을 높이고 어떤 곱이 낮추는지 보십시오.`,
    4: ({ headSize }) =>
      `[점수|score](score)는 내적을 √d로 나눈 값입니다. 나누지 않으면 많은 곱(여기서는 d = ${headSize})의 합이 커져, 소프트맥스가 키 하나에 가중치를 거의 다 줍니다. 다른 수로도 나누어 보십시오.`,
    5: ({ hasMask }) =>
      hasMask
        ? '[인과 마스크|causal mask](causal mask): 토큰은 자신과 앞선 토큰에만 어텐션을 줄 수 있습니다. 뒤에 오는 키의 점수는 d2l에서는 −10⁶, headwise에서는 −∞로 바뀝니다.'
        : '이 모델에는 [마스크|mask](mask)가 없습니다. 모든 토큰에 어텐션을 줄 수 있으므로 점수는 그대로입니다.',
    6: ({ hasMask }) =>
      `[소프트맥스|softmax](softmax)는 점수의 각 행을 합이 1인 [어텐션 가중치|attention weight](attention weight)로 바꿉니다.${hasMask ? ' 마스크된 키의 가중치는 0입니다.' : ''}`,
    7: (_pass, head) =>
      `어텐션 [풀링|pooling](pooling): ${head}번 헤드는 쿼리마다 값들을 평균합니다. 각 값이 얼마나 반영되는지는 어텐션 가중치가 정합니다.`,
    8: ({ numHeads, headSize }) =>
      `모든 헤드의 출력을 나란히 놓습니다. 열은 ${numHeads} × ${headSize} = ${numHeads * headSize}개입니다. 수는 하나도 바뀌지 않습니다.`,
    9: ({ numHeads, biases }) =>
      `마지막 선형 층 W_o가 헤드 ${numHeads}개를 결합합니다. 출력의 각 수는 모든 헤드의 열에 걸친 합입니다.${biases.output ? ' 편향도 더합니다.' : ''}`,
  },
  code: '교재의 코드',
  shapes: '형상',

  figure: (step, heads) => `헤드가 ${heads}개인 멀티헤드 어텐션, 입력 X에서 출력까지. ${step}`,
  names: {
    ...{ X: 'X', W_q: 'W_q', W_k: 'W_k', W_v: 'W_v' },
    ...{ queries: '쿼리', keys: '키', values: '값', q: 'q', k: 'k', v: 'v' },
    ...{ dots: 'q kᵀ', scores: 'q kᵀ / √d', masked: '마스크 적용', weights: '가중치' },
    ...{ pooled: '가중치 · v', concat: '연결', W_o: 'W_o', output: '출력' },
  },
  timesTransposed: '× 전치',
  spoken: {
    dots: '내적 q kᵀ',
    scores: '점수 q kᵀ / √d',
    masked: '마스크를 적용한 점수',
    weights: '어텐션 가중치',
    pooled: '헤드의 출력',
  },
  rowsOfHead: (name, head) => `${name}, ${head}번 헤드의 행`,
  matrix: (name, shape) => `${name} ${shape}. 화살표 키로 수를 읽습니다.`,
  hint: '수를 가리키거나, Tab 키를 누른 뒤 화살표 키로 이동하십시오.',
  tokenCell: (name, token, column, value) => `${name}, “${token}”, ${column}열: ${value}`,
  parameterCell: (name, row, column, value) => `${name}, ${row}행, ${column}열: ${value}`,
  pairCell: (name, query, key, value, isMasked) =>
    `${name}, 쿼리 “${query}”, 키 “${key}”: ${value}${isMasked ? ', 마스크됨' : ''}`,
  legend: ['−max', '0', '+max'],
  legendLabel: '부호 있는 수의 색: 음수는 보라색, 양수는 초록색',

  query: '쿼리',
  keys: '쿼리가 어텐션을 줄 수 있는 키',
  columns: ['점수', '가중치'],
  productsTitle: (query, key) => `쿼리 “${query}” · 키 “${key}”`,
  strips: { q: 'q', k: 'k', product: 'q × k', sum: '합' },
  order: '곱의 순서',
  orders: { column: '열 순서', product: '큰 것부터' },
  productOf: (column, q, k, product, isNegative) =>
    `${column}열: q ${q} × k ${k} = ${product}, 내적을 ${isNegative ? '낮춥니다' : '높입니다'}.`,
  summary: (query, key, raising, raised, lowering, lowered, dot) =>
    `“${query}” · “${key}”: 곱 ${raising}개가 합을 ${raised}만큼 높이고, ${lowering}개가 ${lowered}만큼 낮춥니다. 내적은 ${dot}입니다.`,

  divisor: 'q · k를 나누는 수',
  divisorValue: (divisor, weight, entropy) =>
    `${divisor}: 최대 가중치 ${weight}, 엔트로피 ${entropy}`,
  largest: '최대 가중치',
  entropy: '가중치의 엔트로피',
  ofAtMost: (entropy, most) => `${entropy} / 최대 ${most}`,
  deviation: '헤드 점수의 표준편차',
  chartTitle: '왜 √d인가: 무작위 쿼리와 키',
  chart: 'd에 따른 가중치의 엔트로피, √d로 나눈 경우와 나누지 않은 경우',
  equalWeights: '균등한 가중치: ln 8',
  measuring: '측정 중입니다.',
  seen: (d, entropy, divided, gradient, dividedGradient) =>
    `d = ${d}일 때 가중치의 평균 엔트로피는 나누지 않으면 ${entropy}, 나누면 ${divided}입니다. 가중치 p의 평균 기울기 p(1 − p)는 나누지 않으면 ${gradient}, 나누면 ${dividedGradient}입니다. 나누지 않으면 d가 커질수록 키 8개 중 하나가 가중치를 모두 차지하고 기울기가 사라집니다.`,

  exports: { products: '쿼리와 키의 곱', chart: 'd에 따른 엔트로피' },
};
