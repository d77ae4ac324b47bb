// A decoder as Llama's (Touvron et al. 2023): RMSNorm, rotary positions, gated feed-forward layers
// with SiLU, tied embeddings. Its numbers, the same for every peer, in Node and in a page.
import { uniform } from './uniform.mjs';

/** The sizes of a small model of speeches that examples/language-model once trained: results stay comparable. */
export const sizes = {
  vocabularySize: 1024,
  maxLength: 256,
  numHiddens: 128,
  numLayers: 4,
  numHeads: 4,
  ffnHiddens: 344,
};

export const epsilon = 1e-5;
export const rotaryBase = 10000;

/** Name, shape, scale, offset and seed of each parameter, in headwise's names and layout, projections (out, in). */
export function parametersOf({ vocabularySize, numHiddens: D, numLayers, ffnHiddens: F }) {
  const parameters = [];
  const add = (name, shape, scale, offset = 0) =>
    parameters.push({ name, shape, scale, offset, seed: 20 + parameters.length });
  const norm = (name) => add(name, [D], 0.25, 1);
  const linear = (name, to, from) => add(name, [to, from], Math.sqrt(3 / from));
  add('embedding.weight', [vocabularySize, D], 0.2);
  for (let i = 0; i < numLayers; i++) {
    norm(`layers.${i}.norm.weight`);
    for (const name of ['W_q', 'W_k', 'W_v', 'W_o']) {
      linear(`layers.${i}.attention.${name}.weight`, D, D);
    }
    norm(`layers.${i}.ffn_norm.weight`);
    linear(`layers.${i}.ffn.gate.weight`, F, D);
    linear(`layers.${i}.ffn.dense1.weight`, F, D);
    linear(`layers.${i}.ffn.dense2.weight`, D, F);
  }
  // Of both signs: else the tied embeddings would have a token follow itself.
  add('norm.weight', [D], 1);
  return parameters;
}

function makeWeights(sizes) {
  const make = ({ name, shape, scale, offset, seed }) => {
    const length = shape.reduce((product, size) => product * size, 1);
    const data = uniform(length, seed, scale).map((number) => offset + number);
    return [name, { data, shape }];
  };
  return Object.fromEntries(parametersOf(sizes).map(make));
}

/** Tokens (count,). */
const tokensOf = (count, seed, { vocabularySize }) =>
  Int32Array.from(uniform(count, seed), (number) =>
    Math.floor(((number + 1) / 2) * vocabularySize),
  );

export function generationProblem(shape) {
  if (shape.weightType) return { ...shape, tokens: characters(shape) };
  return { ...shape, weights: makeWeights(shape), tokens: tokensOf(shape.promptLength, 1, shape) };
}

/** A prompt of lower-case letters, as tokens: some peers take text only. */
const characters = ({ promptLength }) =>
  Int32Array.from(uniform(promptLength, 1), (number) => 97 + Math.floor(13 * (number + 1)));

/** Tokens and targets, (batch, length): each position is to predict the next token. */
export function modelTrainingProblem(shape) {
  const { batch, length } = shape;
  const given = tokensOf(batch * (length + 1), 1, shape);
  const from = (offset) =>
    Int32Array.from({ length: batch * length }, (_, i) => {
      return given[Math.floor(i / length) * (length + 1) + (i % length) + offset];
    });
  return { ...shape, weights: makeWeights(shape), tokens: from(0), targets: from(1) };
}

/** (out, in), as state dicts have it, to (in, out), as graphs multiply; several side by side. */
export function columns({ weights }, ...names) {
  const [, inner] = weights[names[0]].shape;
  const width = names.reduce((sum, name) => sum + weights[name].shape[0], 0);
  const data = new Float32Array(inner * width);
  let begin = 0;
  for (const name of names) {
    const { data: rows, shape } = weights[name];
    for (let out = 0; out < shape[0]; out++) {
      for (let i = 0; i < inner; i++) data[i * width + begin + out] = rows[out * inner + i];
    }
    begin += shape[0];
  }
  return { data, shape: [inner, width] };
}

/** Cosines and sines of the rotation, each (length, head size / 2). */
export function rotation({ numHiddens, numHeads }, length) {
  const half = numHiddens / numHeads / 2;
  const angle = (i) => Math.floor(i / half) * rotaryBase ** (-(i % half) / half);
  const table = (of) => Float32Array.from({ length: length * half }, (_, i) => of(angle(i)));
  return { half, cos: table(Math.cos), sin: table(Math.sin) };
}

/**
 * The same tables for heads that are rotated by x · cos + swapped(x) · sin, where `swapped`
 * exchanges the halves of a head: both (length, head size), the sines of the first half negative.
 */
export function wholeRotation(shape, length) {
  const { half, cos, sin } = rotation(shape, length);
  const whole = (table, sign) =>
    Float32Array.from({ length: 2 * table.length }, (_, i) => {
      const place = i % (2 * half);
      const number = table[Math.floor(i / (2 * half)) * half + (place % half)];
      return place < half ? sign * number : number;
    });
  return { cos: whole(cos, 1), sin: whole(sin, -1) };
}

/** The number of the largest. */
export function argmax(numbers) {
  let best = 0;
  for (let i = 1; i < numbers.length; i++) if (numbers[i] > numbers[best]) best = i;
  return best;
}

/** Tokens and logits in one array. */
export function answerOf(tokens, logits) {
  const answer = new Float32Array(tokens.length + logits.length);
  answer.set(tokens);
  answer.set(logits, tokens.length);
  return answer;
}

/**
 * Greedy decoding: `prefill` takes the prompt, `decode` each new token and its position; both give
 * logits. Returns the new tokens, then the logits of the last; with quantized weights those of the
 * first, because later tokens may differ.
 */
export async function generateGreedily({ tokens, newTokens, weightType }, prefill, decode) {
  let logits = await prefill(tokens);
  const first = logits;
  const generated = [argmax(logits)];
  while (generated.length < newTokens) {
    logits = await decode(generated.at(-1), tokens.length + generated.length - 1);
    generated.push(argmax(logits));
  }
  return answerOf(generated, weightType ? first : logits);
}
