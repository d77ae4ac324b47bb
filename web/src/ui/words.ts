/** What controls, notices and exports say in every act. */
export const words = {
  controls: {
    seed: 'Seed',
    newSeed: 'Draw another',
    seedHint: (min: number, max: number, shown: number) =>
      `A whole number from ${min} to ${max}, please. The maps still show seed ${shown}.`,
    reset: 'Reset',
  },

  goal: { name: 'Your goal', reached: 'Reached' },

  failure: {
    title: 'The layer cannot run here',
    unsupported:
      'It is written for WebAssembly SIMD, which this browser lacks. Chrome and Edge have it from version 91, Firefox from 89, Safari from 16.4.',
    loading: 'Its WebAssembly file did not load. Check the connection, then load the page again.',
    other: 'Something went wrong that should not have. Loading the page again may help.',
    details: (message: string, code: string | undefined) =>
      code === undefined ? message : `${message} (${code})`,
  },

  /** Taking figures and addresses away. */
  exports: {
    label: (name: string) => `Save ${name}`,
    intro: 'Save',
    formats: { svg: 'SVG', png: 'PNG', json: 'JSON' },
    formatLabels: {
      svg: (name: string) => `Save ${name} as SVG`,
      png: (name: string) => `Save ${name} as PNG`,
      json: (name: string) => `Save the numbers of ${name} as JSON`,
    },
    saved: (file: string) => `Saved as ${file}.`,
    failed: (reason: string) => `Nothing was saved: ${reason}`,
    noPicture: 'the browser could not draw the picture. SVG and JSON do not need it.',
    copyLink: 'Copy link',
    copied: 'The link is on the clipboard.',
    notCopied: 'The browser keeps its clipboard closed. Here is the link:',
    linkLabel: 'Link to this view',
  },
} as const;
