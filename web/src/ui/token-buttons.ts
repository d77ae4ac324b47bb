/** What a figure of tokens does for its reader. Tokens count from 0. */
export interface TokenEvents {
  /** The pointer or the focus is on a token, or on none. */
  readonly onLook: (token: number | undefined) => void;
  readonly onChoose: (token: number) => void;
}

/** Makes the tokens of a drawing a row of buttons: Tab reaches one of them, the arrow keys the others. */
export function listenToTokens(
  drawing: SVGSVGElement,
  tokens: () => readonly SVGElement[],
  { onLook, onChoose }: TokenEvents,
): void {
  const listen = <Type extends keyof SVGElementEventMap>(
    type: Type,
    act: (token: number, event: SVGElementEventMap[Type]) => void,
  ): void =>
    drawing.addEventListener(type, (event) => {
      const at = tokens().findIndex((token) => token.contains(event.target as Node));
      if (at >= 0) act(at, event);
    });
  listen('pointerover', (at, { pointerType }) => {
    if (pointerType !== 'touch') onLook(at);
  });
  drawing.addEventListener('pointerleave', () => onLook(undefined));
  listen('focusin', (at) => {
    setTabStop(tokens(), at);
    onLook(at);
  });
  listen('focusout', () => onLook(undefined));
  listen('click', onChoose);
  listen('keydown', (at, event) => {
    const all = tokens();
    const last = all.length - 1;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (event.key === 'Enter' || event.key === ' ') onChoose(at);
    else if (to !== undefined) all[Math.min(Math.max(to, 0), last)].focus();
    else return;
    event.preventDefault();
  });
}

/** The one token that Tab reaches. */
export function setTabStop(tokens: readonly SVGElement[], stop: number): void {
  tokens.forEach((token, at) => token.setAttribute('tabindex', at === stop ? '0' : '-1'));
}

/** The geometry of a figure for the present width: larger boxes on a phone. `onTurn`: a phone was turned. */
export function geometryFor<Geometry>(
  wide: Geometry,
  narrow: Geometry,
  onTurn: () => void,
): () => Geometry {
  const isNarrow = window.matchMedia('(max-width: 42rem)');
  isNarrow.addEventListener('change', onTurn);
  return () => (isNarrow.matches ? narrow : wide);
}
