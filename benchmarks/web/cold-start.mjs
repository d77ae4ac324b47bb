// From nothing to the toy example's result: a fresh Node process each time, that imports the peer,
// initializes it, makes the layer and calls it once. Bare Node, which does nothing, is one of them.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { modelFilesFor } from './model-files.mjs';
import { makeProblem } from './problem.mjs';
import { shapes } from './shapes.mjs';
import { summary } from './statistics.mjs';

const processes = 15;
const script = fileURLToPath(new URL('cold-process.mjs', import.meta.url));

/** Milliseconds from start to end; a process that fails is an error. */
function lifetime(execPath, request) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(execPath, [script, JSON.stringify(request ?? null)], {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 60_000,
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text) => (said += text));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(performance.now() - began);
      else reject(new Error(said.trim().split('\n').at(-1) ?? `exit code ${code}`));
    });
  });
}

/** Results by peer, with `above`: the median's distance from that of bare Node. */
export async function measureColdStart(engine, chosen, { threads, progress }) {
  const shape = shapes.toy;
  const problem = makeProblem(shape);
  const results = [{ peer: 'bare Node', samples: [] }];
  for (const [name, peer] of chosen.filter(([, { ceiling }]) => !ceiling)) {
    const { module, settings = {} } = peer;
    const request = {
      module,
      settings,
      shape,
      threads,
      ...(await modelFilesFor(peer, 'toy', problem)),
    };
    results.push({ peer: name, request, samples: [] });
  }

  // The first round fills the system's cache of files.
  for (let round = 0; round <= processes; round++) {
    for (const result of results.filter(({ failed }) => !failed)) {
      progress(`round ${round} of ${processes}, ${result.peer}`);
      try {
        const took = await lifetime(engine.execPath, result.request);
        if (round > 0) result.samples.push(took);
      } catch (error) {
        result.failed = error.message;
      }
    }
  }
  for (const result of results) {
    delete result.request;
    if (result.failed) continue;
    Object.assign(result, summary(result.samples));
    result.above = result.median - results[0].median;
  }
  return results;
}
