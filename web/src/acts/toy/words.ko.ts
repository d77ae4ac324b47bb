/** The act of the toy example in Korean. */
import { listOf } from '../../format/sentences.js';
import type { Translation } from '../../format/translation.js';
import type { words as EnglishToyExperiments } from './experiments-words.js';
import type { intro as EnglishToyIntro } from './intro.js';
import type { words as EnglishToy } from './words.js';

export const toy: Translation<typeof EnglishToy> = {
  flow: {
    label: '입력에서 출력까지 장난감 예제의 형상',
    queries: '쿼리',
    keys: '키와 값',
    validLens: '유효 길이',
    heads: '헤드',
    output: '출력',
    axes: '배치, 길이, 은닉 유닛',
    perSample: '샘플마다 하나',
    headSize: (size) => `각각 은닉 유닛 ${size}개`,
  },
  figure: '장난감 예제의 모든 헤드의 가중치',
  maps: '장난감 예제의 맵',
  broken:
    '입력이 1 대신 무작위 수로 바뀌었고, 그 밖에는 아무것도 바뀌지 않았습니다. 이제 키가 서로 다르므로 헤드마다 키에 주는 가중치가 다릅니다. 출력의 형상은 같습니다.',
  question: '먼저 예측해 보십시오. 무엇이 다섯 헤드를 서로 다르게 만들까요?',
  causes: { parameters: '새 파라미터', keys: '서로 다른 키', training: '학습' },
  skip: '질문 건너뛰기',
  panel: '층의 입력',
  input: '입력',
  inputs: { ones: '모두 1', random: '무작위' },
  steps: '학습 단계',
  taught: (steps, first, now) =>
    `쿼리 1에는 키 1의 값을, 쿼리 2에는 키 2의 값을 출력하는 식으로, 마지막 유효한 키 다음에는 처음으로 돌아가도록 층을 ${steps}단계 학습했습니다. 손실(loss)은 ${first}에서 ${now}까지 줄었습니다.`,
  outcome: {
    ones: '맵은 바뀌지 않았습니다. 모든 키가 같으면 어떤 학습으로도 키를 구별할 수 없습니다.',
    random:
      '어디에 어텐션을 줄지 정해 준 헤드는 없습니다. 헤드마다 자신의 키에 자리를 잡는데, 그것이 항상 목표의 키인 것은 아닙니다. W_o가 모든 헤드의 출력을 결합해 답을 만들기 때문입니다.',
  },
  goal: {
    task: '설정을 하나만 바꾸어 다섯 헤드를 서로 다르게 만드십시오.',
    reached: '헤드의 파라미터는 처음부터 달랐습니다. 키가 서로 달라야 비로소 그 차이가 드러납니다.',
  },
  conclusion: (heads) => `헤드는 ${heads}개, 맵은 ${heads}개 모두 똑같습니다.`,
  reason: (shares) =>
    `모든 키가 같으므로, 어떤 투영(projection)을 쓰든 모든 헤드가 키에 똑같은 점수(score)를 주고 가중치를 유효한 키에 균등하게 나눕니다: ${listOf(shares)}.`,
  share: (fraction, sample) => `샘플 ${sample}에서는 ${fraction}씩`,
};

export const toyIntro: Translation<typeof EnglishToyIntro> = {
  short: '예제',
  title: '장난감 예제',
  lead: '교재는 가장 단순한 입력으로 층을 시험합니다. [쿼리|query](query), [키|key](key), [값|value](value)이 모두 1이고, 샘플 두 개가 한 배치를 이룹니다.',
  paragraphs: [
    '출력에는 쿼리마다 벡터가 하나씩 있으며, 그 크기는 쿼리와 같습니다.',
    '샘플의 [유효 길이|valid length](valid length)는 어텐션을 줄 수 있는 키가 몇 개인지 나타냅니다. 나머지 키는 [마스크|mask](mask)됩니다. 즉 무엇이 들어 있든 가중치가 정확히 0입니다. 마스크된 키는 가중치가 0인 키와 같지 않으므로 빗금으로 표시합니다.',
  ],
};

export const toyExperiments: Translation<typeof EnglishToyExperiments> = {
  label: '세 가지를 모두 시험한 결과',
  before: '모두 1, 시드 1',
  seed: (seed) => `모두 1, 시드 ${seed}`,
  random: '무작위 입력, 시드 1',
  step: (step) => `모두 1, ${step}단계`,
  guess: '내 예측',
  difference: '헤드 간 최대 차이',
  verdict: (guess, isRight) => `예측 “${guess}”: ${isRight ? '맞았습니다' : '틀렸습니다'}.`,
  why: '모든 키가 같으면 k = W_k x가 모든 키에서 같으므로, W_q와 W_k가 무엇이든(새로 뽑았든 학습했든) 한 쿼리의 점수는 모두 같고 가중치는 균등합니다. 키가 서로 달라야만 점수가 달라집니다.',
  skip: '결과로 건너뛰기',
  again: '다시 하기',
};
