/** The act of pruning in Korean. */
import type { Translation } from '../../format/translation.js';
import type { words as EnglishPrune } from './words.js';
import type { intro as EnglishPruneIntro } from './intro.js';

type Prune = typeof EnglishPrune;
type Measure = keyof Prune['measures'];
type Role = Parameters<Prune['pruned']>[0];

/** What a pruned head did. */
const past: Readonly<Record<Role, string>> = {
  previousToken: '이전 토큰에 어텐션을 주던 헤드입니다',
  induction: '같은 토큰이 전에 나왔을 때 뒤따른 토큰을 찾던 헤드입니다',
  sharp: '뾰족하지만 역할이 없던 헤드입니다',
  quiet: '조용하고 역할이 없던 헤드입니다',
};

const measures: Readonly<Record<Measure, string>> = {
  ablation: '제거 실험',
  gradient: '기울기',
  confidence: '확신도',
  entropy: '엔트로피',
};

export const prune: Translation<Prune> = {
  panel: '모델에 역할을 심고 추측하기',
  guess: '심고 추측하기',
  guessTask: (planted) => `맵만 보고 실제로 일하는 헤드 ${planted}개를 찾으십시오.`,
  guessReached: (planted) => `${planted}개를 모두 찾았습니다.`,
  guessMissed: (found, planted) => `${planted}개 중 ${found}개를 찾았습니다.`,
  plant: '심고 학습하기',
  stop: '중지',
  progress: (seed, number, total) =>
    `시드 ${seed}, ${total}개 중 ${number}번째: 학습, 측정, 가지치기 중.`,
  notYet: '아직 학습된 모델이 없습니다. 학습에는 몇 초가 걸립니다.',
  stopped: (seeds) => `중지했습니다. 시드 ${seeds}개의 결과입니다.`,
  done: (seeds) => `완료했습니다. 시드 ${seeds}개의 결과입니다.`,

  tiles: '모든 헤드의 맵',
  maps: '테스트 시퀀스 하나에 대한 맵입니다. 세로는 쿼리(query), 가로는 키(key)이며, 마스크된 키는 쿼리보다 뒤에 옵니다. 헤드의 번호는 층과 헤드입니다.',
  unmarked: (planted) => `헤드 ${planted}개를 표시한 뒤 확인하십시오.`,
  marked: (marks, planted) =>
    `${planted}개 중 ${marks}개를 표시했습니다.` +
    (marks === planted ? ' 확인하거나 표시를 하나 푸십시오.' : ''),
  check: '확인',
  skip: '추측하지 않고 보기',
  roles: {
    previousToken: '이전 토큰',
    induction: '귀납',
    sharp: '뾰족',
    quiet: '조용',
  },
  toMark: '표시',
  isMarked: '표시함',
  you: '나',
  scores: (planted) => `각각 고른 헤드 ${planted}개 중`,
  scoreRows: { found: '심은 헤드', without: '고른 헤드 없이 정확도' },
  found: (found, planted) => `${planted}개 중 ${found}개`,
  loudTitle: '눈에 띈다고 유용한 것은 아닙니다.',
  loud: (least, without, whole, ablated) =>
    `확신도가 고른 헤드의 최대 가중치는 평균 ${least} 이상입니다. 그러나 정확도는 그 헤드들이 없을 때 ${without}, 모든 헤드가 있을 때 ${whole}입니다. 제거 실험이 고른 헤드들이 없으면 ${ablated}입니다.`,

  importance: '네 가지 척도로 본 중요도',
  importancePanel: '막대의 의미',
  measures,
  measureNotes: {
    ablation: '헤드가 없을 때 손실(loss)이 늘어나는 양',
    gradient: '헤드의 게이트(gate)에 대한 손실의 기울기',
    confidence: '최대 가중치의 쿼리 평균',
    entropy: '가중치의 평균 엔트로피: 집중되어 있으면 낮음',
  },
  verdict: (found, planted, seed) =>
    found === planted
      ? `이 척도의 상위 헤드 ${planted}개가 곧 심은 헤드 ${planted}개입니다(시드 ${seed}).`
      : found === 0
        ? `이 척도의 상위 헤드 ${planted}개 중에는 심은 헤드가 하나도 없습니다(시드 ${seed}).`
        : `이 척도의 상위 헤드 ${planted}개 중 ${found}개가 심은 헤드입니다(시드 ${seed}).`,
  overSeeds: (found, planted, seeds) => `시드 ${seeds}개를 통틀어 ${planted}개 중 ${found}개.`,
  chart: (measure, verdict) => `헤드별 ${measures[measure]}. ${verdict}`,
  truth: '심은 종류',
  truths: { planted: '심은 역할', sharp: '뾰족', quiet: '조용' },
  bars: (seed) =>
    `막대는 시드 ${seed}의 헤드이며, 번호는 층과 헤드입니다. 다른 시드에서는 다른 자리에 심습니다.`,
  place: ({ layer, head }) => `${layer}.${head}`,

  curves: '가지치기 곡선: 덜 중요한 헤드부터',
  curvesPanel: '곡선이 보여 주는 것',
  metric: '표시',
  metrics: { accuracy: '정확도', loss: '손실' },
  orders: { ...measures, random: '무작위 순서' },
  heads: '남은 헤드',
  band: '선은 시드에 대한 평균이고, 회색 영역은 모든 무작위 순서의 범위입니다. 층의 마지막 헤드는 남깁니다.',

  session: '직접 가지치기',
  sessionPanel: '모델에 남은 것',
  goalTask: '정확도를 95\u00a0% 이상으로 유지하면서 헤드가 네 개 남을 때까지 가지치기하십시오.',
  sessionHint:
    '헤드를 가지치기하거나 게이트를 끄십시오. 게이트를 0에서 놓으면 그 헤드는 가지치기됩니다.',
  answersHint:
    '전체 모델이 가장 잘 예측하는 테스트 시퀀스입니다. 토큰 아래는 예측한 다음 토큰과 그 확률이며, 틀린 예측에는 가위표가 붙습니다.',
  answered: (right, asked) => `이 시퀀스의 예측 ${asked}개 중 ${right}개가 맞습니다.`,
  answer: (symbol, probability, isRight) =>
    `예측 ${symbol}, ${probability}, ${isRight ? '맞음' : '틀림'}`,
  wrong: '×',
  layer: (layer) => `${layer}층`,
  head: (head) => `헤드 ${head}`,
  gate: ({ layer, head }) => `${layer}층 ${head}번 헤드의 게이트`,
  gateValue: (percent) => `${percent}\u00a0%`,
  pruneHead: '제거',
  pruneLabel: ({ layer, head }) => `제거: ${layer}층 ${head}번 헤드`,
  lastOne: '층의 마지막',
  pruned: (role) => `제거됨. ${past[role]}.`,
  undo: '실행 취소',
  reset: '모두 복원',
  table: '전체 모델과 가지치기한 모델',
  whole: '전체',
  left: '가지치기',
  rows: { heads: '헤드', loss: '손실', accuracy: '정확도', time: '순전파' },
  milliseconds: (time) => `${time}\u00a0ms`,
  notTimed: '–',
  measuring: '…',
  ratio: (ratio, lower, upper, pairs) =>
    `가지치기 ÷ 전체: ${ratio}, 95\u00a0% 구간 ${lower}~${upper}. 번갈아 잰 ${pairs}쌍의 중앙값입니다.`,
  tried: (loss, accuracy) => `이 게이트 값에서: 손실 ${loss}, 정확도 ${accuracy}.`,
  status: (heads, loss, accuracy) => `남은 헤드 ${heads}개: 손실 ${loss}, 정확도 ${accuracy}.`,
  reached: (heads, accuracy) => `헤드 ${heads}개로 정확도 ${accuracy} 달성.`,
  reachedIn: (heads, accuracy, ratio) =>
    `헤드 ${heads}개로 정확도 ${accuracy} 달성, 걸린 시간은 전체의 ${ratio}.`,
  exportNames: {
    maps: '역할을 심은 모델의 맵',
    importance: '헤드의 중요도',
    curves: '가지치기 곡선',
  },
};

