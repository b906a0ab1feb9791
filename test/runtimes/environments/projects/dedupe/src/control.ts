import type { RequestListener } from 'node:http';

/** Handlers that wait for the test. */
const waiting = new Set<{ finish(): void; fail(): void }>();

/** IDs whose handler has failed. */
const failed = new Set<string>();

/**
 * The handler of the tests: prints the ID when it starts and when it ends. With `HANDLERS=wait`, the test ends it; with
 * `HANDLERS=fail`, it throws the first time.
 */
export async function handle(id: string): Promise<void> {
  console.log(`started ${id}`);
  if (process.env.HANDLERS === 'wait') {
    await new Promise<void>((finish, reject) => {
      waiting.add({ finish, fail: () => reject(new Error('The test ends this handler.')) });
    });
  }
  if (process.env.HANDLERS === 'fail' && !failed.has(id)) {
    failed.add(id);
    throw new Error('The handler fails the first time.');
  }
  console.log(`handled ${id}`);
}

/** Adds the paths `/finish` and `/fail`, which end all handlers that wait. */
export function withControl(receive: RequestListener): RequestListener {
  return (request, response) => {
    const { url } = request;
    if (url !== '/finish' && url !== '/fail') return receive(request, response);
    for (const handler of waiting) {
      if (url === '/finish') handler.finish();
      else handler.fail();
    }
    waiting.clear();
    response.writeHead(204).end();
  };
}
