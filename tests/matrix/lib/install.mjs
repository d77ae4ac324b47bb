// Installs the tools of tests/matrix/package.json into build/matrix, and the packed package among them: `node
// tests/matrix/lib/install.mjs`, before the tests that are run in those tools. Needs build/packed/project.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fromRoot, installed } from '../../packaging/lib/project.mjs';

const folder = fromRoot('build/matrix');
const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
const locks = [fromRoot('tests/matrix'), folder].map((place) => `${place}/package-lock.json`);
const done = `${folder}/node_modules/.package-lock.json`;

if (!existsSync(done) || read(locks[0]) !== read(locks[1])) {
  rmSync(done, { force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', '.npmrc', 'package-lock.json']) {
    cpSync(fromRoot('tests/matrix', name), `${folder}/${name}`);
  }
  // npm repeats requests without an answer, not those that break off.
  for (let attempts = 3; !existsSync(done); attempts--) {
    try {
      execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: folder, stdio: 'inherit' });
    } catch (error) {
      if (attempts === 1) throw error;
    }
  }
}
// Tools look for one in the parent folders, and the repository's maps headwise to its sources.
writeFileSync(`${folder}/tsconfig.json`, '{}\n');
rmSync(`${folder}/node_modules/headwise`, { recursive: true, force: true });
cpSync(installed, `${folder}/node_modules/headwise`, { recursive: true });
