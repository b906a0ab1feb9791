/**
 * Loaded before a command whose output a README shows. Makes the CLI write as to a terminal with 80 columns
 * and without colours. A real terminal would need a program that not every machine has.
 */
import process from 'node:process';

for (const stream of [process.stdout, process.stderr]) {
  Object.assign(stream, { isTTY: true, columns: 80, getColorDepth: () => 1 });
}
