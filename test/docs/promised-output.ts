/**
 * The lines of output that a program promises its reader: the comment at the end of a line with
 * `console.log(…)`, or the comments on the lines right below it.
 */
export function promisesOf(code: string): string[] {
  const promises: string[] = [];
  let below = false;
  for (const line of code.split('\n')) {
    const beside = /console\.log\(.*\);?\s+\/\/ ?(.*)$/.exec(line)?.[1];
    const under: string | undefined = below ? /^\s*\/\/ ?(.*)$/.exec(line)?.[1] : undefined;
    const promise = beside ?? under;
    if (promise !== undefined) promises.push(promise);
    below = beside === undefined && (under !== undefined || /console\.log\(.*\);?$/.test(line));
  }
  return promises;
}

/** Tells whether a line is what was promised, where `…` stands for anything. */
export function keeps(promise: string, line: string): boolean {
  const parts = promise.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(line);
}

/** The promises that the output does not keep; it has to keep them in order, and may say more. */
export function brokenPromises(promises: readonly string[], output: string): string[] {
  const lines = output.split('\n');
  let from = 0;
  return promises.filter((promise) => {
    const found = lines.findIndex((line, index) => index >= from && keeps(promise, line));
    if (found !== -1) from = found + 1;
    return found === -1;
  });
}
