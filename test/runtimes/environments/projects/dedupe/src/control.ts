import type { RequestListener } from 'node:http';

/** Handlers that wait for the test. */
const waiting = new Set<{ finish(): void; fail(): void }>();

/** The handler of the tests: prints the ID when it starts and when it ends. With `HANDLERS=wait`, the test ends it. */
export async function handle(id: string): Promise<void> {
  console.log(`started ${id}`);
  if (process.env.HANDLERS === 'wait') {
    await new Promise<void>((finish, reject) => {
      waiting.add({ finish, fail: () => reject(new Error('The test ends this handler.')) });
    });
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
