// TypeScript over a careful user's project.
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { fromRoot } from '../lib/project.mjs';

const usual = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, allowJs: true, checkJs: true },
  ...{ target: 'es2022', module: 'nodenext', moduleResolution: 'nodenext' },
  ...{ lib: ['es2022', 'dom', 'esnext.disposable'], types: ['node'] },
};

/** Writes files, by name, into an empty folder. */
export function writeProject(folder, texts) {
  rmSync(folder, { recursive: true, force: true });
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/**
 * Compiles files of a folder.
 *
 * @param {string} folder
 * @param {string[]} files
 * @param {object} [options] of the compiler, beside the usual ones
 * @param {string} [typescript] the compiler's package
 * @returns {Promise<string[]>} the errors
 */
export async function errorsIn(folder, files, options = {}, typescript = undefined) {
  const compilerOptions = { ...usual, ...options };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const tsc = join(typescript ?? fromRoot('node_modules/typescript'), 'bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '--project', '.'], {
    cwd: folder,
    maxBuffer: 2 ** 26,
  }).catch((error) => error);
  return stdout.split('\n').filter(Boolean);
}
