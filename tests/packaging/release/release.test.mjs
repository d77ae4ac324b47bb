// `npm run release` in repositories made for it, with tests and a build that only note that they ran.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { after } from 'node:test';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { run } from '../../../scripts/lib/process.mjs';
import { installReleaseTools } from '../../../scripts/release/install.mjs';

await installReleaseTools(run);

const scratch = mkdtempSync(join(tmpdir(), 'headwise-release-test-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

const changelog = (unreleased, rest = '') =>
  `# Changelog\n\n## [Unreleased]\n${unreleased}\n${rest}`.replace(/\n+$/, '\n');
const something = '\n### Added\n\n- Something.\n';

const note = (what) => `echo "${what} $PWD $(git describe --tags)" >> "$NOTES"`;

const files = {
  '.ci/run': `${note('tests')}\n`,
  '.gitignore': 'node_modules\n',
  'CHANGELOG.md': changelog(something),
  'docs/native.md': readFileSync(fromRoot('docs/native.md'), 'utf8').replace(
    /GIT_TAG v.*/,
    'GIT_TAG v0.1.0',
  ),
  'index.js': 'export {};\n',
  'package.json': `${JSON.stringify(
    {
      name: 'headwise',
      version: '0.1.0',
      type: 'module',
      files: ['index.js'],
      scripts: { build: note('build') },
    },
    null,
    2,
  )}\n`,
  'package-lock.json': `${JSON.stringify(
    {
      name: 'headwise',
      version: '0.1.0',
      lockfileVersion: 3,
      packages: { '': { name: 'headwise', version: '0.1.0' } },
    },
    null,
    2,
  )}\n`,
};

/** A repository, with these files in place of the usual ones. */
function repository(t, changes = {}) {
  const folder = mkdtempSync(join(scratch, 'repository-'));
  for (const [path, text] of Object.entries({ ...files, ...changes })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const path of ['scripts/release.mjs', 'scripts/lib', 'scripts/release']) {
    cpSync(fromRoot(path), join(folder, path), {
      recursive: true,
      filter: (source) => !source.endsWith('node_modules'),
    });
  }
  symlinkSync(
    fromRoot('scripts/release/node_modules'),
    join(folder, 'scripts/release/node_modules'),
  );
  const notes = join(scratch, `notes-${folder.slice(-6)}`);
  const clones = join(scratch, `clones-${folder.slice(-6)}`);
  mkdirSync(clones);
  const git = (...args) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
  git('init', '--quiet', '--initial-branch', 'main');
  git('config', 'user.name', 'Releaser');
  git('config', 'user.email', 'releaser@example.invalid');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'All of it');
  const text = (path) => readFileSync(join(folder, path), 'utf8');
  return {
    folder,
    git,
    text,
    write: (path, content) => writeFileSync(join(folder, path), content),
    /** All that a release could change. */
    state: () => ({
      refs: git('for-each-ref'),
      head: git('rev-parse', 'HEAD'),
      status: git('status', '--porcelain', '--ignored'),
      files: Object.fromEntries(Object.keys(files).map((path) => [path, text(path)])),
    }),
    notes: () =>
      existsSync(notes)
        ? readFileSync(notes, 'utf8')
            .trim()
            .split('\n')
            .map((line) => line.split(' '))
        : [],
    clones: () => execFileSync('ls', [clones], { encoding: 'utf8' }),
    release: (...args) =>
      new Promise((resolve) => {
        const env = { ...process.env, NOTES: notes, TMPDIR: clones };
        const script = join(folder, 'scripts/release.mjs');
        const child = execFile(
          process.execPath,
          [script, ...args],
          { cwd: folder, env },
          (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
        );
        // Nobody is there to ask.
        child.stdin.end();
      }),
  };
}

const today = () => new Date().toISOString().slice(0, 10);

test('--dry-run goes all the way in a clone, says what it does, and leaves everything as it was', async (t) => {
  const { clones, folder, notes, release, state } = repository(t);
  const before = state();
  const { code, stdout, stderr } = await release('--version=minor', '--dry-run');
  assert.equal(code, 0, stderr);
  assert.deepEqual(state(), before);
  assert.equal(clones(), '', 'the clone is gone');

  const steps = [...stdout.matchAll(/^→ (.*)$/gm)].map(([, step]) => step);
  assert.equal(steps.length, 6, stdout);
  for (const [step, expected] of [
    [steps[0], /main/],
    [steps[1], /^Clone/],
    [steps[2], /0\.2\.0 for 0\.1\.0/],
    [steps[3], /tests/],
    [steps[4], /Build/],
    [steps[5], /Nothing is taken over/],
  ]) {
    assert.match(step, expected);
  }
  assert.match(stdout, /^ +\d\.\d KB {2}index\.js$/m);
  assert.match(stdout, /headwise-0\.2\.0\.tgz: 2 files, +\d/);
  assert.match(stdout, /^- Something\.$/m);

  const made = notes();
  assert.deepEqual(
    made.map(([what, , tag]) => [what, tag]),
    [
      ['tests', 'v0.2.0'],
      ['build', 'v0.2.0'],
    ],
  );
  for (const [, where] of made) assert.notEqual(where, folder);
});

test('a release is a commit and a tag with the version in every file that has it', async (t) => {
  const { folder, git, release, text } = repository(t);
  git('remote', 'add', 'origin', join(folder, '../nowhere'));
  const before = today();
  const { code, stdout, stderr } = await release('--version=0.3.1');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /To publish: git push origin main v0\.3\.1\n$/);
  assert.equal(git('status', '--porcelain'), '');
  assert.equal(git('log', '-1', '--format=%s'), 'Release 0.3.1\n');
  assert.equal(git('rev-list', '--count', 'HEAD'), '2\n');
  assert.equal(git('rev-parse', 'v0.3.1^{commit}'), git('rev-parse', 'HEAD'));
  assert.equal(git('cat-file', '-t', 'v0.3.1'), 'tag\n');

  assert.equal(JSON.parse(text('package.json')).version, '0.3.1');
  const lock = JSON.parse(text('package-lock.json'));
  assert.deepEqual([lock.version, lock.packages[''].version], ['0.3.1', '0.3.1']);
  assert.match(text('docs/native.md'), /^ *GIT_TAG v0\.3\.1$/m);
  assert.match(text('docs/native.md'), /^find_package\(headwise 0\.3 CONFIG REQUIRED\)$/m);
  // Midnight may pass meanwhile.
  const [, day] = /^## \[0\.3\.1\] - (.*)$/m.exec(text('CHANGELOG.md'));
  assert.ok([before, today()].includes(day), day);
  assert.equal(text('CHANGELOG.md'), changelog(`\n## [0.3.1] - ${day}\n${something}`));
});

test('the version that package.json has is released as it is, once', async (t) => {
  const { git, release } = repository(t);
  assert.equal((await release('--version=0.1.0')).code, 0);
  assert.equal(git('tag', '--list'), 'v0.1.0\n');
  const again = await release('--version=0.1.0');
  assert.match(again.stderr, /expected .* a version above 0\.1\.0, got 0\.1\.0$/m);
});

/** A release that is refused: the one line that says why, and nothing changed, run or left. */
async function refused({ clones, notes, release, state }, ...args) {
  const before = state();
  const { code, stderr } = await release(...args);
  assert.equal(code, 1);
  assert.deepEqual(state(), before);
  assert.deepEqual(notes(), []);
  assert.equal(clones(), '');
  return stderr.trimEnd();
}

test('refused: changes that are not committed, of files known and unknown', async (t) => {
  for (const path of ['index.js', 'new.js']) {
    const project = repository(t);
    project.write(path, 'changed');
    const expected = 'No release: expected a working tree without changes, got:\n';
    const told = await refused(project, '--version=patch');
    assert.ok(told.startsWith(expected) && told.endsWith(` ${path}`), told);
  }
});

test('refused: another branch', async (t) => {
  const project = repository(t);
  project.git('switch', '--quiet', '--create', 'topic');
  assert.equal(
    await refused(project, '--version=patch'),
    'No release: expected the branch main, got topic',
  );
});

test('refused: nobody to commit as', async (t) => {
  const project = repository(t);
  project.git('config', '--unset', 'user.email');
  // Nor does git know one of this machine's.
  const names = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  Object.assign(process.env, names);
  t.after(() => Object.keys(names).forEach((name) => delete process.env[name]));
  assert.equal(
    await refused(project, '--version=patch'),
    'No release: expected git to know a user.email, got none',
  );
});

test('refused: a changelog without changes, without the heading, or of another form', async (t) => {
  const older = '\n## [0.0.9] - 2026-01-01\n\n### Added\n\n- It.\n';
  for (const [text, got] of [
    [changelog(''), 'changes under [Unreleased], got none'],
    [changelog('\n### Added\n'), 'changes under [Unreleased], got none'],
    [changelog('', older), 'changes under [Unreleased], got none'],
    [`# Changelog\n${older}`, 'changes under [Unreleased], got no such heading'],
    [
      '# Changelog\n\n## Soon\n\n### Added\n\n- It.\n',
      'the format of Keep a Changelog, got: Parse error in the line',
    ],
    [
      '# Changelog\n\n## Soon\n',
      'the format of Keep a Changelog, got: a heading that is none of its own',
    ],
  ]) {
    const project = repository(t, { 'CHANGELOG.md': text });
    const told = await refused(project, '--version=patch');
    assert.ok(told.startsWith(`No release: CHANGELOG.md: expected ${got}`), told);
  }
});

test('refused: a version that is lower, taken, no release, or not given', async (t) => {
  const project = repository(t, {
    'CHANGELOG.md': changelog(something, '\n## [0.1.0] - 2026-01-01\n\n### Added\n\n- It.\n'),
  });
  project.git('tag', 'v0.2.0');
  project.git('tag', 'vendor');
  const expected = (above) =>
    `No release: --version: expected patch, minor, major or a version above ${above}, got`;
  for (const wrong of [
    '0.0.9',
    '0.1.0',
    '0.2.0',
    '1.0.0-beta.1',
    'v1.0.0',
    '1.0',
    'minr',
    '01.0.0',
  ]) {
    assert.equal(await refused(project, `--version=${wrong}`), `${expected('0.2.0')} ${wrong}`);
  }
  assert.equal(await refused(project), `${expected('0.2.0')} none`);
  assert.equal(
    await refused(project, '--version=minor'),
    'No release: expected no tag v0.2.0, got one',
  );
});

test('refused: a version below that of package.json, though nothing was released', async (t) => {
  assert.equal(
    await refused(repository(t), '--version=0.0.9'),
    'No release: --version: expected patch, minor, major or a version from 0.1.0 on, got 0.0.9',
  );
});

test('refused: docs/native.md without the version', async (t) => {
  const project = repository(t, { 'docs/native.md': 'GIT_TAG main\n' });
  const told = await refused(project, '--version=patch');
  assert.match(told, /^No release: docs\/native\.md: expected one match of .*GIT_TAG.*, got 0$/);
});

test('tests that fail, or leave something, end it with nothing taken over', async (t) => {
  for (const [run, told] of [
    ['exit 3', 'bash .ci/run: exit code 3'],
    [
      'echo new > left.js',
      'expected that tests and build leave what is committed, got:\n?? left.js',
    ],
  ]) {
    const { clones, release, state } = repository(t, { '.ci/run': `${run}\n` });
    const before = state();
    const { code, stderr } = await release('--version=patch');
    assert.equal(code, 1);
    assert.ok(stderr.trimEnd().endsWith(`No release: ${told}`), stderr);
    assert.deepEqual(state(), before);
    assert.equal(clones(), '');
  }
});

test('what is committed while it tests is not released', async (t) => {
  const commit = 'cd "$REPOSITORY" && git commit --quiet --allow-empty --message Meanwhile';
  const project = repository(t, { '.ci/run': `${commit}\n` });
  process.env.REPOSITORY = project.folder;
  t.after(() => delete process.env.REPOSITORY);
  const { code } = await project.release('--version=patch');
  assert.equal(code, 1);
  assert.equal(project.git('log', '-1', '--format=%s'), 'Meanwhile\n');
  assert.equal(project.git('tag', '--list'), '');
});

test("this project's own changelog and guide can be released from", async () => {
  const { releaseChanges } = await import('../../../scripts/release/changelog.mjs');
  const { withVersion } = await import('../../../scripts/release/versions.mjs');
  const own = readFileSync(fromRoot('CHANGELOG.md'), 'utf8');
  // Where everything has been released there is nothing to release.
  const text = /^## \[Unreleased\]\n+## /m.test(own)
    ? own.replace('## [Unreleased]\n', `## [Unreleased]\n${something}`)
    : own;
  const released = releaseChanges(text, '99.0.0', '2099-01-01');
  assert.equal(released.replace('\n\n## [99.0.0] - 2099-01-01', ''), text);
  assert.match(
    withVersion(readFileSync(fromRoot('docs/native.md'), 'utf8'), '99.1.2'),
    /GIT_TAG v99\.1\.2/,
  );
});
