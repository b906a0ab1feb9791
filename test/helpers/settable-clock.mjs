/**
 * Loaded into a process before all else, and into its worker threads: the clock of the process is then ahead of the
 * machine's by as many milliseconds as stand in the file that CLOCK_OFFSET_FILE names, or behind.
 */
import { readFileSync } from 'node:fs';

const file = process.env.CLOCK_OFFSET_FILE;
const machineNow = Date.now;

Date.now = () => machineNow() + Number(readFileSync(file, 'utf8'));
