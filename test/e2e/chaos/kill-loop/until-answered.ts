import { type AnyTradepostError, isTradepostError, Tradepost } from '@tradepost/sdk';
import type { Activity } from './kill-moment';
import type { KillableServer } from './killable-server';
import type { Diary } from './operation-log';

/** What clients share. */
export interface ClientParts {
  server: KillableServer;
  diary: Diary;
  activity: Activity;
}

/** How a request was answered in the end: as it was meant, or refused with a problem's code. */
export type FinalAnswer<Value> = { value: Value } | { code: string };

/** A client of the server that leaves all repeating to `untilAnswered`. */
export function clientOf(server: KillableServer, apiKey: string): Tradepost {
  return new Tradepost({ baseUrl: server.url, apiKey, maxRetries: 0 });
}

/** Whether nobody knows what became of a request, or nothing did: it is to be sent again. */
function noteLost(error: AnyTradepostError, diary: Diary): boolean {
  if (error.code === 'connection_failed') {
    diary.broken += 1;
    return true;
  }
  if (error.status === 503) {
    diary.unavailable += 1;
    return true;
  }
  return false;
}

/** Sends a request again and again, over kills and restarts, until it is answered for good. */
export async function untilAnswered<Value>(
  send: () => Promise<Value>,
  { server, diary, activity }: ClientParts,
): Promise<FinalAnswer<Value>> {
  for (;;) {
    await server.up();
    activity.requests.up();
    try {
      const value = await send();
      activity.answers.up();
      return { value };
    } catch (error) {
      if (!isTradepostError(error)) throw error;
      if (noteLost(error, diary)) continue;
      activity.answers.up();
      if (error.status !== 409) diary.faults.push(`A client was told: ${error.message}`);
      return { code: error.code };
    }
  }
}
