// One set-up at a time in a toolchain folder. The lock is a file that names its holder, so that the
// lock of a process that was killed is told from one that is at work.
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * When a process started, in the kernel's own count; null where there is no /proc. A number alone
 * is no sign of life: it may have gone to another process since.
 * @param {number} pid
 */
function startOf(pid) {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return null;
  }
}

/** @param {string} holder the text of a lock file */
function isAlive(holder) {
  const [pid, start] = holder.trim().split(' ');
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    if (error.code !== 'EPERM') return false;
  }
  return startOf(Number(pid)) === (start ?? null);
}

/** @param {string} file */
function read(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Takes the lock unless a living process has it.
 * @param {string} folder
 * @returns {{ release(): void } | { heldBy: string }}
 */
export function tryLock(folder) {
  const file = path.join(folder, 'lock');
  const mine = `${file}.${process.pid}`;
  fs.writeFileSync(mine, [process.pid, startOf(process.pid)].filter(Boolean).join(' '));
  try {
    for (;;) {
      try {
        // A link appears with its content or not at all, and only where there is none.
        fs.linkSync(mine, file);
        return { release: () => fs.rmSync(file, { force: true }) };
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
      }
      const holder = read(file);
      if (holder === null) continue;
      if (isAlive(holder)) return { heldBy: holder.split(' ')[0] };
      removeStale(file, holder);
    }
  } finally {
    fs.rmSync(mine, { force: true });
  }
}

/**
 * Two set-ups may find the same dead lock; the slower one must not take away the faster one's.
 * @param {string} file
 * @param {string} holder
 */
function removeStale(file, holder) {
  const aside = `${file}.stale.${process.pid}`;
  try {
    fs.renameSync(file, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (read(aside) !== holder) {
    try {
      fs.linkSync(aside, file);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
  fs.rmSync(aside, { force: true });
}

/**
 * Waits until the lock is free and takes it.
 * @param {string} folder
 * @param {{ signal: AbortSignal, onWait(pid: string): void }} options
 */
export async function lock(folder, { signal, onWait }) {
  for (let waited = false; ; waited = true) {
    const attempt = tryLock(folder);
    if ('release' in attempt) return { ...attempt, waited };
    if (!waited) onWait(attempt.heldBy);
    await sleep(500, undefined, { signal });
  }
}
