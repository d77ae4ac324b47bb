/** What stands around the acts, and in all of them, in Korean. */
import { choiceOf, listOf, quoted } from '../format/sentences.js';
import type { Translation } from '../format/translation.js';

const address: Translation<typeof import('../address/words.js').words> = {
  choice: (name, given, known, shown) =>
    `주소의 ${name} 값 ${quoted(given)} 사용 불가: 가능한 값은 ${choiceOf(known)}입니다. 대신 ${shown} 값을 씁니다.`,
  number: (name, given, min, max, shown) =>
    `주소의 ${name} 값 ${quoted(given)} 사용 불가: 가능한 값은 ${min} 이상 ${max} 이하의 수입니다. 대신 ${shown} 값을 씁니다.`,
  list: (name, given, shown) =>
    `주소의 ${name} 값 ${quoted(given)} 사용 불가: ${shown === '' ? '이 값을 쓰지 않습니다' : `대신 ${shown} 값을 씁니다`}.`,
  needs: (given, other, wanted) =>
    `주소의 ${quoted(given)} 값 무시: ${other} 항목이 ${wanted}개이거나 없어야 합니다.`,
  hide: (given, known) =>
    `주소의 숨길 이름 ${quoted(given)} 알 수 없음: 가능한 이름은 ${listOf(known)}입니다.`,
};

const app: Translation<typeof import('./words.js').words> = {
  title: 'headwise: 헤드 하나하나로 보는 멀티헤드 어텐션',
  heading: '헤드 하나하나로 보는 멀티헤드 어텐션',

  footer: {
    source:
      'Aston Zhang, Zachary C. Lipton, Mu Li, Alexander J. Smola의 *Dive into Deep Learning*(Cambridge University Press, 2023) 중 “Multi-Head Attention” 장을 바탕으로 하며, 그 예제와 이름을 따릅니다. 글은 직접 썼습니다.',
    chapter: 'd2l.ai에서 해당 장 읽기',
    print: '페이지 전체 인쇄',
  },

  language: {
    label: '언어',
    notLoaded: (name) =>
      `페이지의 ${name} 번역을 불러오지 못해 영어로 표시합니다. 연결을 확인한 뒤 페이지를 새로 고치십시오.`,
  },

  present: { start: '발표', leave: '나가기', label: '발표 화면' },

  skip: '첫 번째 섹션으로 건너뛰기',
  navigation: '섹션',
};

const attention: Translation<typeof import('../attention/words.js').words> = {
  map: {
    heads: '모든 헤드의 가중치',
    title: (head) => `헤드 ${head}`,
    row: (query) => `쿼리 ${query}`,
    layer: (layer) => `${layer}층`,
  },

  cell: ({ head, query, key, weight, masked }) =>
    `헤드 ${head}, 쿼리 ${query}, 키 ${key}: 가중치 ${weight}${masked ? ', 마스크됨' : ''}`,

  patterns: {
    previousToken: '이전 토큰',
    induction: '귀납',
    firstToken: '첫 토큰',
  },

  hint: '칸을 가리키거나 탭하십시오. Tab 키와 화살표 키로 맵 사이를 이동할 수도 있습니다.',

  legend: {
    name: '가중치',
    label: '가중치의 색: 0(배경색)에서 1(헤드의 가장 진한 색)까지',
    masked: '마스크됨',
  },
};

const attentionElement: Translation<typeof import('../attention/words.js').elementWords> = {
  heads: '헤드',
  queries: '단어: 각 단어가 쿼리로서 어텐션을 줍니다',
  keys: '키',
  layers: '층',
  previousLayer: '이전 층',
  nextLayer: '다음 층',
  allLayers: '모든 층',
  layer: (layer, layers) => `${layers}개 층 중 ${layer}층`,
  map: (layer, head) => `${layer}층 ${head}번 헤드의 어텐션 가중치: 세로는 쿼리, 가로는 키`,
  model: (layers) => `${layers}개 층의 모든 헤드의 어텐션 가중치`,
};

