import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { resultsOf } from '../../../benchmarks/native/kernels.mjs';
import { kernelsTable } from '../../../benchmarks/native/table.mjs';
import {
  columns,
  generateGreedily,
  rotation,
  wholeRotation,
} from '../../../benchmarks/web/language-model.mjs';
import { markdown } from '../../../benchmarks/web/markdown.mjs';
import { memoryTable } from '../../../benchmarks/web/memory.mjs';
import { makeProblem } from '../../../benchmarks/web/problem.mjs';
import { lossOf, newSequence } from '../../../benchmarks/web/reference-model.mjs';
import { errorOf } from '../../../benchmarks/web/reference.mjs';
import { shapes, tokensPerCall } from '../../../benchmarks/web/shapes.mjs';
import { summary } from '../../../benchmarks/web/statistics.mjs';
import { compare, table } from '../../../benchmarks/web/table.mjs';
import { fromRoot } from '../../../scripts/lib/files.mjs';

const bench = (...args) =>
  spawnSync(process.execPath, [fromRoot('benchmarks/web/bench.mjs'), ...args], {
    encoding: 'utf8',
  });

test('npm run bench names its engines and measures, and refuses what it does not know', () => {
  const { stdout, status } = bench('--help');
  assert.equal(status, 0);
  for (const name of ['node-current', 'native', 'kernels', 'memory', 'headwise-native-avx2']) {
    assert.match(stdout, new RegExp(`\\b${name}\\b`));
  }
  for (const [option, there] of [
    ['--engines=moon', 'there are node, node-current, chromium, native'],
    ['--shapes=moon', 'there are toy, '],
  ]) {
    const { stderr, status: failed } = bench(option);
    assert.equal(failed, 1);
    assert.match(stderr, new RegExp(`^--\\w+: there is no moon; ${there}.*\\n$`));
  }
});

const took = (peer, median, more = {}) => ({
  ...{ peer, median, least: median, gflops: 1 / median },
  ...more,
});

test('native code is compared with native code, and the rest with the rest', () => {
  const results = compare(
    [
      took('headwise', 2, { variant: 'simd' }),
      took('headwise-native-avx2', 1, { threads: 1 }),
      took('onnxruntime-web-plain', 6),
      took('onnxruntime-node-plain', 3),
      took('onnxruntime-node-fused', 0.5, { failed: 'wrong' }),
      took('ceiling-simd', 1),
    ],
    1,
  );
  const [web, native] = results;
  assert.equal(web.timesBestPeer, 3);
  assert.equal(web.shareOfCeiling, 0.5);
  assert.equal(native.timesBestPeer, 3);
  assert.equal(native.shareOfCeiling, undefined);
});

const ran = (run_name, family_index, cpu_time, more = {}) => ({
  run_name,
  run_type: 'iteration',
  family_index,
  cpu_time,
  time_unit: 'ns',
  ...more,
});

test('what Google Benchmark reports becomes medians and ratios', () => {
  const benchmarks = [
    ran('GEMM 1x1x1/OpenBLAS', 3, 4000, { flops: 8000 }),
    ran('GEMM 1x1x1/slower', 2, 5000, { flops: 8000 }),
    ran('exp 10/headwise', 1, 20, { elements: 10 }),
    ran('GEMM 1x1x1/headwise', 0, 3, { flops: 8000, time_unit: 'us' }),
    ran('GEMM 1x1x1/headwise', 0, 1000, { flops: 8000 }),
    ran('GEMM 1x1x1/headwise', 0, 2000, { flops: 8000 }),
    { ...ran('GEMM 1x1x1/headwise', 0, 1), run_type: 'aggregate' },
  ];
  const context = { OpenBLAS: 'OpenBLAS 9 Haswell' };
  const results = resultsOf({ benchmarks, context }, 'avx2');
  assert.deepEqual(
    results.map(({ benchmark, by }) => `${benchmark} by ${by}`),
    [
      'GEMM 1x1x1 by headwise',
      'exp 10 by headwise',
      'GEMM 1x1x1 by slower',
      'GEMM 1x1x1 by OpenBLAS',
    ],
  );
  const [gemm, exp, , openblas] = results;
  assert.equal(gemm.other, 'OpenBLAS');
  assert.deepEqual(gemm.samples.toSorted(), [0.001, 0.002, 0.003]);
  assert.equal(gemm.median, 0.002);
  assert.equal(gemm.gflops, 4);
  assert.equal(gemm.timesOther, 2);
  assert.equal(gemm.version, undefined);
  assert.equal(exp.nanosecondsPerElement, 2);
  assert.equal(exp.timesOther, undefined);
  assert.equal(openblas.version, 'OpenBLAS 9 Haswell');

  const text = kernelsTable([...results, { architecture: 'avx512', failed: 'none here' }]);
  const lines = text.split('\n');
  assert.match(
    lines[1],
    /^avx2 GEMM 1x1x1 +headwise +2\.0 µs +1\.5 to 2\.5 +4\.0 GFLOP\/s +2\.00 × O/,
  );
  assert.match(lines[2], /^avx2 GEMM 1x1x1 +slower /);
  assert.match(lines[3], /^avx2 GEMM 1x1x1 +OpenBLAS /);
  assert.match(lines[4], /^avx2 exp 10 .* 2\.000 ns each$/);
  assert.equal(lines[5], 'avx512: none here');
});

