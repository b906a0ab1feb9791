/** The operations of a bench process, by name. Arguments and results are sent as JSON. */
export type Operations = Record<string, (argument: never) => unknown>;

/** A call of an operation by the parent process. */
export interface OperationRequest {
  id: number;
  operation: string;
  argument: unknown;
}

/** The result of an operation, or its error. */
export interface OperationReply {
  id: number;
  result?: unknown;
  error?: string;
}

/** Serves operations to the parent process. This process exits when the parent disconnects. */
export function serveParent(operations: Operations): void {
  async function run({ id, operation, argument }: OperationRequest): Promise<OperationReply> {
    try {
      const work = operations[operation] as ((argument: unknown) => unknown) | undefined;
      if (work === undefined) throw new Error(`There is no operation ${operation}.`);
      return { id, result: await work(argument) };
    } catch (error) {
      return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  }
  process.on('message', async (request: OperationRequest) => process.send?.(await run(request)));
  process.on('disconnect', () => process.exit());
}
