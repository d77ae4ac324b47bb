/** The act of pruning in Korean. */
import type { Translation } from '../../format/translation.js';

export const prune: Translation<typeof import('./words.js').words> = {
  guess: '심은 헤드 찾기',
  guessTask: (planted) => `맵만 보고 실제로 일하는 헤드 ${planted}개를 찾으십시오.`,
  guessed: (found, planted) => `${planted}개 중 ${found}개를 찾았습니다.`,
  shown: '모든 헤드의 역할을 표시했습니다.',
  otherSeed: '다른 시드',
  plant: '심고 학습하기',
  stop: '중지',
  progress: (seed, number, total) =>
    `시드 ${seed}, ${total}개 중 ${number}번째: 학습, 측정, 가지치기 중.`,
  notYet: '이 시드는 아직 학습하지 않았습니다.',
  notTrained: (seeds) => `이 시드와 다음 ${seeds - 1}개를 학습하는 데 몇 초가 걸립니다.`,
  builtIn: (seeds) => `시드 1부터 ${seeds}까지의 결과는 페이지에 들어 있습니다.`,
  results: (seeds, isDone) => `${isDone ? '완료' : '중지'}했습니다. 시드 ${seeds}개의 결과입니다.`,

  task: '모델은 이 글자들을 읽고, 반복되기 시작하면 다음 글자를 예측합니다. 예측할 글자는 각 글자 아래에 있습니다.',
  maps: '이 글자들에 대한 각 헤드의 가중치입니다. 세로는 쿼리(query), 가로는 키(key)입니다. 헤드의 번호는 층과 헤드입니다.',
  unmarked: (planted) => `헤드 ${planted}개를 표시한 뒤 확인하십시오.`,
  marked: (marks, planted) =>
    `${planted}개 중 ${marks}개를 표시했습니다.` +
    (marks === planted ? ' 확인하거나 표시를 하나 푸십시오.' : ''),
  check: '확인',
  skip: '역할 보기',
  again: '다시 추측하기',
  roles: {
    sharp: '뾰족',
    quiet: '조용',
  },
  toMark: '표시',
  isMarked: '표시함',
  you: '나',
  scores: (planted) => `각각 고른 헤드 ${planted}개 중`,
  scoreRows: { found: '심은 헤드', without: '고른 헤드 없이 정확도' },
  loudTitle: '눈에 띈다고 유용한 것은 아닙니다.',
  loud: (least, without, whole, ablated) =>
    `확신도가 고른 헤드의 최대 가중치는 평균 ${least} 이상입니다. 그러나 정확도는 그 헤드들이 없을 때 ${without}, 모든 헤드가 있을 때 ${whole}입니다. 제거 실험이 고른 헤드들이 없으면 ${ablated}입니다.`,

  importance: '척도 평가하기',
  measureNotes: {
    ablation: '헤드가 없을 때 손실(loss)이 늘어나는 양',
    gradient: '헤드의 게이트(gate)에 대한 손실의 기울기',
    confidence: '최대 가중치의 평균',
    entropy: '가중치가 집중되면 낮음',
  },
  verdict: (found, planted, seed) =>
    `시드 ${seed}: 상위 헤드 ${planted}개 중 심은 헤드는 ${found}개입니다.`,
  overSeeds: (found, planted, seeds) => `시드 ${seeds}개를 통틀어 ${planted}개 중 ${found}개.`,
  chart: (measure, verdict) => `헤드별 ${measure}. ${verdict}`,
  truth: '헤드의 종류',
  truths: {
    planted: '심음: 모델에 필요합니다',
    sharp: '뾰족: 가중치가 거의 모두 키 하나에 있지만 효과가 없습니다',
    quiet: '조용: 무작위 초기 매개변수를 그대로 지닙니다',
  },
  bars: (seed) => `막대는 시드 ${seed}의 헤드입니다. 다른 시드에서는 심은 헤드의 번호가 다릅니다.`,

  curves: '가장 덜 중요한 헤드부터 가지치기',
  accuracy: '정확도',
  orders: {
    ablation: '제거 실험',
    gradient: '기울기',
    confidence: '확신도',
    entropy: '엔트로피',
    random: '무작위 순서',
  },
  heads: '남은 헤드',
  band: '선은 시드들의 평균이고, 회색 영역은 모든 무작위 순서의 범위입니다. 층마다 마지막 헤드는 남습니다.',

  model: '언어 모델 가지치기',
  modelGoal:
    '헤드를 되도록 많이 가지치기하십시오. 따로 둔 텍스트의 손실은 5\u00a0%까지만 늘어날 수 있습니다.',
  modelReached: (pruned, all, more) =>
    `헤드 ${all}개 중 ${pruned}개를 가지치기했고 손실은 ${more} 늘었습니다. 더 많이 가지치기할 수 있는 순서는 없습니다.`,
  cut: '가지치기할 헤드',
  order: '순위 기준(가장 좋은 것부터)',
  cutStatus: (pruned, all, loss, more, isWithin) =>
    pruned === 0
      ? `헤드 ${all}개 모두: 따로 둔 텍스트의 손실은 ${loss}입니다.`
      : `헤드 ${all}개 중 ${pruned}개를 가지치기했습니다. 따로 둔 텍스트의 손실은 ${loss}로, ${more} 늘었습니다.${isWithin ? '' : ' 너무 많습니다.'}`,
  modelCurves: '남은 헤드에 따른, 따로 둔 텍스트의 손실',
  heldOutLoss: '따로 둔 텍스트의 손실(토큰당 nat)',
  heldOut:
    '따로 둔 텍스트는 학습에 쓰지 않았습니다. 절반으로 헤드의 순위를 매기고 나머지 절반으로 손실을 잽니다.',
  which: '언어 모델의 헤드',
  rankOrigin: '이 순위의 출처',
  rank: '여기서 순위 매기기',
  notRanked: '순위를 매기려면 모델을 수백 번 실행하므로 1분 넘게 걸립니다.',
  ranked: '이 순위는 페이지에 들어 있습니다. 여기서 다시 매기는 데 1분쯤 걸립니다.',
  ranking: (share) => `순위를 매기는 중: ${share} 완료.`,
  rankedHere: '완료했습니다. 이 순위는 여기서 매겼습니다.',
  rankingStopped: (orders) => `중지했습니다. 차트에는 순서 ${orders}개가 있습니다.`,
  rankingFailed: (reason) => `순위를 매기지 못했습니다: ${reason}`,

  nextToken: '내 문장의 다음 토큰',
  changeSentence: '바꾸기',
  top: (before, after, isSame) =>
    isSame
      ? `가장 유력한 예측은 그대로 “${before}”입니다.`
      : `가장 유력한 예측이 “${before}”에서 “${after}”(으)로 바뀝니다.`,
  token: '토큰',
  whole: '모든 헤드',
  left: '가지치기 후',
  notRead: '헤드를 하나 가지치기하면 모델을 불러와 문장을 읽습니다.',
  notCausal: '이 모델은 다음 토큰을 예측하지 않으므로 따로 둔 텍스트의 손실이 없습니다.',
  exportNames: {
    maps: '역할을 심은 모델의 맵',
    importance: '헤드의 중요도',
    curves: '가지치기 곡선',
    model: '언어 모델의 가지치기 곡선',
  },
};

