// The language model in float64, by the formulas: the tokens that follow greedily, and the loss.
import { argmax, epsilon, rotation } from './language-model.mjs';

function project(row, { data, shape: [to, from] }) {
  const result = new Float64Array(to);
  for (let out = 0; out < to; out++) {
    let sum = 0;
    for (let i = 0; i < from; i++) sum += row[i] * data[out * from + i];
    result[out] = sum;
  }
  return result;
}

function normalize(row, { data }) {
  const meanSquare = row.reduce((sum, x) => sum + x * x, 0) / row.length;
  return row.map((x, i) => (x / Math.sqrt(meanSquare + epsilon)) * data[i]);
}

function rotate(row, position, { half, cos, sin }) {
  return row.map((x, i) => {
    const place = i % (2 * half);
    const at = position * half + (place % half);
    return place < half
      ? x * cos[at] - row[i + half] * sin[at]
      : x * cos[at] + row[i - half] * sin[at];
  });
}

/**
 * A sequence that grows token by token. `append` returns the last hidden state; `logitsOf` turns it into
 * logits. The unembedding is the embedding, unless the model has its own.
 */
export function newSequence(problem) {
  const { weights, numLayers, numHeads, numHiddens: D } = problem;
  const size = D / numHeads;
  const unembedding = weights['unembedding.weight'] ?? weights['embedding.weight'];
  const table = rotation(problem, problem.maxLength);
  const caches = Array.from({ length: numLayers }, () => ({ keys: [], values: [] }));

  function attend(q, { keys, values }) {
    const pooled = new Float64Array(D);
    for (let begin = 0; begin < D; begin += size) {
      const scores = keys.map((key) => {
        let sum = 0;
        for (let i = begin; i < begin + size; i++) sum += q[i] * key[i];
        return sum / Math.sqrt(size);
      });
      const largest = Math.max(...scores);
      const exponents = scores.map((score) => Math.exp(score - largest));
      const sum = exponents.reduce((a, b) => a + b);
      exponents.forEach((exponent, key) => {
        for (let i = begin; i < begin + size; i++) pooled[i] += (exponent / sum) * values[key][i];
      });
    }
    return pooled;
  }

  return {
    append(token) {
      const embedding = weights['embedding.weight'];
      let x = Float64Array.from(embedding.data.subarray(token * D, (token + 1) * D));
      const add = (row) => (x = x.map((number, i) => number + row[i]));
      caches.forEach((cache, i) => {
        const of = (name) => weights[`layers.${i}.${name}.weight`];
        const position = cache.keys.length;
        const normed = normalize(x, of('norm'));
        const q = rotate(project(normed, of('attention.W_q')), position, table);
        cache.keys.push(rotate(project(normed, of('attention.W_k')), position, table));
        cache.values.push(project(normed, of('attention.W_v')));
        add(project(attend(q, cache), of('attention.W_o')));
        const y = normalize(x, of('ffn_norm'));
        const gate = project(y, of('ffn.gate'));
        const up = project(y, of('ffn.dense1'));
        const hidden = up.map((number, j) => (number * gate[j]) / (1 + Math.exp(-gate[j])));
        add(project(hidden, of('ffn.dense2')));
      });
      return x;
    },
    logitsOf: (x) => project(normalize(x, weights['norm.weight']), unembedding),
  };
}

/** What `generateGreedily` answers. */
export function greedyTokens(problem) {
  const { tokens, newTokens, weightType } = problem;
  const sequence = newSequence(problem);
  let hidden;
  for (const token of tokens) hidden = sequence.append(token);
  let logits = sequence.logitsOf(hidden);
  const first = logits;
  const generated = [argmax(logits)];
  while (generated.length < newTokens) {
    logits = sequence.logitsOf(sequence.append(generated.at(-1)));
    generated.push(argmax(logits));
  }
  return Float64Array.from([...generated, ...(weightType ? first : logits)]);
}

/** The mean of −log softmax(logits)[target]. */
export function lossOf(problem) {
  const { batch, length, tokens, targets } = problem;
  let sum = 0;
  for (let b = 0; b < batch; b++) {
    const sequence = newSequence(problem);
    for (let i = b * length; i < (b + 1) * length; i++) {
      const logits = sequence.logitsOf(sequence.append(tokens[i]));
      const largest = logits.reduce((a, c) => Math.max(a, c));
      const exponents = logits.reduce((total, logit) => total + Math.exp(logit - largest), 0);
      sum += largest + Math.log(exponents) - logits[targets[i]];
    }
  }
  return sum / (batch * length);
}
