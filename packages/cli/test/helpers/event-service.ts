import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exampleSecret } from '@tradepost/sdk/testing';
import { aProblem, BareService, type SeenRequest } from './minimal-service';
import { aFolder, anEvent, aReceiver } from './webhook-builders';

const date = 'Sat, 21 Nov 2026 12:00:00 GMT';

/** A service with a log of events; a place in it is a number. */
export class EventService {
  readonly log = [anEvent(1), anEvent(2, 'task.completed'), anEvent(3)];
  /** Whether it knows the end of its log as `after=now`. */
  hasNow = true;
  /** Called when all there is has been handed out. */
  onEnd = () => {};

  constructor(readonly bare: BareService) {
    bare.instead = (request) => this.#respond(request);
  }

  static async start(): Promise<EventService> {
    return new EventService(await BareService.start());
  }

  #respond({ path, query }: SeenRequest) {
    if (path === '/v1/account') return { status: 200, body: { data: { id: 'usr_1' } } };
    if (path !== '/v1/events') return undefined;
    if (query.after === 'now' && !this.hasNow) return aProblem(400, 'invalid_cursor');
    // A time of this service is a number of its log too: that of the last event before it.
    const since = query.since === undefined ? 0 : Number(query.since.slice(20, 23));
    const start =
      query.after === 'now' ? this.log.length : query.after ? Number(query.after) : since;
    const data = this.log.slice(start, start + Number(query.limit ?? 50));
    if (data.length === 0 && query.waitSeconds !== undefined) this.onEnd();
    const nextCursor = String(start + data.length);
    return { status: 200, body: { data, nextCursor }, headers: { date } };
  }
}

/** A listener that stops once it has come to the end of the log. */
export async function listening(
  service: EventService,
  more: string[],
  screen?: { columns: number },
) {
  const interrupt = new AbortController();
  service.onEnd = () => interrupt.abort();
  const argv = ['webhooks', 'listen', ...more];
  const setting = { signal: interrupt.signal, ...(screen && { screen }) };
  return await service.bare.cli(argv, setting);
}

/** All that listening takes: a service, a receiver, a secret, and a place to keep. */
export async function stage(reply?: (number: number) => number) {
  const service = await EventService.start();
  const receiver = await aReceiver((_, number) => reply?.(number) ?? 204);
  const folder = await aFolder();
  const secretFile = join(folder, 'secret');
  await writeFile(secretFile, `${exampleSecret}\n`);
  const stateFile = join(folder, 'state.json');
  const argv = ['--forward-to', receiver.url, '--state-file', stateFile];
  const idsSent = () => receiver.arrivals.map(({ headers }) => headers['webhook-id']);
  return { service, receiver, folder, secretFile, stateFile, argv, idsSent };
}

/** Begins with all that the service has. */
export const fromTheStart = ['--since', '2026-11-21T00:00:00.000Z'];