const glossary: Translation<typeof import('../ui/glossary-words.js').words> = {
  ablation: '제거 실험은 헤드와 같은 모델의 일부를 없애고 모델이 얼마나 나빠지는지 재는 것입니다.',
  'attention weight':
    '어텐션 가중치는 쿼리의 어텐션 중 한 키로 가는 몫입니다. 0에서 1까지이며, 모든 키에 대한 합은 1입니다.',
  'causal mask':
    '인과 마스크는 쿼리가 자신의 위치와 그 앞의 위치에만 어텐션을 주고 뒤의 위치에는 주지 못하게 합니다.',
  'cross-attention':
    '교차 어텐션에서는 쿼리가 한 시퀀스에서 오고 키와 값은 다른 시퀀스에서 옵니다.',
  decoder: '디코더는 시퀀스를 토큰 하나씩 쓰며, 각 토큰은 그 앞의 토큰들에 따라 정해집니다.',
  'dot product': '두 벡터의 내적은 같은 자리의 수끼리 곱한 뒤 그 곱을 모두 더한 값입니다.',
  encoder: '인코더는 시퀀스 전체를 읽고 토큰마다 벡터를 하나씩 냅니다.',
  entropy:
    '가중치의 엔트로피는 가중치가 얼마나 퍼져 있는지를 나타냅니다. 키 하나가 모두 가지면 0이고, 모든 키가 똑같이 나누어 가지면 가장 큽니다.',
  gate: '헤드의 게이트는 헤드의 출력에 곱해지는 수입니다. 1이면 열린 것이고 0이면 닫힌 것입니다.',
  gradient: '손실의 기울기는 각 파라미터가 커질 때 손실이 어떻게 변하는지를 나타냅니다.',
  head: '헤드는 자신의 쿼리, 키, 값 투영을 가진 어텐션입니다. 여러 헤드를 나란히 두면 멀티헤드 어텐션이 됩니다.',
  'induction head':
    '귀납 헤드는 현재 토큰이 전에 나온 자리를 찾아 그때 뒤따른 토큰에 어텐션을 줍니다.',
  key: '토큰의 키는 쿼리와 비교되는 벡터입니다.',
  mask: '마스크는 키를 어텐션에서 제외합니다. 그 점수는 −∞가 되고 가중치는 0이 됩니다.',
  'multi-head attention':
    '멀티헤드 어텐션은 여러 헤드를 나란히 실행하고, 그 출력을 연결한 뒤 W_o로 결합합니다.',
  pooling: '어텐션 풀링은 어텐션 가중치를 써서 모든 키의 값을 가중 평균합니다.',
  projection: '투영은 선형 층입니다. 벡터에 학습되는 파라미터의 행렬을 곱합니다.',
  query: '토큰의 쿼리는 그 토큰이 어디에 어텐션을 줄지 찾기 위해 모든 키와 비교되는 벡터입니다.',
  score:
    '키에 대한 쿼리의 점수는 둘의 내적을 √d로 나눈 값이며, 소프트맥스가 이것으로 어텐션 가중치를 만듭니다.',
  'self-attention': '셀프 어텐션에서는 쿼리, 키, 값이 모두 같은 시퀀스의 투영입니다.',
  softmax:
    '소프트맥스는 수들을 합이 1인 양의 비율로 바꿉니다. 각 수에 지수 함수를 적용한 뒤 그 합으로 나눕니다.',
  'valid length':
    '샘플의 유효 길이는 실제 키가 몇 개인지를 나타냅니다. 그 뒤의 키는 패딩이며 마스크됩니다.',
  value: '토큰의 값은 가중 평균에 들어가는 벡터입니다.',
};

