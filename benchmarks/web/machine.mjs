// What the results were measured on and with.
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { fromRoot } from '../../scripts/lib/files.mjs';
import { peers } from './peers.mjs';

const versionOf = (...path) =>
  JSON.parse(readFileSync(fromRoot(...path, 'package.json'), 'utf8')).version;

/** Kinds of SIMD that decide how fast a processor is here. */
const instructionSets = [
  'sse4_2',
  'avx',
  'avx2',
  'fma',
  'avx512f',
  'avx_vnni',
  'amx_bf16',
  'asimd',
];

/** What Linux tells of the first processor, whose model's name may say little: `Intel(R) Xeon(R) Processor`. */
function processorFacts() {
  let text;
  try {
    text = readFileSync('/proc/cpuinfo', 'utf8');
  } catch {
    return {};
  }
  const valueOf = (name) => new RegExp(`^${name}\\s*: (.*)$`, 'm').exec(text)?.[1];
  const numbers = ['cpu family', 'model', 'stepping'].map(valueOf);
  const flags = (valueOf('flags') ?? valueOf('Features') ?? '').split(' ');
  return {
    vendor: valueOf('vendor_id'),
    ...(numbers.every(Boolean) && { familyModelStepping: numbers.map(Number).join('-') }),
    instructionSets: instructionSets.filter((name) => flags.includes(name)),
  };
}

export function machine() {
  return {
    processor: cpus()[0]?.model,
    ...processorFacts(),
    cores: availableParallelism(),
    memoryGB: Math.round(totalmem() / 1e9),
    system: `${type()} ${release()}`,
  };
}

export function packageVersions() {
  const names = [...new Set(Object.values(peers).flatMap(({ packages }) => packages))].sort();
  return {
    headwise: versionOf('.'),
    ...Object.fromEntries(
      names.map((name) => [name, versionOf('benchmarks/web/node_modules', name)]),
    ),
  };
}
