/** The act of training in Korean. */
import type { Translation } from '../../format/translation.js';
import type { Head } from '../../worker/heads.js';
import type { Look, Ran } from './words.js';
import { copyOffset } from '../../worker/training.js';

const place = ({ layer, head }: Head): string => `${layer + 1}층 ${head + 1}번 헤드`;

const layersOf = (layers: number): string => `층 ${layers}개`;

const cameTo = ({ step, accuracy, goalStep }: Ran): string =>
  goalStep === undefined
    ? `${step}단계 뒤 정확도 ${accuracy}`
    : `${goalStep}단계에서 정확도 99\u00a0%`;

const looks = ({ layer, head, key, symbol, weight }: Look): string =>
  `${layer + 1}층 ${head + 1}번 헤드에서 위치 ${key + 1}(${symbol})에 주며, 가중치는 ${weight}입니다`;

export const train: Translation<typeof import('./words.js').words> = {
  goalTask:
    '정확도 99\u00a0%에 도달하십시오. 그런 다음 층을 하나만 써 보십시오. 두 층이 하는 일을 한 층이 할 수 있습니까?',
  goalReached: (step, layers, seed) => `${layersOf(layers)}, 시드 ${seed}: ${step}단계.`,
  goalAnswered: (more, one) =>
    `${layersOf(more.layers)}: ${cameTo(more)}. 층 1개: ${cameTo(one)}. ${one.goalStep === undefined ? '한 층으로는 부족합니다.' : '이 과제에는 한 층으로 충분합니다.'}`,
  pin: '이 실행 고정',
  unpin: '고정 해제',
  now: '현재',
  pinnedName: '고정한 실행',
  pinned: (run, task, { layers, heads, seed }) =>
    `고정한 실행(${task}, ${layersOf(layers)}, 층마다 헤드\u00a0${heads}개, 시드\u00a0${seed}): ${cameTo(run)}.`,
  compared: {
    notReached: '이 실행은 99\u00a0%에 도달하지 못했습니다.',
    alone: (step) =>
      `이 실행은 ${step}단계에서 99\u00a0%에 도달했고, 고정한 실행은 도달하지 못했습니다.`,
    same: '이 실행은 같은 단계에서 99\u00a0%에 도달했습니다.',
    other: (step, steps, isSooner) =>
      `이 실행은 ${step}단계에서 99\u00a0%에 도달했습니다. 고정한 실행보다 ${steps}단계 ${isSooner ? '빠릅니다' : '늦습니다'}.`,
  },
  handle: '표시할 단계',
  more: '학습률, 시드, 손실 축',
  task: '과제',
  tasks: {
    induction: '귀납',
    recall: '회상',
    sort: '정렬',
    reverse: '뒤집기',
    copy: '복사',
    previous: '이전 토큰',
  },
  explanations: {
    induction:
      '무작위 시퀀스가 반복됩니다. 두 번째로 나올 때부터 각 위치는 다음 토큰을 예측해야 합니다.',
    recall: '이름마다 값이 뒤따르고, 그다음에는 이름만 나옵니다. 그 값을 예측해야 합니다.',
    sort: '항목들, 구분자, 그리고 같은 항목들이 정렬된 순서로 나옵니다. 각 위치는 다음 항목을 예측해야 합니다.',
    reverse:
      '항목들, 구분자, 그리고 같은 항목들이 마지막에서 처음까지 역순으로 나옵니다. 각 위치는 다음 항목을 예측해야 합니다.',
    copy: `각 위치는 ${copyOffset}칸 전의 토큰을 예측해야 합니다.`,
    previous: '각 위치는 이전 토큰을 예측해야 합니다.',
  },
  layers: '층',
  heads: '층별 헤드',
  rate: '학습률',
  speed: '초당 단계',
  speeds: { '1': '1', '10': '10', '60': '60', full: '최대' },
  status: (step, loss, accuracy, last) =>
    `${last === undefined ? '' : `${last}단계 중 `}${step}단계: 손실 ${loss}, 정확도 ${accuracy}.`,
  ended: (step) => `${step}단계에서 실행이 끝났습니다.`,
  goal: (step) => `${step}단계: 정확도가 99\u00a0%에 도달했습니다.`,
  took: (step, where, keys) => `${step}단계: ${place(where)}의 어텐션이 이제 향하는 곳: ${keys}.`,
  left: (step, where, keys) =>
    `${step}단계: ${place(where)}의 어텐션이 더는 향하지 않는 곳: ${keys}.`,
  log: '사건',
  nothingYet: '아직 역할을 맡은 헤드가 없습니다.',
  target: '목표',
  composition: '시퀀스의 토큰: 쿼리가 어텐션을 주는 곳',
  token: (position, symbol, target) =>
    `위치 ${position}: ${symbol}${target === undefined ? '' : `, 목표 ${target}`}`,
  arc: (where, weight) => `${place(where)}: ${weight}`,
  oneLook: (query, symbol, look) =>
    `쿼리 ${query}(${symbol}): 가장 큰 어텐션을 ${looks(look)}. 층이 하나뿐이면 키는 자신의 토큰만 알고 그 이전 토큰은 알지 못합니다.`,
  twoLooks: (query, symbol, look, back) =>
    `쿼리 ${query}(${symbol}): 가장 큰 어텐션을 ${looks(look)}. 그 위치 자신은 가장 큰 어텐션을 ${looks(back)}. ${
      back.symbol === symbol ? '쿼리가 지닌 토큰과 같습니다.' : '쿼리가 지닌 토큰과 다릅니다.'
    }`,
  card: ({ layer, head }, seen, scores) => `헤드 ${head + 1} ${seen}. ${layer + 1}층, ${scores}`,
  noRole: '역할 없음',
  scores: '가중치의 비율',
  roleRule: (enough, enoughForPrevious, tooLittle) =>
    `가로선: 비율이 ${enough}에 이르면(이전 토큰은 ${enoughForPrevious}) 역할을 맡고, ${tooLittle} 아래로 내려가면 놓습니다.`,
  rightKeys: {
    induction: '같은 토큰이 전에 나왔을 때 뒤따른 토큰',
    recall: '이름의 값',
    sort: '정렬 순서에서 다음 항목',
    reverse: '역순에서 다음 항목',
    copy: `${copyOffset}칸 전의 토큰`,
    previous: '이전 토큰',
  },
  firstKey: '첫 토큰',
  rightKey: '정답 키',
  scoreName: (name, keys) => `${name}(${keys})`,
  lossCurve: '학습 단계에 따른 손실',
  loss: '손실',
  lossTraining: '학습',
  lossUnseen: '처음 보는 시퀀스',
  guessing: '균등한 추측',
  scale: '손실 축',
  scales: { log: '로그', linear: '선형' },
  loopStep: (step, accuracy) => `${step}단계: 정답률 ${accuracy}\u00a0%`,
  exportName: '학습 실행',
  enlarged: place,
  enlargedLabel: (where) => `${place(where)}: 모든 키(열)에 대한 모든 쿼리(행)의 가중치`,
  enlargedHint: '헤드를 고르면 맵이 크게 표시됩니다.',
  cell: (query, querySymbol, key, keySymbol, weight) =>
    `쿼리 ${query}(${querySymbol}), 키 ${key}(${keySymbol}): 가중치 ${weight}.`,
  later: (query, querySymbol, key, keySymbol) =>
    `쿼리 ${query}(${querySymbol}), 키 ${key}(${keySymbol}): 뒤에 오는 키이므로 어텐션을 줄 수 없습니다.`,
};

export const trainIntro: Translation<typeof import('./description.js').intro> = {
  short: '학습',
  title: '학습: 역할을 맡는 헤드',
  lead: '작은 모델을 학습시키면서 헤드(head)가 배우는 모습을 지켜보십시오. 선이 올라가면 헤드가 역할을 맡는 중입니다.',
  paragraphs: [
    '이 모델에는 어텐션 층만 있습니다. 과제마다 각 쿼리(query)가 어텐션을 주어야 할 키(key)가 정해져 있고, 맵 옆의 선은 헤드의 [어텐션 가중치|attention weight](attention weight) 가운데 그 키에 놓인 비율을 나타냅니다. 손실 곡선의 손잡이를 끌거나 사건을 누르면 그 단계 뒤의 모든 헤드를 볼 수 있습니다.',
    '[귀납|induction head](induction)에는 이어진 두 층의 헤드 두 개가 필요합니다. 첫째는 바로 앞 토큰에 어텐션을 주고, 둘째는 그것을 이용해 같은 토큰 뒤에 앞서 무엇이 왔는지 찾습니다. 맵 아래의 호는 한 쿼리에 대해 둘 다 보여 줍니다. 토큰을 가리키거나 탭하십시오.',
  ],
};
