/**
 * The machine's monotonic clock in milliseconds, with fractions. All processes of this machine read the
 * same clock, so times of different processes can be compared. It is never set.
 */
export function machineTime(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
