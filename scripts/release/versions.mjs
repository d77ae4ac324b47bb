// Which version is next, and the files that have it written in them.
import semver from 'semver';

const steps = ['patch', 'minor', 'major'];

/**
 * The version of a release: a step from the current one, or a version. The current one is released as it is as long as
 * it is in no tag and no changelog.
 *
 * @param {string | undefined} wanted
 * @param {{ current: string, released: string[] }} known
 */
export function nextVersion(wanted, { current, released }) {
  if (steps.includes(wanted)) return semver.inc(current, wanted);
  const latest = semver.rsort(released.filter((version) => semver.valid(version)))[0];
  const isNew = (version) =>
    semver.gte(version, current) && (!latest || semver.gt(version, latest));
  const isVersion = semver.valid(wanted) === wanted && !semver.prerelease(wanted);
  if (isVersion && isNew(wanted)) return wanted;
  const least = isNew(current) ? `from ${current} on` : `above ${latest}`;
  const got = wanted ?? 'none';
  throw new Error(`--version: expected patch, minor, major or a version ${least}, got ${got}`);
}

/** What docs/native.md has C++ users write; versions that are compatible have the same first two numbers. */
const written = [
  { pattern: /(?<=^ *GIT_TAG v)\d+\.\d+\.\d+$/gm, of: (version) => version },
  {
    pattern: /(?<=^find_package\(headwise )\d+\.\d+(?= )/gm,
    of: (version) => version.split('.').slice(0, 2).join('.'),
  },
];

/** The text of docs/native.md with another version. */
export function withVersion(text, version) {
  return written.reduce((changed, { pattern, of }) => {
    const found = changed.match(pattern)?.length ?? 0;
    if (found !== 1) {
      throw new Error(`docs/native.md: expected one match of ${pattern}, got ${found}`);
    }
    return changed.replace(pattern, of(version));
  }, text);
}
