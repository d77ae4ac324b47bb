// The part of the matrix that every `npm test` runs: this Node, one of its threads, a page of Chromium, and TypeScript.
// Needs build/packed.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { packedProject } from '../../../scripts/lib/packed.mjs';
import { newPage } from '../../browser/lib/browser.mjs';
import { sharedBrowser } from '../../browser/lib/shared.mjs';
import { watchForProblems } from '../../browser/lib/problems.mjs';
import { serveFolder } from '../../browser/lib/server.mjs';
import { emptyFolder, errorsIn, writeFiles } from '../../packaging/types/typescript.mjs';
import { judge, oracleCases, readmeExample } from '../shared/judge.mjs';

const folder = fromRoot(packedProject, 'quick');
const pages = fromRoot('build/matrix/quick');
const example = readmeExample();
const cases = oracleCases();

before(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const programs = fromRoot('tests/matrix/runtimes/programs');
  for (const name of ['suite-program.js', 'thread-program.js', 'wrong-path.js']) {
    cpSync(`${programs}/${name}`, `${folder}/${name}`);
  }
  cpSync(fromRoot('tests/matrix/shared/suite.js'), `${folder}/suite.js`);
  writeFileSync(`${folder}/cases.json`, JSON.stringify(cases));
  writeFileSync(`${folder}/readme.js`, example.text);
});

/** What a program prints, which ends well and complains of nothing. */
async function run(program, options = {}) {
  const args = [`quick/${program}`, JSON.stringify(options)];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
    cwd: fromRoot(packedProject),
  });
  assert.equal(stderr, '');
  return stdout;
}

/** All that the results are to be, with so many threads. */
function judgeAll(results, threads) {
  judge.loads(results, { threads });
  judge.oracle(results);
  judge.models(results);
  judge.threads(results, threads);
  judge.errors(results);
}

test("this Node: README's example", async () => {
  const lines = (await run('readme.js')).trim().split('\n');
  assert.deepEqual(
    lines.map((line) => line.replaceAll(' ', '')),
    example.printed,
  );
});

test('this Node: oracle cases, models, threads and errors', async () => {
  judgeAll(JSON.parse(await run('suite-program.js', { threads: 2 })), 2);
});

test('this Node: the same on a thread of its own', async () => {
  judgeAll(JSON.parse(await run('thread-program.js', { threads: 1 })), 1);
});

test('this Node: a WebAssembly file that is not there', async () => {
  const { name, code } = JSON.parse(await run('wrong-path.js'));
  assert.deepEqual({ name, code }, { name: 'HeadwiseError', code: 'load-failed' });
});

test('Chromium: a page', async (t) => {
  rmSync(pages, { recursive: true, force: true });
  cpSync(fromRoot('tests/matrix/runtimes/pages'), pages, { recursive: true });
  cpSync(fromRoot('tests/matrix/shared/suite.js'), `${pages}/suite.js`);
  cpSync(fromRoot(packedProject, 'node_modules/headwise/dist'), `${pages}/headwise`, {
    recursive: true,
  });
  const [server, browser] = await Promise.all([serveFolder(pages), sharedBrowser()]);
  t.after(() => server.close());
  const page = await newPage(browser);
  const problems = watchForProblems(page);
  await page.goto(server.url);
  const results = await page.evaluate(async (given) => {
    const { suite } = await import('/suite.js');
    return suite(await import('/headwise/models.js'), given);
  }, cases);
  judgeAll(results, 1);
  assert.deepEqual(problems, []);
});

test('TypeScript: README, without the types of the DOM', () => {
  const compiled = emptyFolder('quick-types');
  const files = writeFiles(compiled, { 'readme.mts': example.text });
  assert.equal(errorsIn(compiled, files, { lib: 'es2022' }), '');
  const wrong = writeFiles(compiled, { 'wrong.mts': example.text.replace('[2, 4, 100]', "'2'") });
  assert.match(
    errorsIn(compiled, wrong, { lib: 'es2022' }),
    /^wrong\.mts\(\d+,\d+\): error TS2345/,
  );
});
