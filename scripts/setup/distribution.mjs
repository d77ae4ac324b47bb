// Which Linux this is, and where it has Debian's archive from.
import fs from 'node:fs';
import path from 'node:path';

export const debianKeyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** @typedef {{ id: string, codename: string, usesApt: boolean }} Distribution */

/** @param {string} [osRelease] the text of /etc/os-release
 *  @returns {Distribution} */
export function readDistribution(osRelease = readIfThere('/etc/os-release')) {
  const fields = Object.fromEntries(
    osRelease
      .split('\n')
      .map((line) => /^([A-Z_]+)="?(.*?)"?$/.exec(line.trim()))
      .filter(Boolean)
      .map(([, key, value]) => [key, value]),
  );
  const family = [fields.ID, ...(fields.ID_LIKE ?? '').split(' ')];
  return {
    id: fields.ID ?? process.platform,
    codename: fields.VERSION_CODENAME ?? '',
    usesApt: family.includes('debian') || family.includes('ubuntu'),
  };
}

/** @param {string} file */
function readIfThere(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/**
 * @typedef {{ uri: string, suites: string[], components: string[], signedBy: string }} Source
 * @param {string} text in the one-line style
 * @returns {Source[]}
 */
export function parseOneLineSources(text) {
  return text
    .split('\n')
    .map((line) => /^deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s*([^#]*)/.exec(line.trim()))
    .filter(Boolean)
    .map(([, options, uri, suite, components]) => ({
      uri,
      suites: [suite],
      components: components.trim().split(/\s+/),
      signedBy: /signed-by=(\S+)/i.exec(options ?? '')?.[1] ?? '',
    }));
}

/**
 * @param {string} text in the deb822 style
 * @returns {Source[]}
 */
export function parseDeb822Sources(text) {
  const stanzas = text.replace(/^#.*\n?/gm, '').split(/\n\s*\n/);
  return stanzas.flatMap((stanza) => {
    /** @type {Record<string, string>} */
    const fields = {};
    for (const [, name, value] of stanza.matchAll(/^([\w-]+):((?:.*\n?)(?:[ \t].*\n?)*)/gm)) {
      fields[name.toLowerCase()] = value.trim();
    }
    const words = (/** @type {string} */ name) => (fields[name] ?? '').split(/\s+/).filter(Boolean);
    if (!words('types').includes('deb') || fields.enabled?.toLowerCase() === 'no') return [];
    return words('uris').map((uri) => ({
      uri,
      suites: words('suites'),
      components: words('components'),
      signedBy: fields['signed-by'] ?? '',
    }));
  });
}

/**
 * The address of Debian's archive as this machine knows it: its own apt sources on Debian, elsewhere
 * what python-apt knows of Debian. A wrong guess does no harm, its signature would not hold.
 * @param {Distribution} distribution
 * @returns {string | null}
 */
export function findDebianMirror(distribution, env = process.env, etc = '/etc/apt') {
  if (env.HEADWISE_DEBIAN_MIRROR) return env.HEADWISE_DEBIAN_MIRROR;
  if (distribution.id === 'debian') {
    const own = readAptSources(etc).filter(
      ({ suites, components }) =>
        components.includes('main') && suites.some((suite) => suite === distribution.codename),
    );
    const isArchive = (/** @type {Source} */ { uri }) => /\/debian\/?$/.test(uri);
    const isSigned = (/** @type {Source} */ { signedBy }) => /debian-archive/.test(signedBy);
    const best = own.find(isSigned) ?? own.find(isArchive) ?? own[0];
    if (best) return best.uri;
  }
  const template = readIfThere('/usr/share/python-apt/templates/Debian.info');
  return /^BaseURI:\s*(\S+)/m.exec(template)?.[1] ?? null;
}

/** @param {string} etc */
function readAptSources(etc) {
  const folder = path.join(etc, 'sources.list.d');
  const names = fs.existsSync(folder) ? fs.readdirSync(folder).sort() : [];
  return [
    ...parseOneLineSources(readIfThere(path.join(etc, 'sources.list'))),
    ...names.flatMap((name) => {
      const text = readIfThere(path.join(folder, name));
      if (name.endsWith('.sources')) return parseDeb822Sources(text);
      return name.endsWith('.list') ? parseOneLineSources(text) : [];
    }),
  ];
}