test('memory is shown by length, with what it grew by', () => {
  const at = (length, used) => {
    const bytes = { bytes: used + 1e6, used };
    return { length, first: bytes, second: bytes };
  };
  const lines = memoryTable([at(1, 2e6), { length: 2, failed: 'none' }, at(4, 5e6)]).split('\n');
  assert.match(lines[1], /^L1 +3\.0 MB +3\.0 MB +2\.0 MB$/);
  assert.match(lines[2], /^L2 +none$/);
  assert.match(lines[3], /^L4 +6\.0 MB +6\.0 MB +5\.0 MB +3\.0 MB$/);
});

test('a ratio is shown with its quartiles over the rounds', () => {
  const results = compare(
    [
      took('headwise', 2, { samples: [2, 2, 2, 4, 4], ...summary([2, 2, 2, 4, 4]) }),
      took('headwise-key-mass', 3, { samples: [3, 3, 2, 4, 8], ...summary([3, 3, 2, 4, 8]) }),
      took('jax', 6, { samples: [6, 4, 8, 6, 20], ...summary([6, 4, 8, 6, 20]) }),
    ],
    1,
  );
  assert.deepEqual(results[0].timesBestPeerSpread, [2, 4]);
  assert.deepEqual(results[1].timesForwardSpread, [1, 1.5]);
  const [, ours, part] = table(results).split('\n');
  assert.match(ours, /3\.00 × \(2\.00 to 4\.00; least 2\.00\)$/);
  assert.match(part, /1\.50 × \(1\.00 to 1\.50\)$/);
});

test('rows tell their share of the ceiling and the least of their times', () => {
  const at = (peer, samples, more = {}) => ({
    ...took(peer, 0),
    ...{ samples, flops: 8e6, ...summary(samples), ...more },
  });
  const results = [
    at('headwise', [2, 4, 6], { variant: 'simd' }),
    at('jax', [3, 12, 12]),
    at('ceiling-simd', [1, 1, 1]),
  ].map((result) => ({ ...result, gflops: result.flops / result.median / 1e6 }));
  const [ours] = compare(results, 1);
  assert.equal(ours.least, 2);
  assert.equal(ours.timesBestPeer, 3);
  assert.equal(ours.timesBestPeerAtLeast, 1.5);
  assert.equal(ours.shareOfCeiling, 0.25);
  assert.equal(ours.shareOfCeilingAtLeast, 0.5);
  const [header, line] = table(results).split('\n');
  assert.match(header, / least .* of ceiling /);
  assert.match(line, / 25 % \(least 50 %\) +3\.00 × \(1\.75 to 2\.50; least 1\.50\)$/);
});

test('tokens a second are shown of language models', () => {
  const result = took('headwise', 50, {
    tokensPerSecond: 2560,
    least: 38,
    lowerQuartile: 40,
    upperQuartile: 60,
  });
  const [header, line] = table([result]).split('\n');
  assert.match(header, / tokens\/s$/);
  assert.match(line, / 2560$/);
  assert.equal(tokensPerCall(shapes.generation), 128);
  assert.equal(tokensPerCall(shapes['train-language-model']), 1024);
  assert.equal(tokensPerCall(shapes.toy), undefined);
});

/** The tensors of a safetensors file of tests/data/models. */
function readTensors(file) {
  const bytes = readFileSync(fromRoot('tests/data/models', file));
  const begin = 8 + Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.toString('utf8', 8, begin));
  delete header.__metadata__;
  const tensorOf = ({ dtype, shape, data_offsets: offsets }) => {
    const [first, end] = offsets.map((offset) => bytes.byteOffset + begin + offset);
    const buffer = bytes.buffer.slice(first, end);
    return { data: dtype === 'F32' ? new Float32Array(buffer) : new Int32Array(buffer), shape };
  };
  return Object.fromEntries(
    Object.entries(header).map(([name, stored]) => [name, tensorOf(stored)]),
  );
}

