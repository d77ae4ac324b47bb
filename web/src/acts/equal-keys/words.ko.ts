/** What the act says, in Korean. */
import { quoted } from '../../format/sentences.js';
import type { Translation } from '../../format/translation.js';

export const keysIntro: Translation<typeof import('./description.js').intro> = {
  short: '같은 키',
  title: '키가 같으면 가중치도 같습니다',
  lead: '교재는 [쿼리|query](query), [키|key](key), [값|value](value)이 모두 1인 입력으로 층을 시험합니다. 다섯 헤드가 어떤 가중치를 낼지 예측하고, 직접 확인해 보십시오.',
  paragraphs: [
    '모든 헤드는 같은 키를 자신의 파라미터로 [투영|projection](projection)합니다. 키가 모두 같으면 투영한 결과도 같으므로, 쿼리마다 모든 키에 같은 [점수|score](score)를 줍니다. 키가 서로 달라야 헤드의 차이가 드러납니다.',
    '[유효 길이|valid length](valid length)는 어텐션을 줄 수 있는 키가 몇 개인지 나타냅니다. 나머지 키는 [마스크|mask](mask)됩니다. 무엇이 들어 있든 가중치가 정확히 0입니다. 마스크된 키는 가중치가 0인 키와 다르므로 빗금으로 표시합니다.',
  ],
};

export const keysState: Translation<typeof import('./user-data.js').dataWords> = {
  user: {
    unreadable: '손상되었거나 이 페이지가 읽지 못하는 종류입니다.',
    noNames: '없음',
    nothing: '수로 된 행이나 중첩된 JSON 배열을 붙여 넣으십시오.',
    notJson: 'JSON처럼 시작하지만 올바른 JSON이 아닙니다. 괄호와 쉼표를 확인하십시오.',
    emptyCell: (row) => `${row}행에서 수가 있어야 할 칸이 비어 있습니다.`,
    notNumber: (row, cell) => `${row}행에서 수가 있어야 할 칸의 내용이 “${cell}”입니다.`,
    noQueries: (names) =>
      `queries가 있어야 하고, keys와 values가 다르면 그것도 있어야 합니다. 받은 것: ${names}.`,
    shape: (name, shape, { length, size }) =>
      `${name}의 형상은 (토큰, 크기)여야 하며, 토큰은 최대 ${length}개, 토큰당 수는 최대 ${size}개입니다. 받은 것: ${shape}.`,
    notNumbers: (name) => `수만 있어야 합니다. ${name}에 다른 것이 들어 있습니다.`,
    uneven: (name) => `모든 행의 길이가 같아야 합니다. ${name}의 행은 길이가 서로 다릅니다.`,
    notFinite: (name) => `유한한 수여야 합니다. ${name}에 NaN이나 무한대가 들어 있습니다.`,
    disagree: (keys, values) =>
      `values의 수가 keys의 수와 같아야 합니다. 받은 형상: keys ${keys}, values ${values}.`,
    tooLarge: (size, largest) => `최대 ${largest}\u00a0MB여야 하지만 ${size}\u00a0MB입니다.`,
    unknownFile: (name) => `.npy, .safetensors, .json, .csv 파일이어야 합니다. 받은 것: ${name}.`,
  },
  corrections: {
    file: (name) =>
      `이 화면에는 링크에 담을 수 없는 파일 ${quoted(name)} 필요: 화면을 보려면 파일을 다시 고르십시오.`,
    tooManyNumbers: (longest) => `주소의 수가 ${longest}자보다 길어서 무시했습니다.`,
    numbers: (reason) => `주소의 수를 읽을 수 없습니다. ${reason}`,
  },
};

