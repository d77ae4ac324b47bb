/** The id that the address names; empty for none. Percent escapes that are none stay as they are. */
export function addressedId(): string {
  const fragment = window.location.hash.slice(1);
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
