/** The act of the figure in Korean. */
import type { MaskName } from './state.js';
import type { Part, StepNumber } from './steps.js';
import type { Translation } from '../../format/translation.js';
import type { intro as EnglishFigureIntro } from './intro.js';
import type { words as EnglishFigure } from './words.js';

const masks: Readonly<Record<MaskName, (validLen: number) => string>> = {
  length: (validLen) =>
    `[유효 길이|valid length](valid length)가 ${validLen}이므로 처음 ${validLen}개의 키에만 어텐션을 줄 수 있습니다. 나머지 키의 점수는 d2l에서는 −10⁶, headwise에서는 −∞로 바뀝니다.`,
  causal: () =>
    '[인과 마스크|causal mask](causal mask): 쿼리 i는 키 1부터 키 i까지에만 어텐션을 줄 수 있습니다. 그 뒤에 오는 키의 점수는 d2l에서는 −10⁶, headwise에서는 −∞로 바뀝니다. 이때 쿼리 i의 유효 길이는 i입니다.',
  none: () => '[마스크|mask](mask)가 없습니다. valid_lens는 None이고 점수는 그대로 유지됩니다.',
};

const steps: Record<StepNumber, string> = {
  1: '투영',
  2: '분할',
  3: '점수',
  4: '스케일링',
  5: '마스크',
  6: '소프트맥스',
  7: '풀링',
  8: '연결',
  9: 'W_o',
};

const names: Record<Part, string> = {
  X: 'X',
  W_q: 'W_q',
  W_k: 'W_k',
  W_v: 'W_v',
  queries: '쿼리',
  keys: '키',
  values: '값',
  q: 'q',
  k: 'k',
  v: 'v',
  scores: 'q kᵀ',
  scaled: 'q kᵀ / √d',
  masked: '마스크 적용',
  weights: '가중치',
  pooled: '가중치 · v',
  concat: '연결',
  W_o: 'W_o',
  output: '출력',
};

const spokenNames: Partial<Record<Part, string>> = {
  scores: '점수 q kᵀ',
  scaled: '스케일링된 점수 q kᵀ / √d',
  masked: '마스크를 적용한 점수',
  weights: '어텐션 가중치',
};

const ofHead: readonly Part[] = ['q', 'k', 'v', 'scores', 'scaled', 'masked', 'weights', 'pooled'];