export const pruneIntro: Translation<typeof import('./description.js').intro> = {
  short: '가지치기',
  title: '어느 헤드가 중요하고, 어느 헤드를 없앨 수 있는가',
  lead: '중요도 척도를 시험하려면 정답을 알아야 하므로, 여기서는 정답을 미리 심습니다. 그런 다음 같은 척도로 실제 모델의 가지를 칩니다.',
  paragraphs: [
    '심은 모델이 학습하는 동안에는 헤드 열두 개 중 네 개만 열려 있습니다. 두 개는 이전 토큰에 어텐션을 주고, 두 개는 같은 토큰이 전에 나왔을 때 뒤따른 토큰을 찾습니다. 그다음 나머지 여덟 개를 엽니다. *뾰족한*(sharp) 헤드는 가중치를 거의 모두 키 하나에 주지만 아무 기여도 하지 않습니다. *조용한*(quiet) 헤드는 무작위 초기 매개변수를 그대로 지닙니다.',
    '[제거 실험|ablation](ablation)은 헤드가 없을 때 손실이 얼마나 늘어나는지 잽니다. [기울기|gradient](gradient)는 헤드의 게이트에 대한 손실의 기울기입니다. 확신도(confidence)와 [엔트로피|entropy](entropy)는 헤드의 가중치가 얼마나 집중되었는지만 잽니다. 어느 척도가 속을까요?',
    '언어 모델에서는 아무도 정답을 모릅니다. 거기서는 손실이 판단합니다. 학습에 쓰지 않은 텍스트에서 손실이 얼마나 늘어나는지를 봅니다.',
  ],
};
