/** How long one fault lasted, and how long after its end everything worked again. In milliseconds. */
export interface RecoveryTime {
  lasted: number;
  /** Until each API process committed a change. */
  writes: number;
  /** Until the deliveries of these changes were acknowledged. */
  deliveries: number;
  /** Until the leases of dead workers were released, and all other workers had their locks. They check once a second. */
  leases: number;
  /** Until each process reports to be ready. It checks its database once a second. */
  ready: number;
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Collects how long servers took to recover from each kind of fault. */
export class RecoveryTimes<Fault extends string> {
  readonly #times = new Map<Fault, RecoveryTime[]>();

  /** Adds one round. */
  add(fault: Fault, time: RecoveryTime): void {
    this.#times.set(fault, [...(this.#times.get(fault) ?? []), time]);
  }

  /**
   * Returns a row for each fault: median / maximum, in milliseconds after the end of the fault.
   *
   * @param countDuplicates Returns how many deliveries arrived again because of a fault.
   */
  summarize(countDuplicates: (fault: Fault) => number): object[] {
    return [...this.#times].sort().map(([fault, times]) => {
      const describe = (of: keyof RecoveryTime) => {
        const values = times.map((time) => Math.round(time[of]));
        return `${median(values)} / ${Math.max(...values)}`;
      };
      return {
        fault,
        rounds: times.length,
        lasted: describe('lasted'),
        writes: describe('writes'),
        deliveries: describe('deliveries'),
        leases: describe('leases'),
        ready: describe('ready'),
        duplicates: countDuplicates(fault),
      };
    });
  }
}
