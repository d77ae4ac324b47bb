/** What the act look says, in Korean. */
import { formatBytes } from '../../format/numbers.js';
import { listOf, quoted } from '../../format/sentences.js';
import type { Translation } from '../../format/translation.js';
import type { Head } from '../../worker/heads.js';

const place = ({ layer, head }: Head): string => `${layer + 1}층 ${head + 1}번 헤드`;
const heads = (number: number): string => `헤드 ${number}개`;
const shapeOf = (numHeads: readonly number[]): string =>
  new Set(numHeads).size === 1
    ? `층 ${numHeads.length}개, 층마다 ${heads(numHeads[0])}`
    : `층 ${numHeads.length}개, 층별 헤드 수 ${numHeads.join(', ')}`;

export const lookIntro: Translation<typeof import('./first/words.js').intro> = {
  short: '살펴보기',
  title: '살펴보기: 헤드 넷, 문장 하나',
  lead: '[헤드|head](head)는 저마다의 방식으로 같은 질문에 답합니다. *어느 단어를 보아야 할까?*',
};

export const reading: Translation<typeof import('../../reading/sentence-field.js').words> = {
  label: '내 문장(영어)',
  examples: '예문',
  starts: '모델을 불러오는 중입니다.',
  notRead: '모델이 문장을 읽지 못했습니다.',
  loading: (done, total) => `모델을 불러오는 중: ${total} 중 ${done}.`,
  cut: (maxCharacters) => `처음 ${maxCharacters}자만 남깁니다.`,
};

export const first: Translation<typeof import('./first/words.js').words> = {
  hint: '단어를 가리키거나 탭하면 그 단어가 어텐션을 주는 단어로 호가 이어집니다. 헤드를 누르면 그 헤드의 호만 보입니다.',
  label: '학습된 모델의 네 헤드가 한 문장에서 어텐션을 주는 곳',
  roles: {
    previous: '이전 단어',
    itself: '단어 자신',
    followed: '전에 뒤따른 것',
    earlier: '앞의 같은 단어',
    many: '여러 단어',
  },
  names: {
    query: '가리킨 단어는 *쿼리*(query)를 냅니다. 쿼리는 이 단어가 찾는 것입니다.',
    key: '모든 단어는 *키*(key)를 내고, 쿼리는 각 키와 비교됩니다. 둘이 잘 맞을수록 *어텐션 가중치*(attention weight)가 크고 호가 굵습니다. 한 헤드의 가중치의 합은 1입니다.',
    value:
      '모든 단어는 *값*(value)도 냅니다. 헤드의 출력은 어텐션 가중치로 가중한 값들의 평균입니다.',
    head: '*헤드*(head)는 이 모든 것을 자신의 파라미터로 계산합니다. *멀티헤드 어텐션*(multi-head attention)은 여러 헤드를 나란히 실행하고, 출력을 연결한 뒤 한 번 더 투영합니다.',
  },
  source: (names) =>
    `headwise로 학습한 작은 언어 모델이 이 가중치를 계산했습니다: ${names.join(', ')}. 이 모델에는 [인과 마스크|causal mask](causal mask)가 있어서 어떤 단어도 뒤에 오는 단어에 어텐션을 주지 않습니다.`,
  ownHint: (size) =>
    `입력하기 시작하면 페이지가 모델(${size})을 불러옵니다. 쓴 내용은 이 기기에만 남습니다.`,
  pieces: '모델이 모르는 단어는 조각으로 나뉩니다.',
  notLoaded: '모델의 코드를 불러오지 못했습니다. 연결을 확인한 뒤 다시 입력하십시오.',

  textEmpty: '시작하려면 단어를 입력하십시오.',
  tokens: (number) => `모델이 토큰 ${number}개를 읽습니다.`,
  omitted: (tokens, omittedWords) =>
    `처음 ${tokens}개만 읽으며, 마지막 단어 ${omittedWords}개는 빠집니다.`,
  headName: place,
};

export const lookRoleNames: Translation<typeof import('./words.js').roleNames> = {
  previousToken: '이전',
  induction: '귀납',
  firstToken: '처음',
  diagonal: '자신',
};

