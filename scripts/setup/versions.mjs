// Reading and comparing versions of tools and packages.

/** @typedef {number[]} Version */

/**
 * The first dotted number in what a tool prints about itself.
 * @param {string} text
 * @returns {Version | null}
 */
export function parseVersion(text) {
  const found = /\d+(?:\.\d+)+/.exec(text);
  return found && found[0].split('.').map(Number);
}

/**
 * @param {Version | null} version
 * @param {string} oldest
 */
export function isAtLeast(version, oldest) {
  if (!version) return false;
  const parts = oldest.split('.').map(Number);
  for (let i = 0; i < parts.length; i++) {
    const part = version[i] ?? 0;
    if (part !== parts[i]) return part > parts[i];
  }
  return true;
}

/**
 * Whether a package's version belongs to a pin: '3.1.69' takes '3.1.69+dfsg-3', not '3.1.690-1'.
 * @param {string} version
 * @param {string} pin
 */
export function matchesPin(version, pin) {
  return version.startsWith(pin) && !/\d/.test(version[pin.length] ?? '');
}

/**
 * Picks from `apt-cache madison` the version that a pin asks for.
 * @param {string} madison
 * @param {import('./recipe.mjs').Deb} deb
 * @returns {{ chosen: string | null, offered: string[] }}
 */
export function choosePackageVersion(madison, deb) {
  const offered = madison
    .split('\n')
    .map((line) => line.split('|').map((field) => field.trim()))
    .filter(([name, , source]) => name === deb.package && source?.includes(` ${deb.suite}/`))
    .map(([, version]) => version);
  const chosen = offered.find((version) => matchesPin(version, deb.version)) ?? null;
  return { chosen, offered };
}
