import type { ChangeTrace, ChangeTracer, TransactionTrace } from '../store';

/** The parts of a queued change that its trace follows. */
interface Change {
  work: () => unknown;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
  trace?: ChangeTrace;
}

/** Follows the changes of a group commit. There is none unless requests are traced. */
export class TracedChanges {
  readonly #tracer: ChangeTracer;
  #current: ChangeTrace | undefined;

  constructor(tracer: ChangeTracer) {
    this.#tracer = tracer;
  }

  /** The trace context of the change that is being written, as deliveries store it; null if it is not traced. */
  get context(): string | null {
    return this.#current?.context ?? null;
  }

  /** Returns the change with its trace, which ends when the change is settled. */
  follow<Queued extends Change>(change: Queued): Queued {
    const trace = this.#tracer.startChange();
    if (trace === null) return change;
    const { work, resolve, reject } = change;
    return {
      ...change,
      trace,
      work: () => {
        this.#current = trace;
        try {
          return work();
        } finally {
          this.#current = undefined;
        }
      },
      resolve(result) {
        trace.end();
        resolve(result);
      },
      reject(error) {
        trace.end(error);
        reject(error);
      },
    };
  }

  /** Starts the trace of a transaction; null if none of its changes is traced. */
  begin(changes: readonly Change[]): TransactionTrace | null {
    const traces = changes.flatMap(({ trace }) => (trace === undefined ? [] : [trace]));
    return traces.length === 0 ? null : this.#tracer.startTransaction('sqlite', traces);
  }
}
