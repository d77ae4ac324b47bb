/** The act of the language model in Korean. */
import { formatBytes } from '../../format/numbers.js';
import { listOf, quoted } from '../../format/sentences.js';
import type { Translation } from '../../format/translation.js';
import type { words as EnglishCheckpoint } from '../../worker/checkpoint-words.js';
import type { intro as EnglishWordsIntro } from './intro.js';
import type { roleNames as EnglishWordsRoleNames, words as EnglishWords } from './words.js';
import type { Head } from '../../worker/heads.js';

const place = ({ layer, head }: Head): string => `${layer + 1}층 ${head + 1}번 헤드`;
const heads = (number: number): string => `헤드 ${number}개`;

export const wordsRoleNames: Translation<typeof EnglishWordsRoleNames> = {
  previousToken: '이전',
  induction: '귀납',
  firstToken: '처음',
  diagonal: '자신',
};

export const words: Translation<typeof EnglishWords> = {
  panel: '텍스트와 헤드',
  goalTask: '가장 확률이 높은 토큰이 바뀔 때까지, 되도록 적은 수의 헤드를 닫으십시오.',
  goalReached: (shut, now, before) =>
    `${heads(shut)}를 닫자 “${before}” 대신 “${now}” 토큰이 1위가 되었습니다.`,
  text: '텍스트',
  textHint: '최대 200자. 아무것도 이 기기 밖으로 나가지 않습니다.',
  textCut: (characters) => `${characters}자로 잘랐습니다.`,
  textEmpty: '시작하려면 단어를 입력하십시오.',
  tokens: (number, most, isCut) =>
    isCut ? `텍스트의 처음 ${most}개 토큰입니다.` : `토큰 ${number}개.`,
  loading: '모델을 불러오는 중…',
  loaded: (done, total) => `모델을 불러오는 중: ${total} 중 ${done}.`,
  opening: '파일을 여는 중…',
  model: (name, layers, numHeads) => `${name}: 층 ${layers}개, ${heads(numHeads)}.`,
  openAll: '모든 헤드 열기',
  shutNow: (shut) =>
    shut === 0 ? '모든 헤드가 열려 있습니다.' : `${heads(shut)}가 닫혀 있습니다.`,

  board: '텍스트의 토큰에 대한 모든 층의 모든 헤드',
  layer: (layer) => `${layer + 1}층`,
  mixed: '혼합',
  show: (head, role) => `${place(head)} 보기: ${role}`,
  gate: (head, rise) =>
    `${place(head)}의 게이트` +
    (rise === undefined ? '' : `, 이 헤드가 없을 때의 손실 ${rise}내트`),
  open: '열림',
  shut: '닫힘',
  boardNote:
    '행은 쿼리(query), 열은 키(key)입니다. 뒤에 오는 키는 마스크되며 빗금으로 표시됩니다. 헤드의 이름은 이 텍스트에서 어텐션 가중치(attention weight)의 대부분이 어디로 가는지를 그 비율과 함께 나타냅니다. “혼합”은 어떤 비율도 .3에 이르지 않는다는 뜻입니다.',

  next: '다음 토큰',
  nextLabel: '가장 확률이 높은 다음 토큰',
  nextOpen: '모든 헤드 열림',
  nextNow: '현재',
  noNext: '이 모델은 인과적이지 않으므로 다음 토큰을 예측하지 않습니다.',
  bar: (token, now, before) =>
    now === before ? `${token}: ${now}` : `${token}: ${now}, 모든 헤드를 열었을 때 ${before}`,
  axis: (most) => `0~${most}`,

  selected: '선택한 헤드',
  view: '보기',
  views: { arcs: '호', map: '맵' },
  name: (head, role) => `${head + 1} ${role}`,

  study: '순위, 닫기, 시간',
  rank: '제거 실험으로 순위 매기기',
  ranking: (done, total) => `제거 실험(ablation): ${total}회 중 ${done}회.`,
  ranked:
    '각 게이트 옆의 수는 그 헤드가 없을 때 이 텍스트에서 손실(loss)이 늘어나는 양이며, 단위는 토큰당 내트입니다.',
  prune: '덜 중요한 헤드 닫기',
  pruneValue: (number) => heads(number),
  time: '닫은 헤드를 빼고 시간 재기',
  timing: (done, total) => `시간 측정: ${total}쌍 중 ${done}번째 쌍.`,
  stop: '중지',
  stopped: '중지했습니다.',
  cannotPrune: (layer) =>
    `모든 층에는 헤드가 하나는 남아 있어야 합니다. ${layer + 1}층의 헤드를 하나 여십시오.`,
  timed: (whole, pruned, tokens) =>
    `토큰 ${tokens}개에 대한 순전파 한 번: 닫은 헤드를 빼면 ${pruned}\u00a0ms, 모든 헤드를 쓰면 ${whole}\u00a0ms.`,
  ratio: (ratio, lower, upper, pairs) =>
    `번갈아 잰 ${pairs}쌍의 비율 중앙값 ${ratio}, 95\u00a0% 구간 ${lower}~${upper}:`,
  faster: '더 빠릅니다.',
  slower: '더 느립니다.',
  level: '측정 가능한 차이가 없습니다.',

  more: '내 모델 쓰기',
  folder: '체크포인트 열기: 폴더',
  files: '또는 개별 파일',
  checkpointHint:
    '디코더(GPT-2, Llama, Mistral, Qwen2)나 인코더(BERT 등)의 config.json, model.safetensors, tokenizer.json. 최대 800\u00a0MB. 파일은 이 기기에만 남습니다.',
  builtIn: '작은 모델로 돌아가기',
  notAModel: '이 파일은 이 페이지에서 실행할 수 있는 모델이 아닙니다.',
  notRun: '모델이 이 작업을 할 수 없었습니다.',
  refused: (reason) => `열지 못했습니다. ${reason}`,

  exportNames: { board: '텍스트의 헤드', selected: '선택한 헤드' },
};

export const wordsIntro: Translation<typeof EnglishWordsIntro> = {
  short: '텍스트',
  title: '내 글을 읽는 실제 모델',
  lead: '학습된 언어 모델이 텍스트의 다음 [토큰|token](token)을 예측합니다. 헤드(head)의 [게이트|gate](gate)를 닫아 가며 예측이 어느 헤드에 달려 있는지 살펴보십시오.',
  paragraphs: [],
};

export const checkpoint: Translation<typeof EnglishCheckpoint> = {
  builtInModel: '작은 언어 모델',

  missing: (names) =>
    `없는 파일: ${listOf(names)}. 폴더를 선택하거나 config.json, model.safetensors, tokenizer.json을 한꺼번에 선택하십시오.`,
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
  nothingToPredict: '이 텍스트에는 예측할 다음 토큰이 없습니다.',
  download: (status) => `모델 파일을 불러오지 못했습니다(HTTP ${status}).`,
};
