// Sessions in Node processes.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const worker = fileURLToPath(new URL('../worker.mjs', import.meta.url));

/** An engine: `open` starts a process for each session, `close` ends them all. */
export function nodeEngine(execPath, version) {
  const sessions = new Set();

  async function open(request) {
    const child = fork(worker, {
      execPath,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-2000)));
    const waiting = new Map();
    let next = 0;
    child.on('message', ({ id, answer, error }) => {
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) resolve(answer);
      else reject(new Error(error));
    });
    const gone = new Promise((resolve) => {
      child.on('close', (code, signal) => {
        for (const { reject } of waiting.values()) {
          reject(new Error(`ended with ${signal ?? `exit code ${code}`} ${said}`.trim()));
        }
        resolve();
      });
    });
    const ask = (method, argument) =>
      new Promise((resolve, reject) => {
        waiting.set(next, { resolve, reject });
        child.send({ id: next++, method, argument }, (error) => error && reject(error));
      });
    const session = {
      warmUp: (milliseconds) => ask('warmUp', milliseconds),
      visit: (count) => ask('visit', count),
      async close() {
        sessions.delete(session);
        child.kill('SIGKILL');
        await gone;
      },
    };
    sessions.add(session);
    try {
      return Object.assign(session, await ask('open', request));
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  return {
    version: `Node ${version}`,
    execPath,
    open,
    close: () => Promise.all([...sessions].map((session) => session.close())),
  };
}