export const figure: Translation<typeof EnglishFigure> = {
  rail: '멀티헤드 어텐션의 단계',
  numbersRail: '수를 보일 단계와 헤드',
  more: '헤드와 시드',
  goal: {
    task: '분할한 뒤 서로 다른 헤드의 수를 처음으로 결합하는 단계는 어느 것입니까?',
    reached: (heads) =>
      `마지막 단계인 W_o입니다. 출력의 각 수는 헤드 ${heads}개 모두에 걸친 합입니다. 그 전까지는 한 헤드의 어떤 수도 다른 헤드에 의존하지 않습니다.`,
  },
  buttons: '한 단계 뒤로 또는 앞으로',
  previous: '이전',
  next: '다음',
  step: '단계',
  steps,
  stepName: (step) => `${step} ${steps[step]}`,
  stepOf: (step) => `9단계 중 ${step}단계: ${steps[step]}`,
  head: '앞에 놓을 헤드',
  heads: '헤드',
  mask: '마스크',
  masks: { length: '유효 길이 3', causal: '인과', none: '없음' },

  sentences: {
    1: () =>
      '선형 층은 토큰 하나에 해당하는 X의 각 행을 *쿼리*(query: 토큰이 찾는 것), *키*(key: 쿼리와 비교되는 것), *값*(value: 평균을 내는 대상)으로 투영합니다. 이런 선형 층을 [투영|projection](projection)이라고 합니다.',
    2: ({ heads, headSize, hiddens }) =>
      `쿼리, 키, 값의 열 ${hiddens}개를 ${headSize}개씩 ${heads}개의 그룹으로 나눕니다. 각 그룹이 하나의 [헤드|head](head)이며, 여기서부터는 다른 헤드와 독립적으로 자신의 쿼리, 키, 값으로 어텐션을 계산합니다.`,
    3: ({ head }) =>
      `키 j에 대한 쿼리 i의 [점수|score](score)는 두 벡터의 내적이며 i행 j열에 있습니다. 아래는 ${head}번 헤드의 점수입니다.`,
    4: ({ headSize }) =>
      `점수의 분산이 d에 따라 커지지 않도록 각 점수를 √d로 나눕니다. 여기서 d = ${headSize}, 곧 헤드 하나의 열 개수입니다.`,
    5: (sizes) => masks[sizes.mask](sizes.validLen),
    6: ({ mask }) =>
      `[소프트맥스|softmax](softmax)는 점수의 각 행을 쿼리의 [어텐션 가중치|attention weight](attention weight)로 바꾸며, 그 합은 1입니다.${mask === 'none' ? '' : ' 마스크된 키의 가중치는 0이 됩니다.'}`,
    7: ({ head }) =>
      `어텐션 [풀링|pooling](pooling): 쿼리에 대한 ${head}번 헤드의 출력은 그 쿼리의 어텐션 가중치로 가중한 값들의 평균입니다.`,
    8: ({ heads, headSize, hiddens }) =>
      `모든 헤드의 출력을 연결합니다. 열은 ${heads} × ${headSize} = ${hiddens}개입니다. 수는 하나도 바뀌지 않습니다.`,
    9: ({ heads }) =>
      `마지막 선형 층이 헤드 ${heads}개를 결합합니다. 이 층의 열은 헤드별로 묶여 있으며, 출력의 각 수는 모든 헤드에 걸친 합입니다.`,
  },

  code: '교재의 코드',
  shapes: '형상',
  enlarged: (head) => `이 단계의 수, 헤드 ${head}`,

  figure: '입력 X에서 출력까지의 멀티헤드 어텐션',
  exportName: '단계 그림',
  headTab: (head) => `헤드 ${head}`,
  headFront: (head) => `헤드 ${head}: 앞으로 가져오기`,
  names,
  timesTransposed: '× 전치',
  spoken: (part, head) => {
    const plain = spokenNames[part] ?? names[part].replace('_', '');
    return ofHead.includes(part) ? `${head}번 헤드의 ${plain}` : plain;
  },
  box: (name, shape, step) => `${name}, ${shape}: ${step}단계로 이동`,
  empty: (name, step) => `${name}, ${step}단계에서 계산됨: 그 단계로 이동`,
  cell: (name, row, column, value) => `${name}, ${row}, ${column}: ${value}`,
  row: (number) => `${number}행`,
  column: (number) => `${number}열`,
  query: (number) => `쿼리 ${number}`,
  key: (number) => `키 ${number}`,
  maskedValue: '마스크됨',
  rowsCaption: (name, head) => `${name}, ${head}번 헤드의 행`,
  mapCaption: (name) => `${name}: 세로는 쿼리, 가로는 키`,
  hint: '수를 가리키거나, Tab 키로 상자에 가서 화살표 키로 그 안을 이동하십시오. 상자를 누르면 해당 단계로 갑니다.',
  legend: ['−max', '0', '+max'],
  legendLabel: '부호 있는 수의 색: 음수는 보라색, 0은 옅은 색, 양수는 초록색',
  note: '입력은 표준편차가 2인 무작위 토큰 다섯 개이고, 파라미터는 학습되지 않은 상태입니다. 색 막대는 각 헤드의 행이나 열을 표시합니다. X, 파라미터, 모든 투영, 점수, 출력의 색은 저마다 고유한 눈금을 쓰며, 눈금의 끝은 절댓값의 최댓값인 max입니다.',
};

export const figureIntro: Translation<typeof EnglishFigureIntro> = {
  short: '그림',
  title: '단계별로 보는 그림',
  lead: '교재에 실린 [멀티헤드 어텐션|multi-head attention](multi-head attention) 그림에 한 샘플의 수를 채웠습니다. 입력 X에서 출력까지 아홉 단계이며, 단계마다 교재 코드의 해당 줄이 함께 나옵니다.',
  paragraphs: [],
};
