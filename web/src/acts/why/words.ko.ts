/** The act of scores and their divisor in Korean. */
import type { Translation } from '../../format/translation.js';
import type { intro as EnglishWhyIntro } from './intro.js';
import type { words as EnglishWhy } from './words.js';

export const why: Translation<typeof EnglishWhy> = {
  rail: '점수의 제수와 표시할 쿼리',
  more: '시드',
  goal: {
    task: '점수의 표준편차가 1(±0.1)이 되는 제수를 두 가지 d에 대해 찾으십시오.',
    first: (d, divisor) => `d = ${d}: ${divisor}. 이제 다른 d를 고르십시오.`,
    reached: (d, divisor, otherD, other) =>
      `d = ${d}일 때 ${divisor}, d = ${otherD}일 때 ${other}입니다. q · k의 표준편차는 √d에 비례해 커지므로, √d로 나누면 모든 d에서 1이 됩니다.`,
  },

  divisor: '점수를 나누는 수',
  divisorValue: (divisor, weight, entropy) =>
    `${divisor}: 최대 가중치 ${weight}, 엔트로피 ${entropy}`,
  marks: '비교할 제수',
  mark: {
    none: (value) => value,
    root: (value) => `√d = ${value}`,
    size: (value) => `d = ${value}`,
  },
  largest: '최대 가중치',
  entropy: '엔트로피',
  ofAtMost: (most) => `/ 최대 ${most}`,
  deviation: '표준편차',

  d: 'd, 헤드의 열 수',
  head: '헤드',
  query: '쿼리',
  queryName: (number, token) => `${number} ${token}`,
  tokens: ['a', 'small', 'cat', 'sleeps', 'on', 'my', 'warm', 'bed'],

  keysTitle: (query) => `쿼리 “${query}”의 키별 가중치`,
  keys: '키의 점수와 가중치: 키를 고르십시오',
  keyColumn: '키',
  scoreColumn: (divisor) => `q · k / ${divisor}`,
  weightColumn: '가중치(소프트맥스)',
  key: (number, token, score, weight) => `키 ${number}, ${token}: 점수 ${score}, 가중치 ${weight}`,
  keysNote: '테두리: 나누기 전. 점선: 1/8, 균등한 가중치.',

  productsTitle: (query, key) =>
    `왜 “${key}”인가: 쿼리 “${query}”에 대한 점수를 곱 하나하나로 보기`,
  products: '쿼리와 키의 성분, 성분의 곱, 곱의 합',
  unit: '곱',
  strips: { q: 'q', k: 'k', product: 'q × k', sum: '합' },
  order: '곱의 순서',
  orders: { unit: '열 순서', product: '큰 것부터' },
  raises: (column, q, k, product) => `${column}열: q ${q} × k ${k} = ${product}, 점수를 높입니다.`,
  lowers: (column, q, k, product) => `${column}열: q ${q} × k ${k} = ${product}, 점수를 낮춥니다.`,
  summary: (query, key, raising, raised, lowering, lowered, score) =>
    `${query} · ${key}: 곱 ${raising}개가 점수를 ${raised}만큼 높이고, ${lowering}개가 ${lowered}만큼 낮춥니다. 그 합이 점수이며 q · k = ${score}입니다.`,
  legend: ['−max', '0', '+max'],
  legendLabel: '부호 있는 수의 색: 음수는 보라색, 0은 옅은 색, 양수는 초록색',
  note: '학습되지 않은 헤드입니다. 임베딩과 파라미터는 무작위이며, 그 분산은 q와 k의 각 성분의 분산이 1이 되도록 정했습니다. 성분은 하나의 색 눈금을 함께 쓰고 곱은 별도의 눈금을 쓰며, 눈금의 끝은 각각의 절댓값의 최댓값인 max입니다. 표준편차는 4개 헤드에서 쿼리 8개와 키 8개의 모든 점수에 대한 것입니다. 곡선은 각 d마다 키가 8개씩인 무작위 쿼리 512개로 구했습니다.',

  chartTitle: 'd에 따른 무작위 쿼리와 키',
  chart: 'd에 따른 가중치의 엔트로피 또는 소프트맥스의 기울기, √d로 나눈 경우와 나누지 않은 경우',
  measure: '측정 대상',
  measures: { entropy: '엔트로피', gradient: '기울기 p(1 − p)' },
  dimension: 'd',
  here: (d) => `d = ${d}`,
  variants: { undivided: '나누지 않은 점수', divided: '√d로 나눈 점수' },
  uniform: {
    entropy: '균등한 가중치: ln 8',
    gradient: '균등한 가중치: 7/64',
  },
  measuring: '측정 중입니다.',
  seen: {
    entropy: (d, undivided, divided, most) =>
      `d = ${d}일 때 엔트로피(entropy)의 평균은 나누지 않으면 ${undivided}, 나누면 ${divided}이며, 최댓값은 ${most}입니다. 나누지 않으면 d가 커질수록 엔트로피가 0에 가까워져 키 하나가 가중치를 모두 차지합니다.`,
    gradient: (d, undivided, divided) =>
      `d = ${d}일 때 가중치 p를 그 점수로 미분한 p(1 − p)의 평균은 나누지 않으면 ${undivided}, 나누면 ${divided}입니다. 나누지 않으면 d가 커질수록 기울기(gradient)가 사라집니다.`,
  },
  reason:
    'q와 k의 성분이 서로 독립이고 평균이 0, 분산이 1이면 각 곱의 분산은 1이고, 곱 d개의 합인 q · k의 분산은 *d*입니다. *√d*로 나누면 점수의 분산은 모든 d에서 1이 됩니다.',

  exports: {
    keys: '키의 가중치',
    products: '점수를 이루는 곱',
    chart: 'd에 따른 엔트로피',
  },
};

export const whyIntro: Translation<typeof EnglishWhyIntro> = {
  short: '이유',
  title: '왜 이 키인가, 왜 √d인가',
  lead: '[점수|score](score)는 곱 d개의 합입니다. 키(key)를 하나 골라 어떤 곱이 점수를 높이고 어떤 곱이 낮추는지 살펴보십시오. 그런 다음 점수의 제수를 1에서 d 너머까지 끌면서 가중치가 어떻게 변하는지 지켜보십시오.',
  paragraphs: [],
};
