import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { resultsOf } from '../../../benchmarks/native/kernels.mjs';
import { kernelsTable } from '../../../benchmarks/native/table.mjs';
import { memoryTable } from '../../../benchmarks/web/memory.mjs';
import { compare } from '../../../benchmarks/web/table.mjs';
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

const took = (peer, median, more = {}) => ({ peer, median, gflops: 1 / median, ...more });

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
    ran('GEMM 1x1x1/OpenBLAS', 2, 4000, { flops: 8000 }),
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
    ['GEMM 1x1x1 by headwise', 'exp 10 by headwise', 'GEMM 1x1x1 by OpenBLAS'],
  );
  const [gemm, exp, openblas] = results;
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
  assert.match(lines[2], /^avx2 GEMM 1x1x1 +OpenBLAS /);
  assert.match(lines[3], /^avx2 exp 10 .* 2\.000 ns each$/);
  assert.equal(lines[4], 'avx512: none here');
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
