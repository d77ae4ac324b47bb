// Reads the page's pixels.

/**
 * The contrast (WCAG) between the lightest and the darkest pixel of an element, and the most frequent colour.
 */
export async function readPixels(page, element) {
  const png = await element.screenshot({ encoding: 'base64', captureBeyondViewport: false });
  return page.evaluate(async (encoded) => {
    const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    const linear = (value) =>
      value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
    const counts = new Map();
    let [darkest, lightest] = [1, 0];
    for (let at = 0; at < data.length; at += 4) {
      const [red, green, blue] = data.slice(at, at + 3);
      const luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
      darkest = Math.min(darkest, luminance);
      lightest = Math.max(lightest, luminance);
      const colour = [red, green, blue].join();
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    const [[ground]] = [...counts].sort(([, a], [, b]) => b - a);
    return { contrast: (lightest + 0.05) / (darkest + 0.05), ground };
  }, png);
}

/** The contrast (WCAG) between the lightest and the darkest pixel of an element. */
export const contrastWithin = async (page, element) => (await readPixels(page, element)).contrast;
