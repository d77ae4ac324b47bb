// Sessions in frames of the page that measures, each with globals of its own.

/** Lets the page draw and handle input. */
const turn = () => new Promise((resolve) => setTimeout(resolve));

/**
 * @param address of `page/index.html`
 * @param signal ends all sessions; pending calls fail
 */
export function framesEngine(address, signal) {
  const stopped = new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  stopped.catch(() => {});
  // A frame that is removed never answers.
  async function run(call) {
    await turn();
    signal.throwIfAborted();
    return Promise.race([stopped, call()]);
  }

  async function open(request) {
    const frame = document.createElement('iframe');
    frame.title = 'A session of the benchmark';
    frame.src = address;
    frame.hidden = true;
    const close = () => frame.remove();
    signal.addEventListener('abort', close);
    try {
      await run(
        () =>
          new Promise((resolve) => {
            frame.addEventListener('load', resolve);
            document.body.append(frame);
          }),
      );
      const { contentWindow } = frame;
      const { about, check } = await run(() => contentWindow.openSession(request));
      return {
        about,
        check: check && Float32Array.from(check),
        warmUp: (milliseconds) => run(() => contentWindow.session.warmUp(milliseconds)),
        visit: (count) => run(() => contentWindow.session.visit(count)),
        close,
      };
    } catch (error) {
      close();
      throw error;
    }
  }

  return { open };
}
