const esc = String.fromCodePoint(0x1b);

/** A command to the terminal, such as `ESC [ 2 K`, or one character. */
const token = new RegExp(
  `${esc}\\[([?\\d;]*)([A-Za-z])|${esc}\\][^\\x07]*\\x07|${esc}[^\\[\\]]|([\\s\\S])`,
  'gu',
);

/**
 * Returns what a terminal shows after all its input: lines that were redrawn appear once, in their last state.
 * Lines are not wrapped at the width of the terminal.
 */
export function screenText(raw: string): string {
  const lines: string[][] = [[]];
  let row = 0;
  let column = 0;

  function lineAt(index: number): string[] {
    while (lines.length <= index) lines.push([]);
    return lines[index] ?? [];
  }

  function write(character: string): void {
    const line = lineAt(row);
    while (line.length < column) line.push(' ');
    line[column] = character;
    column += 1;
  }

  function applyCommand(final: string, parameter: string): void {
    const count = Number(parameter) || 1;
    if (final === 'A') row = Math.max(0, row - count);
    else if (final === 'B') row += count;
    else if (final === 'C') column += count;
    else if (final === 'D') column = Math.max(0, column - count);
    else if (final === 'G') column = count - 1;
    else if (final === 'K') lineAt(row).splice(parameter === '2' ? 0 : column);
    else if (final === 'J') {
      lineAt(row).splice(column);
      lines.splice(row + 1);
    }
  }

  for (const [, parameter = '', final, character] of raw.matchAll(token)) {
    if (final !== undefined) applyCommand(final, parameter);
    else if (character === '\r') column = 0;
    else if (character === '\b') column = Math.max(0, column - 1);
    else if (character === '\n') {
      row += 1;
      lineAt(row);
    } else if (character !== undefined) write(character);
  }
  return lines
    .map((line) =>
      Array.from(line, (cell) => cell ?? ' ')
        .join('')
        .trimEnd(),
    )
    .join('\n');
}
