/**
 * Loaded into a process and its worker threads before their own code. Adds an offset to the clock: the number of
 * milliseconds, positive or negative, in the file that CLOCK_OFFSET_FILE names.
 */
import { readFileSync } from 'node:fs';

const file = process.env.CLOCK_OFFSET_FILE;
const machineNow = Date.now;

Date.now = () => machineNow() + Number(readFileSync(file, 'utf8'));
