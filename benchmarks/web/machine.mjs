// What the results were measured on and with.
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { fromRoot } from '../../scripts/lib/files.mjs';
import { peers } from './peers.mjs';

const versionOf = (...path) =>
  JSON.parse(readFileSync(fromRoot(...path, 'package.json'), 'utf8')).version;

export function machine() {
  return {
    processor: cpus()[0]?.model,
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