export const look: Translation<typeof import('./words.js').words> = {
  goalTask: '가장 확률이 높은 토큰이 바뀔 때까지, 되도록 적은 수의 헤드를 닫으십시오.',
  goalReached: (shut, now, before) =>
    `${heads(shut)}를 닫자 “${before}” 대신 “${now}” 토큰이 1위가 되었습니다.`,
  waits: '여기에 이르면 모델을 불러옵니다.',
  model: (name, numHeads) => `${name}: ${shapeOf(numHeads)}.`,
  openAll: '모든 헤드 열기',
  shutNow: (shut) =>
    shut === 0 ? '모든 헤드가 열려 있습니다.' : `${heads(shut)}가 닫혀 있습니다.`,
  noSuchHead: (given, numHeads) =>
    `모델의 구성은 ${shapeOf(numHeads)}입니다. 주소의 ${given.join(', ')}은(는) 무시했습니다.`,

  boardTitle: '모든 헤드, 층별로',
  boardNote:
    '행은 쿼리, 열은 키이며, 빗금 친 키는 마스크된 것입니다. 헤드의 이름은 이 문장에서 가중치의 대부분을 받는 토큰에서 옵니다. 어떤 이름도 나머지보다 20포인트 이상 앞서지 않으면 “혼합”입니다. Alt 키를 누른 채 맵을 클릭하면 그 헤드가 닫힙니다.',
  mixed: '혼합',
  tile: (head, role) => `${place(head)}: ${role}`,
  show: (head, role, isOpen) => `${place(head)} 보기: ${role}${isOpen ? '' : ', 닫힘'}`,
  gate: (head) => `${place(head)}의 게이트`,
  open: '열림',
  shut: '닫힘',

  next: (token) => `“${token}” 다음 토큰`,
  nextOpen: '모든 헤드 열림',
  nextNow: '현재',
  noNext: '이 모델은 인과적이지 않으므로 다음 토큰을 예측하지 않습니다.',
  bar: (token, now, before) =>
    now === before ? `${token}: ${now}` : `${token}: ${now}, 모든 헤드를 열었을 때 ${before}`,
  axis: (most) => `0~${most}`,
  lens: '층마다 예측할 토큰',
  output: '출력',
  after: (layer) => (layer === 0 ? '임베딩' : `${layer}층`),

  selected: '선택한 헤드',
  view: '보기',
  views: { arcs: '호', map: '맵' },

  more: '모델 열기',
  folder: '폴더',
  files: 'GGUF 파일 하나, 또는 폴더의 파일들',
  address: '위 둘 중 하나의 주소',
  openAddress: '열기',
  cancel: '취소',
  modelHint:
    '폴더에는 디코더(GPT-2, Llama, Qwen 등)나 인코더(BERT 등)의 config.json, model.safetensors, tokenizer.json이 있어야 합니다. 가중치는 최대 800\u00a0MB입니다. 아무것도 이 기기 밖으로 나가지 않습니다.',
  builtIn: '작은 모델로 돌아가기',
  notAModel: '이 파일은 이 페이지에서 실행할 수 있는 모델이 아닙니다.',
  refused: (reason) => `열지 못했습니다. ${reason}`,

  exportNames: { board: '한 문장의 모든 헤드', selected: '선택한 헤드' },
};

export const checkpoint: Translation<typeof import('../../worker/checkpoint-error.js').words> = {
  builtInModel: '작은 언어 모델',

  missing: (names) =>
    `없는 파일: ${listOf(names)}. config.json, model.safetensors, tokenizer.json이 있는 폴더나 GGUF 파일 하나를 선택하십시오.`,
  sharded:
    '가중치가 여러 파일에 나뉘어 있습니다(model.safetensors.index.json). 먼저 model.safetensors 하나로 저장하십시오.',
  large: (bytes, most) =>
    `가중치의 크기는 ${formatBytes(bytes)}입니다. 이 페이지는 최대 ${formatBytes(most)}까지 엽니다.`,
  malformed: (name) => `${name} 파일은 JSON 객체가 아닙니다.`,
  noText: '텍스트를 읽는 모델이 아닙니다. 토큰을 읽는 디코더나 인코더여야 합니다.',
  hasEncoder:
    '텍스트 외에 소스 시퀀스도 필요한 인코더-디코더 모델입니다. 디코더나 인코더 하나로 된 모델이어야 합니다.',
  unknown: (token) => `토크나이저에 ${quoted(token)}에 해당하는 토큰이 없습니다.`,
  tokens: (token, size) =>
    `tokenizer.json에 토큰 ${token}이(가) 있지만 모델의 토큰은 ${size}개뿐입니다. 서로 다른 모델의 파일입니다.`,
  download: (name, status) =>
    status === 404
      ? `모델 파일 ${name}을(를) 찾을 수 없습니다(404).`
      : `서버가 모델 파일 ${name}을(를) 거부했습니다(${status}).`,
  unreachable: (name) =>
    `모델 파일 ${name}을(를) 불러오지 못했습니다. 연결을 확인하십시오. 다른 사이트의 서버는 이 페이지가 읽도록 허용해야 합니다(CORS).`,
  address: (written) => `${quoted(written)}은(는) 주소가 아닙니다. https://로 시작해야 합니다.`,
};
