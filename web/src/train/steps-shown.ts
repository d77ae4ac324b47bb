/** How far the axis of steps goes: twice as far each time that a run reaches its end. */
export function stepsShown(step: number): number {
  let end = 100;
  while (end < step) end *= 2;
  return end;
}
