// Runs the Google Benchmark program once for each instruction set.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { fromRoot } from '../../scripts/lib/files.mjs';
import { summary } from '../web/statistics.mjs';
import { nativeProgram } from './build.mjs';

/** Values of HEADWISE_ARCHITECTURE, with the settings that limit OpenBLAS and oneDNN to the same set. */
const architectures = {
  sse4_2: { OPENBLAS_CORETYPE: 'Nehalem', ONEDNN_MAX_CPU_ISA: 'SSE41' },
  avx2: { OPENBLAS_CORETYPE: 'Haswell', ONEDNN_MAX_CPU_ISA: 'AVX2' },
  avx2_vnni: { OPENBLAS_CORETYPE: 'Haswell', ONEDNN_MAX_CPU_ISA: 'AVX2_VNNI' },
  avx512: { OPENBLAS_CORETYPE: 'SkylakeX', ONEDNN_MAX_CPU_ISA: 'AVX512_CORE' },
  avx512_vnni: { OPENBLAS_CORETYPE: 'SkylakeX', ONEDNN_MAX_CPU_ISA: 'AVX512_CORE_VNNI' },
};

const folder = 'build/benchmarks';

/** Its report, of as many repetitions of each benchmark, in an order drawn at random. */
async function report(architecture, repetitions) {
  const file = fromRoot(folder, `kernels-${architecture}.json`);
  const args = [
    `--benchmark_repetitions=${repetitions}`,
    '--benchmark_enable_random_interleaving=true',
    '--benchmark_min_time=0.05',
    `--benchmark_out=${file}`,
    '--benchmark_out_format=json',
  ];
  const env = {
    HEADWISE_ARCHITECTURE: architecture,
    OMP_NUM_THREADS: '1',
    ...architectures[architecture],
  };
  const { status, stderr } = spawnSync(nativeProgram('headwise-benchmarks'), args, {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr.trim().split('\n').at(-1));
  return JSON.parse(readFileSync(file, 'utf8'));
}

const milliseconds = { ns: 1e-6, us: 1e-3, ms: 1, s: 1e3 };

/**
 * A report's runs by benchmark: times in milliseconds, with what they say of their work. Times are
 * the processor's, in which what else the machine does counts less: there is one thread only.
 */
export function resultsOf({ benchmarks, context }, architecture) {
  const byName = new Map();
  const runs = benchmarks.filter(({ run_type }) => run_type === 'iteration');
  // In the order in which they stand in the program, not in which they were drawn.
  runs.sort((a, b) => a.family_index - b.family_index);
  for (const { run_name, cpu_time, time_unit, flops, elements } of runs) {
    const [benchmark, by] = run_name.split('/');
    const result = byName.get(run_name) ?? { benchmark, by, architecture, samples: [] };
    byName.set(run_name, result);
    result.samples.push(cpu_time * milliseconds[time_unit]);
    Object.assign(result, flops && { flops }, elements && { elements });
    if (context[by]) result.version = context[by];
  }
  const results = [...byName.values()];
  for (const result of results) {
    Object.assign(result, summary(result.samples));
    if (result.flops) result.gflops = result.flops / result.median / 1e6;
    if (result.elements) result.nanosecondsPerElement = (result.median * 1e6) / result.elements;
  }
  for (const result of results.filter(({ by }) => by === 'headwise')) {
    const [other] = results
      .filter((each) => each.benchmark === result.benchmark && each !== result)
      .toSorted((a, b) => a.median - b.median);
    if (other) Object.assign(result, { other: other.by, timesOther: other.median / result.median });
  }
  return results;
}

/** Results by instruction set, benchmark and who does it; one set that is not here has `failed`. */
export async function measureKernels(_engine, _chosen, { rounds, progress }) {
  mkdirSync(fromRoot(folder), { recursive: true });
  const results = [];
  for (const architecture of Object.keys(architectures)) {
    progress(`${architecture}, ${rounds} repetitions in an order drawn at random`);
    try {
      results.push(...resultsOf(await report(architecture, rounds), architecture));
    } catch (error) {
      results.push({ architecture, failed: error.message });
    }
  }
  return results;
}
