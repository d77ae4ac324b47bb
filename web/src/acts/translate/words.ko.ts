/** The act of cross-attention in Korean. */
import type { Translation } from '../../format/translation.js';

export const translate: Translation<typeof import('./words.js').words> = {
  goal: '처음 보는 날짜의 95\u00a0%를 맞힐 때까지 학습하십시오. 헤드마다 날짜의 다른 부분을 읽습니까, 아니면 같은 부분을 함께 읽습니까?',
  goalReached: (step) => `${step}단계에서 95\u00a0%.`,
  ended: '완료',
  variant: '모델',
  variants: {
    standard: '표준',
    alone: '어텐션 없는 인코더',
    shared: '공유 임베딩',
  },
  variantNotes: {
    standard: '인코더 층 하나와 디코더 층 하나로 이루어집니다.',
    alone:
      '인코더의 셀프 어텐션(self-attention)을 껐습니다. 키에는 문자와 그 위치가 담기지만, 그 문자가 일에 속하는지 연도에 속하는지는 담기지 않습니다.',
    shared:
      '입력, 출력, 언임베딩(unembedding)이 임베딩 테이블 하나를 함께 씁니다. 정확도와 헤드가 어텐션을 주는 곳을 비교해 보십시오.',
  },

  status: (step, last, accuracy) =>
    `${last}단계 중 ${step}단계: 처음 보는 날짜의 정답률 ${accuracy}.`,

  parts: { year: '연', month: '월', day: '일' },
  verdict: {
    learnt: (accuracy, step) => `${step}단계를 학습한 뒤 처음 보는 날짜의 ${accuracy}를 맞힙니다.`,
    notLearnt: (accuracy, step) =>
      `학습되지 않음: ${step}단계를 학습한 뒤 처음 보는 날짜의 ${accuracy}를 맞힙니다.`,
    share: (head, share) => `${head}번 헤드(${share})`,
    specialist: (part, head, share) => `${part}: ${head}번 헤드가 읽습니다(${share}).`,
    shared: (part, heads) => `${part}: 함께 읽는 헤드는 ${heads}입니다.`,
    none: (part, head, share) =>
      `${part}: 뚜렷하게 읽는 헤드가 없습니다. 최고는 ${head}번 헤드(${share})입니다.`,
    elsewhere:
      '정렬되지 않았는데도 맞힙니다. 한 위치의 인코더 출력에는 다른 위치의 정보도 들어 있어서, 이 가중치만으로는 문자가 어디에서 왔는지 알 수 없습니다.',
  },

  text: '모델이 읽을 날짜',
  textKept: (shown) =>
    `영문자, 숫자, 공백, 쉼표, 하이픈으로 최대 18자. 모델이 읽는 것은 “${shown}”입니다.`,
  textEmpty: '5 March 2021과 같은 날짜를 입력하십시오.',
  noTruth:
    'March 5, 2021이나 5 Mar 2021처럼 학습에 쓰인 형식의, 1000년부터 2999년까지의 날짜가 아니므로 비교할 정답이 없습니다.',

  figure: '정렬: 각 출력 문자에서 그 문자가 어텐션을 주는 입력 문자로',
  padding: (length, longest) =>
    `빗금: 패딩(padding). 배치에서는 ${length}자인 이 입력을 키 ${longest}개가 되도록 채웁니다. 유효 길이(valid length)가 패딩을 마스크하므로 모든 쿼리가 패딩에 주는 가중치는 0입니다.`,
  queries: '출력 문자',
  output: (number) => `출력 ${number}`,
  query: (number, character, attended, expected) =>
    `출력 ${number}, ${character}: ${attended}.${expected === undefined ? '' : ` 정답은 ${expected}입니다.`}`,
  attends: (head, key, share) => `${head}번 헤드 → ${key} ${share}`,
  hint: '출력 문자를 가리키거나 선택하면 그 문자의 가중치만 보입니다. 헤드를 누르면 그 헤드만 보입니다.',
  space: '공백',

  maps: '헤드별 가중치: 세로는 출력 문자, 가로는 입력 문자',
  map: (head, answer, text) => `헤드 ${head}: 입력 ${text}(열)에 대한 출력 ${answer}(행)의 가중치`,
  headAlone: (head) => `${head}번 헤드만 보기`,
  best: '최고',
  outlined:
    '테두리: 출력이 비롯된 문자. 막대: 처음 보는 날짜에서 헤드의 가중치 중 그 문자에 놓인 비율. 눈금은 가중치가 균등할 때의 위치입니다.',
  shares: '비율',
  shareCurve: '처음 보는 날짜 중 맞힌 비율과, 각 헤드의 가중치 중 올바른 문자에 놓인 비율',
  dates: '맞힌 날짜',
  loopStep: (step) => `${step}단계`,
  exportName: '정렬',
};

export const translateIntro: Translation<typeof import('./description.js').intro> = {
  short: '번역',
  title: '번역: 정렬 읽기',
  lead: '[인코더|encoder](encoder)는 말로 적은 날짜를 읽고, [디코더|decoder](decoder)는 그것을 ISO 8601로 씁니다. 교차 어텐션(cross-attention)에서는 디코더의 쿼리가 인코더의 출력에 어텐션을 줍니다.',
  paragraphs: [
    '각 출력 문자가 어느 입력 문자에서 왔는지 알려져 있습니다. 그래서 헤드의 [어텐션 가중치|attention weight](attention weight)를 실제 정렬(alignment)과 비교할 수 있습니다.',
  ],
};