/** Heads share keys and values in the checkpoint: their weights once for each head. */
const forBothHeads = ({ data, shape: [out, from] }) => ({
  data: Float32Array.from([...data, ...data]),
  shape: [2 * out, from],
});

/** A checkpoint of Llama's family under the names of the benchmark. */
function llamaWeights(tensors) {
  const weights = {
    'embedding.weight': tensors['model.embed_tokens.weight'],
    'unembedding.weight': tensors['lm_head.weight'],
    'norm.weight': tensors['model.norm.weight'],
  };
  for (const i of [0, 1]) {
    const of = (name) => tensors[`model.layers.${i}.${name}.weight`];
    Object.assign(weights, {
      [`layers.${i}.norm.weight`]: of('input_layernorm'),
      [`layers.${i}.attention.W_q.weight`]: of('self_attn.q_proj'),
      [`layers.${i}.attention.W_k.weight`]: forBothHeads(of('self_attn.k_proj')),
      [`layers.${i}.attention.W_v.weight`]: forBothHeads(of('self_attn.v_proj')),
      [`layers.${i}.attention.W_o.weight`]: of('self_attn.o_proj'),
      [`layers.${i}.ffn_norm.weight`]: of('post_attention_layernorm'),
      [`layers.${i}.ffn.gate.weight`]: of('mlp.gate_proj'),
      [`layers.${i}.ffn.dense1.weight`]: of('mlp.up_proj'),
      [`layers.${i}.ffn.dense2.weight`]: of('mlp.down_proj'),
    });
  }
  return weights;
}

test("the language model in float64 gives PyTorch's logits", () => {
  const expected = readTensors('llama-a.expect.safetensors');
  const { data: tokens, shape } = expected['in.tokens'];
  const { data: logits } = expected['out.logits'];
  const valid = expected['in.mask'].data.subarray(0, shape[1]).reduce((a, b) => a + b);
  const model = { numLayers: 2, numHeads: 2, numHiddens: 16, maxLength: 14 };
  const weights = llamaWeights(readTensors('llama-a.safetensors'));
  const sequence = newSequence({ ...model, weights });
  assert.ok(valid > 4);
  for (let i = 0; i < valid; i++) {
    const got = sequence.append(tokens[i]);
    assert.equal(got.length, 29);
    got.forEach((logit, j) => assert.ok(Math.abs(logit - logits[i * 29 + j]) < 1e-5));
  }
});

const tinyModel = {
  ...{ vocabularySize: 11, maxLength: 12, numHiddens: 8, numLayers: 2, numHeads: 2, ffnHiddens: 6 },
  ...{ promptLength: 5, newTokens: 6 },
};

test('what predicts nothing loses ln of the vocabulary', () => {
  const problem = makeProblem({ ...tinyModel, kind: 'model-training', batch: 2, length: 4 });
  for (const b of [0, 4]) {
    assert.deepEqual(problem.targets.slice(b, b + 3), problem.tokens.slice(b + 1, b + 4));
  }
  problem.weights['embedding.weight'].data.fill(0);
  assert.ok(Math.abs(lossOf(problem) - Math.log(11)) < 1e-12);
});

test('rotating whole heads by halves is rotating pairs', () => {
  const { half, cos, sin } = rotation(tinyModel, 3);
  const whole = wholeRotation(tinyModel, 3);
  const x = [1, 2, 3, 4];
  for (let position = 0; position < 3; position++) {
    for (let i = 0; i < half; i++) {
      const [c, s] = [cos[position * half + i], sin[position * half + i]];
      const at = position * 2 * half + i;
      const rotated = (place, other) =>
        x[place] * whole.cos[at + place - i] + x[other] * whole.sin[at + place - i];
      assert.equal(rotated(i, i + half), x[i] * c - x[i + half] * s);
      assert.equal(rotated(i + half, i), x[i + half] * c + x[i] * s);
    }
  }
});

test('weights lie side by side for products', () => {
  const weights = {
    first: { data: Float32Array.of(1, 2, 3, 4), shape: [2, 2] },
    second: { data: Float32Array.of(5, 6), shape: [1, 2] },
  };
  assert.deepEqual(columns({ weights }, 'first', 'second'), {
    data: Float32Array.of(1, 3, 5, 2, 4, 6),
    shape: [2, 3],
  });
});

