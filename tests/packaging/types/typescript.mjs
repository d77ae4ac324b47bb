// TypeScript over files beside the installed tarball, as a user's strict project has them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { packedProject } from '../../../scripts/lib/packed.mjs';

/** An empty folder of this name beside the installed package. */
export function emptyFolder(name) {
  const folder = fromRoot(packedProject, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  return folder;
}

export function writeFiles(folder, texts) {
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return Object.keys(texts);
}

const strict = ['--strict', '--exactOptionalPropertyTypes', '--allowJs', '--checkJs'];

/** The errors of TypeScript for these files of the folder, '' for none. */
export function errorsIn(folder, files, options = {}) {
  const all = {
    ...{ module: 'nodenext', target: 'es2022', lib: 'es2022,dom,esnext.disposable' },
    ...{ typeRoots: fromRoot('node_modules/@types'), types: 'node' },
    ...options,
  };
  try {
    execFileSync(
      process.execPath,
      [
        fromRoot('node_modules/typescript/bin/tsc'),
        ...['--ignoreConfig', '--noEmit', ...strict],
        ...Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]),
        ...files,
      ],
      { cwd: folder, encoding: 'utf8' },
    );
    return '';
  } catch ({ stdout }) {
    // What other packages declare wrongly is theirs.
    const isOwn = (line) => !/node_modules\/(?!headwise\/)/.test(line);
    return stdout.split('\n').filter(isOwn).join('\n');
  }
}
