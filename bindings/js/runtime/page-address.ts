/** What relative addresses are relative to: the page's base, or the address of the worker. */
export const pageAddress = (): string =>
  typeof document === 'undefined' ? location.href : document.baseURI;
