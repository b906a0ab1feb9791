import { simulationInvariants } from './judge';
import type { SimulationResult } from './simulate-deliveries';

/** Describes the result of a simulation as text, of several lines: for the message of a test. */
export function formatSimulation(result: SimulationResult): string {
  const { seed, runs, deliveries, requests, crashes, judged, counterexample } = result;
  const lines: string[] = [];
  const origin = seed === null ? 'of the given plan' : `with seed ${seed}`;
  if (result.inconclusive) lines.push(`Inconclusive: ${result.inconclusive}.`);
  if (counterexample) {
    const { invariant, explanation, eventId, history, code, isSimplest } = counterexample;
    lines.push(
      `Failed ${invariant}, ${simulationInvariants[invariant]}.`,
      `${eventId}: ${explanation}.`,
      '',
      ...shorten(history).map((line) => `  ${line}`),
      '',
      'This repeats it:',
      '',
      code,
      '',
    );
    if (!isSimplest)
      lines.push('A simpler plan may show the same: simplifying ended after 400 runs.');
  }
  if (result.ok) lines.push(`Passed ${judged.join(', ')}.`);
  lines.push(
    `Runs ${origin}: ${runs}. Deliveries: ${deliveries}, requests: ${requests}, crashes: ${crashes}.`,
  );
  if (result.repeatedByCrash > 0) {
    lines.push(
      `Note: in ${result.repeatedByCrash} of ${runs}, a crash between an effect and its record repeated the effect. Only one transaction for both prevents it.`,
    );
  }
  return lines.join('\n');
}

/** Shows of up to four lines that repeat, such as those of rejected attempts, the first two times. */
function shorten(history: readonly string[]): string[] {
  // Times, attempts and instances differ.
  const kinds = history.map((line) =>
    line.replace(/^\S+/, '').replace(/(attempt|instance) \d+/g, '$1'),
  );
  const shown: string[] = [];
  for (let index = 0; index < history.length; ) {
    let [size, end] = [1, index];
    for (const length of [1, 2, 3, 4]) {
      let at = index + length;
      while (at < kinds.length && kinds[at] === kinds[at - length]) at += 1;
      at -= (at - index) % length;
      if (at - index > 3 * length && at > end) [size, end] = [length, at];
    }
    const kept = end > index ? 2 * size : 1;
    shown.push(...history.slice(index, index + kept));
    const left = end - index - kept;
    if (left > 0) {
      const [until] = history[end - 1]?.split(' ') ?? [];
      shown.push(`… ${left} more lines like these, until ${until}`);
    }
    index += Math.max(kept, end - index);
  }
  return shown;
}
