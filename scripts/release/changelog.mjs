// CHANGELOG.md, read as Keep a Changelog has it, and written by changing the one line that a release changes.
import { parser } from 'keep-a-changelog';

/** What is read of the file; an error names the line. */
function parse(text) {
  try {
    return parser(text);
  } catch (error) {
    // It also fails where it makes the text of an error about the last heading.
    const got = error instanceof TypeError ? 'a heading that is none of its own' : error.message;
    throw new Error(`CHANGELOG.md: expected the format of Keep a Changelog, got: ${got}`, {
      cause: error,
    });
  }
}

const unreleasedOf = (changelog) => changelog.releases.find(({ version }) => !version);

/** The versions that the file has, the latest first. */
export const releasedVersions = (text) =>
  parse(text)
    .releases.map(({ version }) => version)
    .filter(Boolean);

/** The text after a release: what was under [Unreleased] is the version's, of that day. */
export function releaseChanges(text, version, date) {
  const unreleased = unreleasedOf(parse(text));
  if (!unreleased || unreleased.isEmpty()) {
    const got = unreleased ? 'none' : 'no such heading';
    throw new Error(`CHANGELOG.md: expected changes under [Unreleased], got ${got}`);
  }
  const released = text.replace(
    /^## \[Unreleased\]$/im,
    (heading) => `${heading}\n\n## [${version}] - ${date}`,
  );
  const after = parse(released);
  const [next, made] = after.releases;
  const isRight =
    !next?.version &&
    next?.isEmpty() &&
    made?.version === version &&
    made.toString() !== '' &&
    made.date.toISOString().startsWith(date);
  if (!isRight) {
    throw new Error(
      `CHANGELOG.md: expected '## [Unreleased]' before all versions, got a file that cannot be changed so`,
    );
  }
  return released;
}

/** What a version changed, for who publishes it. */
export function changesOf(text, version) {
  const release = parse(text).releases.find((each) => each.version === version);
  return release.toString().split('\n').slice(1).join('\n').trim();
}
