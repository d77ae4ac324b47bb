/** The questions of the chapter's readers, in Korean. */
import type { Translation } from '../format/translation.js';
import type { words as English } from './words.js';

export const questions: Translation<typeof English> = {
  title: '독자의 질문',
  entries: {
    'h-projections': {
      question: '헤드가 h개면 투영도 h개 필요한데, 왜 Linear 층은 하나뿐입니까?',
      answer:
        '출력이 num_hiddens개인 Linear 층 하나의 가중치는 행이 num_hiddens / h개인 블록 h개로 이루어지며, [헤드|head](head)마다 블록이 하나씩 있습니다. transpose_qkv의 reshape는 각 헤드에 그 헤드의 블록이 계산한 열을 줍니다. 결과는 작은 Linear 층 h개의 결과와 같지만, 큰 행렬 곱 한 번으로 얻습니다.',
    },
    'input-slice': {
      question: '각 헤드는 입력의 한 조각만 받습니까?',
      answer:
        '아니요, W_q, W_k, W_v의 각 행에는 입력의 모든 특성에 대한 가중치가 있으므로 각 헤드는 입력 전체를 투영합니다. 나뉘는 것은 [투영|projection](projection)의 결과입니다. 입력을 먼저 나누면 한 헤드가 특성의 1/h만 보는 그룹 합성곱(grouped convolution)이 됩니다.',
    },
    'giant-head': {
      question: '왜 거대한 헤드 하나를 쓰지 않습니까?',
      answer:
        '파라미터 수는 같고 비용도 거의 같지만 [소프트맥스|softmax](softmax)가 하나뿐이어서, 쿼리(query)마다 키(key)에 대한 [어텐션 가중치|attention weight](attention weight)의 분포가 하나이고 가중 평균 하나가 모든 목적을 감당해야 합니다. 헤드가 h개면 쿼리마다 분포가 h개이므로 이전 토큰과 첫 토큰에 동시에 어텐션을 줄 수 있습니다. Vaswani et al. (2017)에서는 헤드 하나의 BLEU가 가장 좋은 헤드 수보다 0.9 낮았습니다.',
    },
    'two-transposes': {
      question: '두 번의 전치는 무엇을 위한 것입니까?',
      answer:
        'transpose_qkv는 헤드의 축을 배치의 축 옆으로 옮겨 (batch, n, num_hiddens)를 (batch · h, n, num_hiddens / h)로 바꾸므로, 배치 행렬 곱 한 번으로 모든 헤드를 계산할 수 있습니다. transpose_output은 이를 되돌려 헤드를 연결합니다. 둘 다 수를 재배열할 뿐이지만, 전치 없이 reshape만 하면 토큰과 특성이 뒤섞입니다.',
    },
    'output-projection': {
      question: 'W_o는 무엇을 위한 것입니까?',
      answer:
        '연결한 뒤에도 각 수는 여전히 한 헤드에서만 나온 것입니다. W_o는 헤드를 결합하는 유일한 단계로, 출력의 각 수는 모든 헤드의 특성에 걸친 합입니다. W_o의 열은 헤드별로 묶여 있으며, 한 헤드가 출력에 얼마나 기여하는지를 정합니다.',
    },
    'query-size': {
      question: '층에는 왜 query_size, key_size, value_size가 있습니까?',
      answer:
        'W_q, W_k, W_v의 입력 크기이며 서로 다를 수 있습니다. 예를 들어 [교차 어텐션|cross-attention](cross-attention)에서는 쿼리가 인코더(encoder)보다 폭이 좁은 디코더(decoder)에서 올 수 있고, 쿼리와 키의 크기는 내적을 위해 투영한 뒤에만 같으면 됩니다. 교재 코드의 이전 버전은 세 크기를 넘겨받았지만, 지금의 코드는 첫 입력에서 크기를 읽는 LazyLinear를 씁니다.',
    },
    'same-input': {
      question: '쿼리, 키, 값은 서로 같습니까?',
      answer:
        '[셀프 어텐션|self-attention](self-attention)에서 세 입력은 같은 텐서이지만, W_q, W_k, W_v가 다르므로 계산된 쿼리, 키, 값(value)도 다릅니다. [교차 어텐션|cross-attention]에서는 쿼리와 키·값이 서로 다른 시퀀스에서 옵니다. q와 k의 수가 같다면 토큰의 자신에 대한 점수는 ‖q‖²/√d로 결코 음수가 아니며, j에 대한 i의 점수는 i에 대한 j의 점수와 같을 것입니다.',
    },
    'why-sqrt-d': {
      question: '왜 √d로 나눕니까?',
      answer:
        'q와 k의 성분이 서로 독립이고 평균이 0, 분산이 1이면 그 내적의 분산은 d입니다. 나누지 않으면 큰 헤드의 [점수|score](score)가 서로 크게 벌어져 [소프트맥스|softmax]가 가중치를 거의 모두 키 하나에 주게 되며, 그곳에서는 소프트맥스의 기울기(gradient)가 0에 가깝습니다. √d로 나누면 모든 d에서 분산이 1입니다.',
    },
    'masked-queries': {
      question: '유효 길이는 쿼리도 마스크합니까?',
      answer:
        '아니요, 키만 마스크하므로 패딩(padding) 쿼리에도 유효한 키에 대한 합이 1인 가중치와 출력이 있습니다. 쿼리에 대해서는 평균을 내지 않고, 뒤의 층은 이 토큰을 키로서 마스크하며, 손실은 그 출력을 제외하므로 해롭지 않습니다. 샘플마다가 아니라 쿼리마다 [유효 길이|valid length](valid length)를 주면 [인과 마스크|causal mask](causal mask)처럼 쿼리마다 저마다의 키를 마스크합니다.',
    },
    'why-heads-differ': {
      question: '모두 같은 계산을 하는데 왜 헤드는 서로 다릅니까?',
      answer:
        '헤드의 파라미터가 처음부터 서로 다른 무작위 수이므로, 헤드마다 다른 기울기를 받아 점점 달라집니다. W_o의 열까지 포함해 파라미터가 똑같은 헤드는 똑같은 기울기를 받아 계속 똑같을 것입니다. 손실에는 헤드가 서로 다르기를 요구하는 것이 없으며, 학습한 뒤에 다른 헤드와 거의 같은 일을 하는 헤드도 있습니다.',
    },
    ensemble: {
      question: '헤드들은 앙상블입니까?',
      answer:
        '일반적인 의미로는 아닙니다. 앙상블(ensemble)에서는 구성원을 따로 학습해 저마다 과제를 풀고 그 예측의 평균을 내지만, 헤드는 하나의 손실로 함께 학습되며 저마다 W_o가 더하는 것의 일부만 계산합니다. 혼자서는 쓸모없는 헤드가 다른 헤드에 필요할 수도 있는데, [귀납 헤드|induction head](induction head)에는 이전 토큰에 어텐션을 주는 앞 층의 헤드가 필요합니다.',
    },
    'weight-importance': {
      question: '어텐션 가중치는 중요도입니까?',
      answer:
        '아니요, 키 j가 층의 출력에 기여하는 것은 가중치와 v_j W_o의 곱이며, 이 벡터는 가중치가 큰 키에서도 짧을 수 있습니다. 그래서 Kobayashi et al. (2020)은 노름, 곧 가중치 × ‖v_j W_o‖를 비교합니다. 기여가 크더라도 예측에는 중요하지 않을 수 있으며, 이는 [제거 실험|ablation](ablation)으로만 알 수 있습니다.',
    },
    'untrained-gate': {
      question: '학습되지 않은 모델에서는 왜 게이트가 아무것도 알려 주지 않습니까?',
      answer:
        '[게이트|gate](gate)를 닫으면 출력은 항상 바뀌지만, 헤드가 중요하다는 것은 과제를 푸는 모델의 손실(loss)이 그 헤드 없이는 나빠진다는 뜻입니다. 학습되지 않은 모델은 추측할 뿐이어서, 손실의 변화에 정해진 부호가 없고 시드를 바꾸면 순위도 바뀝니다. 먼저 학습한 다음 측정하십시오.',
    },
    'softmax-over-outputs': {
      question: '왜 출력에 대한 소프트맥스로 헤드에 가중치를 주지 않습니까?',
      answer:
        '그런 [소프트맥스|softmax]의 가중치는 합이 1이므로, 여러 헤드가 동시에 온전히 필요하더라도 헤드끼리 경쟁하게 됩니다. 또 W_o가 어떤 헤드든 작게 줄일 수 있으므로, 출력이 얼마나 큰지를 잴 뿐 예측이 그 출력을 쓰는지는 재지 못합니다. Voita et al. (2019)은 헤드마다 [게이트|gate]를 하나씩 두고 어느 게이트를 닫을 수 있는지 학습합니다.',
    },
    'more-heads': {
      question: '헤드는 많을수록 좋습니까?',
      answer:
        '그 자체로는 아닙니다. num_hiddens가 정해져 있으면 헤드 h개의 쿼리와 키는 특성이 num_hiddens / h개씩이며, Vaswani et al. (2017)에서는 헤드 8개와 16개가 가장 좋았고 32개의 BLEU는 0.4 낮았습니다. 학습한 뒤에는 많은 헤드를 가지치기(pruning)할 수 있어서, Voita et al. (2019)은 BLEU 0.15를 잃고 인코더 헤드 48개 중 38개를 제거했습니다.',
    },
  },
};
