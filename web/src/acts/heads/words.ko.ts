/** The act of the heads in Korean. */
import { quoted } from '../../format/sentences.js';
import type { Translation } from '../../format/translation.js';
import type { intro as EnglishHeadsIntro } from './intro.js';
import type { words as EnglishHeadsState } from './state-words.js';
import type { words as EnglishHeads } from './words.js';

const shapeOf = (shape: readonly number[]): string => `(${shape.join(', ')})`;

const some = (names: readonly string[]): string =>
  names.length === 0 ? '없음' : names.slice(0, 4).join(', ') + (names.length > 4 ? ', …' : '');

export const headsIntro: Translation<typeof EnglishHeadsIntro> = {
  short: '헤드',
  title: '헤드',
  lead: '입력이 무작위이면 키(key)가 서로 다르고, 헤드(head)마다 자신의 파라미터로 키를 [투영|projection](projection)하므로 헤드도 서로 다릅니다.',
  paragraphs: [
    '이 파라미터는 학습되지 않았으므로 어느 헤드도 뚜렷한 선호가 없습니다. [어텐션 가중치|attention weight](attention weight)는 균등에 가깝습니다.',
    '한 샘플의 유효한 키를 하나로 줄이고, 그다음 하나도 없게 해 보십시오. 어떤 가중치가 남습니까? 입력을 다시 1로 돌리고 시드를 바꾸어 보십시오. 파라미터는 바뀌지만 맵은 바뀌지 않습니다. 심어 놓은 패턴에서는 모든 헤드에 역할이 있습니다. 문장을 입력하거나 직접 준비한 수를 쓸 수도 있습니다.',
  ],
};

export const headsState: Translation<typeof EnglishHeadsState> = {
  user: {
    unreadable: '손상되었거나 이 페이지가 읽지 못하는 종류입니다.',
    nothing: '수로 된 행이나 중첩된 JSON 배열을 붙여 넣으십시오.',
    notJson: 'JSON처럼 시작하지만 올바른 JSON이 아닙니다. 괄호와 쉼표를 확인하십시오.',
    notNumber: (cell, row) =>
      cell === ''
        ? `${row}행에서 수가 있어야 할 칸이 비어 있습니다.`
        : `${row}행에서 수가 있어야 할 칸의 내용이 “${cell.slice(0, 20)}”입니다.`,
    noQueries: (names) =>
      `queries가 있고, 다르다면 keys와 values도 있는 객체여야 합니다. 받은 것: ${some(names)}.`,
    shape: (name, shape, { batch, length, size }) =>
      `${name}의 형상은 (토큰, 크기) 또는 (샘플, 토큰, 크기)여야 하며, 샘플은 최대 ${batch}개, 토큰은 최대 ${length}개, 토큰당 수는 최대 ${size}개입니다. 받은 것: ${shapeOf(shape)}.`,
    longRow: (row, length, size, digits) =>
      `한 행에는 최대 ${digits}자인 수가 최대 ${size}개 있을 수 있습니다. ${row}행은 ${length}자입니다.`,
    notNumbers: (name) => `수만 있어야 합니다. ${name}에 다른 것이 들어 있습니다.`,
    uneven: (name) => `모든 행의 길이가 같아야 합니다. ${name}의 행은 길이가 서로 다릅니다.`,
    notFinite: (name) => `유한한 수여야 합니다. ${name}에 NaN이나 무한대가 들어 있습니다.`,
    disagree: (shapes) =>
      `queries, keys, values의 샘플 수가 같고 값의 수가 키의 수와 같아야 합니다. 받은 것: ${shapes.map(shapeOf).join(', ')}.`,
  },
  corrections: {
    file: (name) =>
      `이 화면에는 링크에 담을 수 없는 파일 ${quoted(name)} 필요: 화면을 보려면 파일을 다시 고르십시오.`,
    pasted:
      '이 화면에는 링크에 담을 수 있는 양을 넘는, 붙여 넣은 수가 필요합니다. 화면을 보려면 다시 붙여 넣으십시오.',
    tooManyNumbers: (longest) => `주소의 수가 ${longest}자보다 길어서 무시했습니다.`,
    numbers: (reason) => `주소의 수를 읽을 수 없습니다. ${reason}`,
    typed: (name, lines, tokens, characters) =>
      `주소의 ${name} 값이 토큰 ${tokens}개씩 ${lines}줄, ${characters}자보다 길어서 잘랐습니다.`,
  },
};

