/**
 * Loaded before a command whose output a README shows: people paste from a terminal, 80 wide, where
 * the CLI fits its tables, and without colours. A real one would take a program that not every
 * machine has.
 */
import process from 'node:process';

for (const stream of [process.stdout, process.stderr]) {
  Object.assign(stream, { isTTY: true, columns: 80, getColorDepth: () => 1 });
}
