/**
 * Finds the lines of output that a program documents: the comment at the end of a line with `console.log(…)`, or
 * the comments on the lines right below it.
 */
export function findExpectedLines(code: string): string[] {
  const lines: string[] = [];
  let below = false;
  for (const line of code.split('\n')) {
    const beside = /console\.log\(.*\);?\s+\/\/ ?(.*)$/.exec(line)?.[1];
    const under: string | undefined = below ? /^\s*\/\/ ?(.*)$/.exec(line)?.[1] : undefined;
    const expected = beside ?? under;
    if (expected !== undefined) lines.push(expected);
    below = beside === undefined && (under !== undefined || /console\.log\(.*\);?$/.test(line));
  }
  return lines;
}

/** Whether a line matches an expected one, in which `…` stands for anything. */
export function matchesLine(expected: string, line: string): boolean {
  const parts = expected.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(line);
}

/** Returns the expected lines that the output does not contain in order. Other lines may be between them. */
export function findMissingLines(expectedLines: readonly string[], output: string): string[] {
  const lines = output.split('\n');
  let from = 0;
  return expectedLines.filter((expected) => {
    const found = lines.findIndex((line, index) => index >= from && matchesLine(expected, line));
    if (found !== -1) from = found + 1;
    return found === -1;
  });
}