export const heads: Translation<typeof EnglishHeads> = {
  figure: '선택한 입력에 대한 모든 헤드의 가중치',
  maps: '모든 헤드의 맵',
  largest: ({ sample, head, query, key, weight }) =>
    `최대 가중치는 ${weight}: 샘플 ${sample}, ${head}번 헤드에서 쿼리 ${query}의 키\u00a0${key}에 대한 가중치입니다.`,
  even: '모든 행이 균등합니다. 모든 키가 같으면 어떤 헤드도 키를 골라 선호할 수 없습니다.',
  nothing: '유효한 키가 있는 샘플이 없으므로 모든 가중치가 0입니다.',
  pattern: (found, planted) =>
    planted === undefined || planted === found ? found : `${found}, 심은 것: ${planted}`,
  measures: (largest, entropy) => `max\u00a0${largest}, H\u00a0${entropy}`,
  noKey: '유효한 키 없음',
  caption:
    '각 헤드의 이름 아래: 그 샘플에서의 패턴, 최대 가중치, 그리고 H, 곧 행의 평균 엔트로피(entropy). H의 단위는 내트(nat)이며, 모든 쿼리(query)가 키 하나에만 어텐션을 주면 0입니다. 확대한 맵의 가장자리: 각 행의 합과 각 키의 가중치 총합.',
  unnamed: '패턴: ?',
  goal: {
    task: '세 칸 전을 보는 헤드를 찾으십시오. 입력으로 “패턴”을 고르고, 맵을 비교해 그 헤드를 표시하십시오.',
    question: '세 칸 전을 보는 헤드는 어느 것입니까?',
    answer: (head) => `${head}번 헤드가 세 칸 전을 봅니다`,
    reached: '맵만 보고 헤드를 찾았습니다.',
    outcomes: {
      copy: ({ head, weight, elsewhere }) =>
        `${head}번 헤드가 세 칸 전의 키에 주는 가중치는 평균 ${weight}, 다른 헤드는 최대 ${elsewhere}입니다.`,
      previousToken: ({ head, weight, onCopy }) =>
        `${head}번 헤드는 이전 토큰을 봅니다. 평균 가중치는 ${weight}, 세 칸 전의 키에는 ${onCopy}입니다.`,
      firstToken: ({ head, weight, onCopy }) =>
        `${head}번 헤드는 첫 토큰을 봅니다. 평균 가중치는 ${weight}, 세 칸 전의 키에는 ${onCopy}입니다.`,
      diagonal: ({ head, weight, onCopy }) =>
        `${head}번 헤드에서는 각 토큰이 자신을 봅니다. 평균 가중치는 ${weight}, 세 칸 전의 키에는 ${onCopy}입니다.`,
      even: ({ head, onCopy }) =>
        `${head}번 헤드는 모든 키에 같은 가중치를 줍니다. 세 칸 전의 키에는 ${onCopy}입니다.`,
      mixed: ({ head, onCopy }) =>
        `${head}번 헤드는 어느 위치도 선호하지 않습니다. 세 칸 전의 키에 주는 가중치는 평균 ${onCopy}입니다.`,
    },
  },

  patterns: {
    previousToken: '이전 토큰',
    firstToken: '첫 토큰',
    diagonal: '자신',
    copy: '세 칸 전',
    even: '균등',
    mixed: '혼합',
    note: '토큰은 원-핫(one-hot) 위치와 무작위 내용으로 이루어집니다. 한 헤드의 쿼리는 이전 토큰, 첫 토큰, 자신, 세 칸 전의 토큰 중 하나를 보거나 모두를 똑같이 봅니다. 어느 헤드가 무엇을 보는지는 시드가 정합니다.',
    names: '이름 보기',
  },

  controls: {
    panel: '층의 입력과 설정',
    more: '마스크, 스케일, 드롭아웃, 색',
    input: '입력',
    inputs: {
      ones: '모두 1',
      random: '무작위',
      patterns: '패턴',
      text: '텍스트',
      own: '직접',
    },
    heads: '헤드',
    scale: '스케일 계수(× 1/√d)',
    dropout: '드롭아웃',
    causal: '인과',
    contrast: '헤드별 대비',
    sample: '샘플',
    validLen: (sample) => `샘플 ${sample}의 유효 길이`,
  },

  typed: {
    label: '텍스트, 한 줄에 샘플 하나',
    hint: (lines, tokens) =>
      `토큰(token) ${tokens}개씩 최대 ${lines}줄. 서로 다른 토큰마다 고유한 무작위 임베딩이 있으며, 위치가 달라도 같습니다.`,
    nothing: '단어를 하나 이상 입력하십시오. 맵은 여전히 마지막 텍스트의 결과입니다.',
    cut: (lines, tokens, characters) =>
      `토큰 ${tokens}개씩 최대 ${lines}줄, ${characters}자까지만 표시하고 나머지는 뺐습니다.`,
    tokens: '토큰',
    kinds: { words: '단어', letters: '글자' },
    positions: '위치 인코딩',
  },

  user: {
    pasted: '수, 한 행에 토큰 하나',
    pastedHint: ({ batch, length }) =>
      `CSV 또는 JSON: (토큰, 크기), (샘플, 토큰, 크기), 또는 이런 배열을 queries, keys, values라는 이름으로 담은 객체. 토큰 ${length}개인 샘플 최대 ${batch}개.`,
    file: '또는 파일을 고르거나 끌어다 놓기',
    fileHint:
      'queries, keys, values가 있는 .npy나 .safetensors, 또는 층의 파라미터가 있는 .safetensors. 파일은 이 기기에만 남습니다.',
    heldPasted: (longest) =>
      `붙여 넣은 수의 결과입니다. 링크에 담을 수 있는 ${longest}자를 넘으므로, 이 화면의 링크를 여는 사람은 수를 다시 붙여 넣어야 합니다.`,
    tooLong: (length, longest) =>
      `최대 ${longest}자여야 하지만 ${length}자입니다. 더 길면 파일을 쓰십시오. 맵은 여전히 마지막 수의 결과입니다.`,
    heldTensors: (name) => `${name} 파일에 든 텐서의 결과입니다.`,
    heldParameters: (name, prefix) =>
      `${name} 파일에${prefix === '' ? '' : `서 “${prefix}” 아래에`} 든 파라미터와 무작위 입력의 결과입니다.`,
    failed: (name, reason) => `${name} 파일을 불러오지 못했습니다. ${reason}`,
    tooLarge: (size, largest) =>
      `최대 ${largest}\u00a0MB여야 하지만 ${Math.ceil(size)}\u00a0MB입니다.`,
    unknownFile: (name) =>
      `.npy, .safetensors, .json, .csv 파일이어야 합니다. 받은 것: ${name.slice(-40)}.`,
    noParameters: (names) =>
      `queries, keys, values라는 이름의 텐서나 어텐션 층의 파라미터(W_q.weight, in_proj_weight, query.weight 등)가 있어야 합니다. 받은 것: ${some(names)}.`,
    otherLayer:
      '선형 투영과 내적 풀링을 쓰는 층이어야 합니다. 이 페이지는 이런 층만 그릴 수 있습니다.',
  },

  gates: {
    title: '게이트',
    intro:
      '게이트(gate)는 출력 투영 전에 헤드의 출력에 곱하는 수입니다. 1이면 출력이 그대로이고, 0이면 헤드가 제거됩니다. 어텐션 가중치는 바뀌지 않습니다.',
    gate: (head) => `${head}번 헤드의 게이트`,
    gateShort: '게이트',
    open: '모두 열기',
    moved: (share) => `출력이 ${share}만큼 바뀝니다(상대 L2 노름).`,
    still: '모든 게이트가 열려 있습니다. 층 본래의 출력입니다.',
    name: '게이트의 효과',
    bars: '막대는 게이트 하나만으로 바뀌는 출력의 양(상대 L2 노름)입니다. 채운 막대는 게이트의 현재 값, 테두리는 0일 때입니다.',
    bar: (head, now, without) =>
      `헤드 ${head}: 출력이 이 게이트에서는 ${now}만큼, 헤드가 없으면 ${without}만큼 바뀝니다`,
    now: (share) => `현재 ${share}`,
    without: (share) => `없으면 ${share}`,
    loud: ({ most, mostShare, least, leastShare }) =>
      `출력은 ${most}번 헤드가 없을 때 가장 많이(${mostShare}), ${least}번 헤드가 없을 때 가장 적게(${leastShare}) 바뀝니다. 이는 헤드의 기여의 크기이지 중요도가 아닙니다.`,
    untrained:
      '중요도는 그 헤드가 없을 때 과제의 결과가 얼마나 나빠지는지를 뜻하는데, 이 층은 어떤 과제로도 학습되지 않았습니다.',
    unknownTask:
      '중요도는 그 헤드가 없을 때 과제의 결과가 얼마나 나빠지는지를 뜻하는데, 이 페이지는 주어진 파라미터의 과제를 알지 못합니다.',
    importance: '과제로 중요도 측정하기',
  },

  layer: {
    title: '층 전체',
    intro:
      '교재의 그림에 이 입력의 실제 형상을 적었습니다. 부분을 고르면 그 수를 볼 수 있고, 헤드를 고르면 모든 그림에서 그 헤드가 선택됩니다.',
    panel: '그림에 표시할 것',
    label: '쿼리, 키, 값에서 출력까지의 멀티헤드 어텐션',
    name: '층',
    parts: {
      queries: '쿼리',
      keys: '키',
      values: '값',
      W_q: 'W_q',
      W_k: 'W_k',
      W_v: 'W_v',
      q: '헤드의 q',
      k: '헤드의 k',
      v: '헤드의 v',
      weights: 'softmax(q kᵀ ÷ √d)',
      pooled: '가중치 × v',
      concat: '연결',
      W_o: 'W_o',
      output: '출력',
    },
    partLabel: (name, shape) => `${name.replace('_', '')}, ${shape}: 수 보기`,
    headLabel: (head) => `헤드 ${head}: 선택`,
    headsTitle: (number) => `헤드 ${number}개`,
    about: {
      queries: (sample) => `샘플 ${sample}의 쿼리, 쿼리마다 한 행.`,
      keys: (sample) => `샘플 ${sample}의 키, 키마다 한 행.`,
      values: (sample) => `샘플 ${sample}의 값(value), 키마다 한 행.`,
      W_q: (_sample, head) => `${head}번 헤드의 쿼리를 투영하는 W_q의 행.`,
      W_k: (_sample, head) => `${head}번 헤드의 키를 투영하는 W_k의 행.`,
      W_v: (_sample, head) => `${head}번 헤드의 값을 투영하는 W_v의 행.`,
      q: (sample, head) => `${head}번 헤드에 맞게 투영한 샘플 ${sample}의 쿼리.`,
      k: (sample, head) => `${head}번 헤드에 맞게 투영한 샘플 ${sample}의 키.`,
      v: (sample, head) => `${head}번 헤드에 맞게 투영한 샘플 ${sample}의 값.`,
      weights: (sample, head) => `샘플 ${sample}에 대한 ${head}번 헤드의 어텐션 가중치.`,
      pooled: (sample, head) =>
        `게이트를 거치기 전, 샘플 ${sample}에 대한 ${head}번 헤드의 출력, 쿼리마다 한 행.`,
      concat: (sample) => `게이트를 거친 뒤 연결한, 샘플 ${sample}에 대한 모든 헤드의 출력.`,
      W_o: (_sample, head) => `${head}번 헤드에 해당하는 W_o의 열.`,
      output: (sample) => `샘플 ${sample}에 대한 출력, 쿼리마다 한 행.`,
    },
    numbers: (part) => `${part}의 수`,
    truncated: (rows, columns, shape) => `${shape} 중 처음 ${rows}행과 ${columns}열.`,
    whole: (shape) => `${shape} 전체.`,
  },

  closeUp: {
    title: '확대한 맵',
    name: '확대한 맵',
    label: (head, sample) => `헤드 ${head}, 샘플 ${sample} 확대: 가중치와 행·열의 합`,
  },

  arithmetic: {
    title: '이 가중치의 계산 과정',
    hint: '아무 맵에서나 칸을 고르십시오. 예:',
    caption: (head, sample, query, key) => `헤드 ${head}, 샘플 ${sample}: 쿼리 ${query}, 키 ${key}`,
    columns: ['단계', '수', '결과'],
    dot: 'q · k',
    scale: (size, factor) => (factor === '1' ? `÷ √${size}` : `÷ √${size} × ${factor}`),
    mask: '마스크',
    exp: 'exp',
    sum: '÷ 합',
    dropout: '드롭아웃',
    value: '× v',
    more: (number) => `… 외 ${number}개`,
    seen: '보임: 점수를 유지합니다',
    hidden: '마스크됨: 점수가 −∞가 됩니다',
    fromLargest: (score, largest) =>
      `e의 ${score} − ${largest.startsWith('−') ? `(${largest})` : largest} 제곱, 뒤의 수는 행의 최댓값`,
    nothing: '행에 보이는 키가 없습니다',
    kept: (rate) => `유지됨, ÷ (1 − ${rate})`,
    dropped: '이번 계산에서 드롭아웃됨',
    weighed: '헤드의 출력에 더해집니다',
    sums: (row, column) => `행의 합은 ${row}, 열의 합은 ${column}입니다.`,
  },

  compare: {
    title: '두 헤드 비교',
    control: '비교할 헤드',
    none: '없음',
    head: (head) => `헤드 ${head}`,
    name: '두 헤드의 차이',
    minus: '빼기',
    label: (head, other, sample) =>
      `${head}번 헤드의 가중치 빼기 ${other}번 헤드의 가중치, 샘플 ${sample}`,
    legend: (head, other) =>
      `초록색: 헤드 ${head}의 가중치가 더 큼, 보라색: 헤드 ${other}의 가중치가 더 큼`,
    ends: (largest) => [`−${largest}`, '0', `+${largest}`],
    legendLabel: (largest) =>
      `차이의 색: −${largest}(보라색)에서 0(옅은 색)을 지나 ${largest}(초록색)까지`,
    same: '두 헤드의 가중치가 같습니다.',
    largest: (value) => `최대 차이는 ${value}입니다.`,
    cell: ({ query, key, value, masked }) =>
      `쿼리 ${query}, 키 ${key}: 차이 ${value}${masked ? ', 마스크됨' : ''}`,
  },
};
