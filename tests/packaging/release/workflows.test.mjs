// .github/workflows: what they run cannot be exchanged under its name, and only the job that publishes may publish.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { fromRoot, listFiles } from '../../../scripts/lib/files.mjs';

const files = listFiles(['.github/workflows']);
const workflow = (name) => readFileSync(fromRoot('.github/workflows', name), 'utf8');

/** By name, the text of each job. */
const jobsOf = (text) =>
  Object.fromEntries(
    text
      .slice(text.indexOf('\njobs:\n') + 6)
      .split(/\n(?= {2}[\w-]+:\n)/)
      .filter((part) => part.trim())
      .map((part) => [/[\w-]+/.exec(part)[0], part]),
  );

test('every action is pinned to a commit, with its version beside it', () => {
  const uses = files.flatMap((file) => [
    ...readFileSync(fromRoot(file), 'utf8').matchAll(/^.*\buses:\s*(.*)$/gm),
  ]);
  assert.ok(uses.length >= 5);
  for (const [, used] of uses) {
    const isPinned = /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(used);
    const isOwn = used.startsWith('./') && statSync(fromRoot(used)).isFile();
    assert.ok(isPinned || isOwn, `expected a commit and a comment with its version, got ${used}`);
  }
});

test('CI is what .ci/run is', () => {
  const { test: job, ...others } = jobsOf(workflow('ci.yml'));
  assert.deepEqual(others, {});
  assert.deepEqual(
    [...job.matchAll(/\brun: (.*)$/gm)].map(([, line]) => line),
    ['.ci/run'],
  );
  assert.ok(statSync(fromRoot('.ci/run')).mode & 0o100);
});

test('only the job that publishes has an identity, and it waits for the tests and runs nothing else', () => {
  const text = workflow('release.yml');
  assert.match(text, /^permissions: \{\}$/m);
  const { test: tests, pack, publish, ...others } = jobsOf(text);
  assert.deepEqual(others, {});
  assert.match(tests, /uses: \.\/\.github\/workflows\/ci\.yml/);
  for (const job of [tests, pack]) {
    assert.doesNotMatch(job, /id-token|write/);
    assert.match(job, /permissions:\n {6}contents: read\n/);
  }
  assert.match(publish, /permissions:\n {6}contents: read\n {6}id-token: write\n {4}\w/);
  assert.match(publish, /needs: \[test, pack\]/);
  assert.doesNotMatch(publish, /checkout/);
  assert.deepEqual(
    [...publish.matchAll(/\brun: (.*)$/gm)].map(([, line]) => line),
    ['npm publish ./headwise-*.tgz --provenance --access public --ignore-scripts'],
  );
});
