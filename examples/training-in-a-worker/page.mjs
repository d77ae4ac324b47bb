/**
 * @template {Element} Found
 * @param {string} selector
 */
const the = (selector) => /** @type {Found} */ (document.querySelector(selector));
/** @type {HTMLButtonElement} */
const start = the('#start');
/** @type {HTMLButtonElement} */
const stop = the('#stop');
/** @type {HTMLProgressElement} */
const progress = the('progress');
const status = the('output');

start.addEventListener('click', () => {
  const worker = new Worker(new URL('./worker.mjs', import.meta.url), { type: 'module' });
  stop.onclick = () => worker.postMessage('stop');
  start.disabled = true;
  stop.disabled = false;
  worker.onmessage = ({ data: { step, steps, loss, isStopped, file } }) => {
    if (file === undefined) {
      progress.max = steps;
      progress.value = step;
      status.textContent = `step ${step}: loss ${loss.toFixed(3)}`;
      return;
    }
    status.textContent = `${isStopped ? 'stopped' : 'trained'}: ${file.length} bytes of parameters`;
    worker.terminate();
    start.disabled = false;
    stop.disabled = true;
  };
});
start.disabled = false;
