/**
 * The machine's monotonic clock in milliseconds, with fractions. All processes of this machine read the
 * same one, so a moment in one can be taken from a moment in another; nobody steps it.
 */
export function machineTime(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
