// WebAssembly memory of headwise by length, when nobody looks at the weights: a fresh Node process
// each, in which a layer is made and called twice.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { align } from './table.mjs';

const script = fileURLToPath(new URL('memory-process.mjs', import.meta.url));
const lengths = [512, 1024, 2048, 4096, 8192, 16384];

/** Results by length; `bytes` is what WebAssembly's memory has grown to, `used` what was written. */
export async function measureMemory(engine, _chosen, { threads, progress }) {
  const results = [];
  for (const length of lengths) {
    progress(`L${length}`);
    const request = { length, numHiddens: 512, numHeads: 8, threads };
    try {
      const run = promisify(execFile)(engine.execPath, [script, JSON.stringify(request)]);
      results.push({ peer: 'headwise', length, ...JSON.parse((await run).stdout) });
    } catch (error) {
      const failed = /^\w*Error: .*/m.exec(error.stderr)?.[0] ?? error.message;
      results.push({ peer: 'headwise', length, failed });
    }
  }
  return results;
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

export function memoryTable(results) {
  const rows = [['', 'after one forward', 'after two', 'in use', 'more than before']];
  let before;
  for (const { length, failed, first, second } of results) {
    if (failed) rows.push([`L${length}`, failed, '', '', '']);
    else {
      const more = before === undefined ? '' : megabytes(second.used - before);
      before = second.used;
      const bytes = [first.bytes, second.bytes, second.used].map(megabytes);
      rows.push([`L${length}`, ...bytes, more]);
    }
  }
  return align(rows);
}
