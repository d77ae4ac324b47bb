/** Taking figures and addresses away. */
export const exports = {
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
} as const;