export const keys: Translation<typeof import('./words.js').words> = {
  predict: {
    label: '질문',
    names: { keys: '키', mask: '마스크', patterns: '패턴' },
    questions: {
      keys: '모든 키가 같습니다. 무엇이 헤드를 서로 다르게 만들까요?',
      mask: '유효한 키가 하나뿐이면 그 가중치는 얼마일까요?',
      patterns: '세 칸 전의 토큰을 보는 헤드는 어느 것일까요?',
    },
    causes: { parameters: '새 파라미터', keys: '서로 다른 키', training: '학습' },
    shares: { same: '지금과 같음', heads: '헤드마다 다름', one: '모든 헤드에서 1' },
    head: (head) => `${head}번 헤드가 세 칸 전을 봅니다`,
    open: {
      keys: '예측한 다음 아래에서 확인하십시오. 시드, 학습 단계, 입력을 바꾸어 볼 수 있습니다.',
      mask: '예측한 다음 유효 길이를 1로 옮기십시오.',
      patterns: '맵을 비교하고 헤드 하나를 고르십시오.',
    },
    difference: (value) => `차이 ${value}`,
    verdict: (guess, isRight) => `예측 “${guess}”: ${isRight ? '맞았습니다' : '틀렸습니다'}.`,
    reached: {
      keys: '파라미터가 무엇이든, 같은 키는 같은 점수를 받습니다.',
      mask: '점수가 하나뿐이면 소프트맥스의 결과는 1입니다. 유효 길이가 0이면 모든 가중치가 0입니다.',
    },
    found: (onCopy, elsewhere) =>
      `맞았습니다. 세 칸 전의 키에 주는 가중치는 평균 ${onCopy}, 다른 헤드는 최대 ${elsewhere}입니다.`,
    missed: (onCopy, instead) =>
      `아닙니다. 세 칸 전의 키에 주는 가중치는 평균 ${onCopy}뿐입니다. 이 헤드의 패턴: ${instead}.`,
  },

  controls: {
    input: '입력',
    inputs: { ones: '모두 1', random: '무작위', patterns: '패턴', own: '직접' },
    validLen: '유효 길이',
    causal: '인과 마스크',
    steps: '학습 단계',
    names: '이름 보기',
  },

  about: {
    ones: '쿼리, 키, 값이 모두 1입니다.',
    random: '쿼리와 키는 무작위 수이고, 값은 키와 같습니다.',
    patterns:
      '토큰은 원-핫(one-hot) 위치와 무작위 내용으로 이루어집니다. 헤드마다 패턴 하나를 따르도록 파라미터를 골랐습니다.',
    own: '쿼리, 키, 값은 직접 넣은 수입니다.',
    parameters: (seed) => `파라미터는 시드 ${seed}에서 뽑은 무작위 수입니다.`,
    trained: (steps, first, now) =>
      `쿼리 1에는 키 1의 값을 출력하는 식으로 파라미터를 ${steps}단계 학습했습니다. 손실(loss)은 ${first}에서 ${now}까지 줄었습니다.`,
    difference: (value) => `헤드 간 최대 차이는 ${value}입니다.`,
    shapes: (queries, all, headSize, output) =>
      `쿼리 ${queries}, 키와 값 ${all}, 헤드당 은닉 유닛 ${headSize}개, 출력 ${output}.`,
  },

  maps: '모든 헤드의 맵',
  enlarged: '확대한 맵',
  enlargedLabel: (head) => `헤드 ${head} 확대: 가중치와 행·열의 합`,
  hint: '칸을 가리키거나 헤드를 고르십시오.',
  pattern: {
    diagonal: '자신',
    copy: '세 칸 전',
    even: '균등',
    single: '키 하나뿐',
    mixed: '혼합',
  },
  unnamed: '패턴: ?',
  noKey: '유효한 키 없음',
  measures: (largest, entropy) => `max\u00a0${largest}, H\u00a0${entropy}`,
  caption:
    '행은 쿼리, 열은 키입니다. 헤드 이름 아래에는 패턴, 최대 가중치, 그리고 행의 평균 엔트로피(entropy) H(단위 nat)가 있습니다. 가중치의 절반을 넘게 받고 다른 패턴보다 0.2 이상 많이 받은 패턴에만 이름을 붙입니다. 확대한 맵의 가장자리에는 행과 열의 합이 있습니다.',

  own: {
    pasted: '수, 한 행에 토큰 하나',
    hint: (length) =>
      `CSV, 또는 형상이 (토큰, 크기)인 JSON, 또는 이런 배열을 queries, keys, values라는 이름으로 담은 객체. 토큰은 최대 ${length}개입니다.`,
    file: '또는 파일을 고르거나 끌어다 놓기',
    fileHint:
      'queries, keys, values가 있는 CSV, JSON, .npy, .safetensors 파일. 파일은 이 기기에만 남습니다.',
    tooLong: (length, longest) =>
      `최대 ${longest}자여야 하지만 ${length}자입니다. 더 길면 파일을 쓰십시오. 맵은 여전히 마지막 수의 결과입니다.`,
    held: (name) => `${name} 파일의 결과입니다.`,
    failed: (name, reason) => `${name} 파일을 불러오지 못했습니다. ${reason}`,
  },

  arithmetic: {
    title: '이 가중치의 계산 과정',
    caption: (head, query, key) => `헤드 ${head}: 쿼리 ${query}, 키 ${key}`,
    columns: ['단계', '수', '결과'],
    mask: '마스크',
    sum: '÷ 합',
    more: (number) => `… 외 ${number}개`,
    seen: '보임: 점수를 유지합니다',
    hidden: '마스크됨: 점수가 −∞가 됩니다',
    fromLargest: (score, largest) => `e의 ${score} − ${largest} 제곱, 뒤의 수는 행의 최댓값`,
    nothing: '행에 보이는 키가 없습니다',
    weighed: '헤드의 출력에 더해집니다',
    sums: (row, column) => `행의 합은 ${row}, 열의 합은 ${column}입니다.`,
  },
};