const ui: Translation<typeof import('../ui/words.js').words> = {
  controls: {
    label: '조작',
    seed: '시드',
    newSeed: '무작위 시드',
    seedHint: (min, max, shown) =>
      `${min} 이상 ${max} 이하의 정수를 입력하십시오. 페이지는 여전히 시드 ${shown}의 결과를 보여 줍니다.`,
    reset: '초기화',
    heads: '헤드',
  },

  run: {
    label: '학습',
    start: '시작',
    goOn: '계속',
    pause: '일시 정지',
    step: '한 단계',
    again: '다시 시작',
    waiting: '모델을 만드는 중입니다.',
    steps: '단계',
  },

  notLoaded: '이 섹션을 불러오지 못했습니다. 연결을 확인한 뒤 페이지를 새로 고치십시오.',

  of: (part, whole) => `${whole}개 중 ${part}개`,

  goal: { name: '목표:', reached: '달성.' },

  failure: {
    title: '여기서는 이 층을 실행할 수 없습니다',
    unsupported:
      '이 브라우저에 없는 WebAssembly SIMD와 예외 처리가 필요합니다. Chrome과 Edge는 버전 95부터, Firefox는 100부터, Safari는 16.4부터 지원합니다.',
    loading: 'WebAssembly 파일을 불러오지 못했습니다. 연결을 확인한 뒤 페이지를 새로 고치십시오.',
    other: '예상하지 못한 오류가 발생했습니다. 페이지를 새로 고치면 해결될 수 있습니다.',
    reason: (said, details) => `${said} 자세한 내용: ${details}`,
  },

  exports: {
    intro: '저장',
    nothingYet: '아직 저장할 것이 없습니다.',
    formats: { svg: 'SVG', png: 'PNG', json: 'JSON', loop: '반복' },
    saveAs: (name, format) => `${format}(으)로 저장: ${name}`,
    saved: (file) => `${file} 파일로 저장했습니다.`,
    failed: (reason) => `저장하지 못했습니다: ${reason}`,
    noPicture: '브라우저가 이미지를 그리지 못했습니다. SVG와 JSON은 그대로 쓸 수 있습니다.',
    copyLink: '링크 복사',
    copied: '링크를 복사했습니다.',
    notCopied: '자동으로 복사하지 못했습니다. 링크는 다음과 같습니다:',
    linkLabel: '이 화면의 링크',
  },
};

const worker: Translation<typeof import('../worker/notice.js').words> = {
  slow: {
    title: '워커가 아직 응답하지 않았습니다',
    advice:
      '20초 동안 응답이 없습니다. 워커를 아직 불러오는 중이거나 기기가 바쁠 수 있습니다. 응답이 오면 그대로 쓰이며 잃는 것은 없습니다. 다른 탭을 닫으면 도움이 될 수 있습니다. 다시 시작하면 워커가 교체됩니다.',
  },
  lost: {
    title: '워커가 중단되었습니다',
    advice:
      '브라우저가 워커를 종료했거나 워커의 스크립트를 불러오지 못했습니다. 페이지의 나머지 부분에는 영향이 없습니다. 다시 시작하면 새 워커가 만들어지며, 같은 시드는 같은 결과를 냅니다.',
  },
  memory: {
    title: '메모리가 부족합니다',
    advice:
      '브라우저가 이 페이지에 메모리를 더 주지 못했습니다. 다른 탭을 닫거나 층과 헤드의 수를 줄인 뒤 다시 시작하십시오.',
  },
  other: {
    title: '문제가 발생했습니다',
    advice: '다시 시작하십시오. 그래도 해결되지 않으면 페이지를 새로 고치십시오.',
  },
  again: '다시 시작',
};

/** All that the page says in Korean, by the names that `translatable` knows the words by. */
export const texts = Object.assign(
  { address, app, attention, attentionElement, glossary, ui, worker },
  ...Object.values(import.meta.glob<object>('../{acts/*,questions}/words.ko.ts', { eager: true })),
) as Readonly<Record<string, unknown>>;