test('another token, other logits and other losses are errors', async () => {
  const generation = { kind: 'generation', newTokens: 2 };
  const expected = Float64Array.of(3, 1, 0.5, 2);
  assert.equal(errorOf(generation, expected, Float32Array.of(3, 1, 0.5, 2)), 0);
  assert.equal(errorOf(generation, expected, Float32Array.of(3, 2, 0.5, 2)), Infinity);
  assert.equal(errorOf(generation, expected, Float32Array.of(3, 1, 0.5, 1)), 0.5);
  assert.equal(errorOf(generation, expected, Float32Array.of(3, 1, 0.5)), Infinity);

  const losses = { kind: 'model-training' };
  assert.equal(errorOf(losses, [4], Float32Array.of(4, 3)), 0);
  assert.equal(errorOf(losses, [4, 2], Float32Array.of(4, 3)), 0.5);
  assert.equal(errorOf(losses, [4, 2], Float32Array.of(4)), Infinity);
  assert.equal(errorOf(losses, [4, 2], Float32Array.of(NaN, 2)), Infinity);

  const given = [];
  const say =
    (logits) =>
    (...args) => {
      given.push(args);
      return logits;
    };
  const problem = { tokens: [7, 8, 9], newTokens: 3 };
  const answer = await generateGreedily(problem, say([0, 5, 1]), say([4, 3, 2]));
  assert.deepEqual([...answer], [1, 0, 0, 4, 3, 2]);
  assert.deepEqual(given, [[[7, 8, 9]], [1, 3], [0, 4]]);
});

test('the tables of the README are made of what was written', () => {
  const run = (median, threads, more) => ({
    about: 'a problem',
    ...{ threads, ...more },
    results: compare(
      [took('headwise', median), took('headwise-key-mass', 2 * median), took('jax', 3 * median)],
      threads,
    ),
  });
  const amd = { processor: 'AMD EPYC' };
  const intel = {
    processor: 'Intel(R) Xeon(R) Processor',
    vendor: 'GenuineIntel',
    familyModelStepping: '6-207-2',
  };
  const engine = (machine, name, runs) => ({ machine, engine: { version: name }, runs });
  const written = [
    engine(amd, 'Node 20.1.2', [run(2, 2), run(4, 1)]),
    engine(amd, 'HeadlessChrome 156.0.1', [
      run(0.5, 1),
      { about: 'size', results: [{ peer: 'headwise', failed: 'no' }] },
    ]),
    engine(intel, 'Node 20.1.2', [run(8, 1)]),
  ];
  const header =
    '| problem | processor | Node 20 | of the ceiling | times the fastest peer | Chromium 156 | of the ceiling | times the fastest peer | headwise is |';
  const rule = `| ${Array(9).fill('---').join(' | ')} |`;
  const part = 'a problem: headwise-key-mass, to the plain pass';
  const jax = '3.00 × jax-js (least 3.00)';
  assert.deepEqual(markdown(written).split('\n'), [
    'One thread:',
    '',
    header,
    rule,
    `| a problem | AMD EPYC | 4 ms |  | ${jax} | 500 µs |  | ${jax} | ahead |`,
    `|  | Intel Xeon (6-207-2) | 8 ms |  | ${jax} |  |  |  | ahead |`,
    `| ${part} | AMD EPYC | 8 ms |  | 2.00 × | 1 ms |  | 2.00 × |  |`,
    '|  | Intel Xeon (6-207-2) | 16 ms |  | 2.00 × |  |  |  |  |',
    '| size | AMD EPYC |  |  |  |  |  |  |  |',
    '',
    '2 threads:',
    '',
    header,
    rule,
    `| a problem | AMD EPYC | 2 ms |  | ${jax} |  |  |  | ahead |`,
    `| ${part} | AMD EPYC | 4 ms |  | 2.00 × |  |  |  |  |`,
  ]);
});

test('a row of the README says what medians and least times both bear out', () => {
  const standingOf = (times) =>
    markdown(
      times.map(([median, least], i) => ({
        engine: { version: `Engine${i} 1.2` },
        runs: [
          {
            about: 'a problem',
            results: compare(
              [
                took('headwise-native-avx2', 1, { least: 1 }),
                took('onnxruntime-node-plain', median, { least }),
              ],
              1,
            ),
          },
        ],
      })),
    )
      .split(' | ')
      .at(-1);
  assert.equal(standingOf([[1.2, 1.1]]), 'ahead |');
  assert.equal(standingOf([[1.2, 0.9]]), 'level |');
  assert.equal(standingOf([[0.9, 0.8]]), 'behind |');
  assert.equal(
    standingOf([
      [1.2, 1.2],
      [2, 2],
    ]),
    'ahead |',
  );
  assert.equal(
    standingOf([
      [1.2, 1.2],
      [0.9, 0.9],
    ]),
    'ahead in Engine0 1, behind in Engine1 1 |',
  );
});
