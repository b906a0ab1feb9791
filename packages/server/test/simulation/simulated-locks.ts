import type { EndedWorker, WorkerLocks } from '../../src/stores/sqlite/worker-locks';

/** Shows which simulated workers are alive, as the lock files of real ones do. */
export class SimulatedLocks implements Pick<WorkerLocks, 'register' | 'unregister' | 'lockEnded'> {
  readonly #alive = new Set<string>();
  readonly #ended = new Set<string>();
  #last = 0;

  /** Whether a worker has ended without unregistering, and no other one has noticed yet. */
  get hasEnded(): boolean {
    return this.#ended.size > 0;
  }

  register(): string {
    this.#last += 1;
    const id = `worker-${this.#last}`;
    this.#alive.add(id);
    return id;
  }

  unregister(id: string): void {
    this.#alive.delete(id);
  }

  /** Ends a worker as the end of its process does, unless it has unregistered. */
  end(id: string): void {
    if (this.#alive.delete(id)) this.#ended.add(id);
  }

  /** The workers that have ended without unregistering. */
  get ended(): string[] {
    return [...this.#ended];
  }

  /** Removes a worker whose leases were released. */
  remove(id: string): void {
    this.#ended.delete(id);
  }

  lockEnded(): EndedWorker[] {
    return this.ended.map((id) => ({
      id,
      isOfThisHost: true,
      remove: () => this.remove(id),
      close: () => {},
    }));
  }
}
