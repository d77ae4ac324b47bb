// Installs the packages that a folder's package-lock.json lists: node scripts/lib/install.mjs [FOLDER]
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Does nothing if the lock file has not changed since. npm retries requests; a broken download needs another `npm ci`. */
export function installLocked(folder) {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const mark = join(folder, 'node_modules/.installed-lock.json');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
  for (let tries = 3; ; tries -= 1) {
    const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], {
      cwd: folder,
      stdio: 'inherit',
    });
    if (status === 0) break;
    if (tries === 1) throw new Error(`npm ci failed in ${folder}`);
  }
  writeFileSync(mark, lock);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) installLocked(process.argv[2] ?? '.');