export const pruneIntro: Translation<typeof EnglishPruneIntro> = {
  short: '가지치기',
  title: '어느 헤드가 중요하고, 어느 헤드를 없앨 수 있는가',
  lead: '중요도의 척도를 평가하려면 어느 헤드(head)가 실제로 중요한지 알아야 합니다. 그래서 여기서는 헤드의 역할을 미리 심어 둡니다.',
  paragraphs: [
    '모델이 학습하는 동안 헤드 12개 중 네 개만 열려 있습니다. 둘은 이전 토큰(token)에 어텐션을 주고, 둘은 같은 토큰이 전에 나왔을 때 뒤따른 토큰을 찾습니다. 그다음 나머지 헤드를 엽니다. 일부는 *뾰족한* 헤드로, 키 하나에 어텐션을 집중하지만 출력에는 아무것도 보태지 않습니다. 일부는 *조용한* 헤드로, 무작위 초기 파라미터를 그대로 지닙니다.',
    '[제거 실험|ablation](ablation)은 헤드가 없을 때 손실이 얼마나 늘어나는지를, [기울기|gradient](gradient)는 헤드의 게이트에 대한 손실의 기울기를 잽니다. 확신도(confidence)와 [엔트로피|entropy](entropy)는 헤드의 어텐션 가중치(attention weight)가 얼마나 집중되어 있는지만 잽니다. 어느 척도가 속을까요?',
  ],
};
