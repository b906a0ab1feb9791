import type { Fetch } from '@tradepost/sdk';
import type { Terminal } from '../terminal';
import { reasonOf, recordWriter } from './debug-record';

/** A body of more characters is not kept. */
const longestBody = 100_000;

type Answer = Awaited<ReturnType<Fetch>>;

/**
 * A `fetch` that adds each request and what came of it to the record of `beginRecord`, as it happens:
 * what a command that hangs or is killed did is there to read. Keys and secrets are not.
 *
 * @param send what sends them; Node's own `fetch` unless told
 */
export function recordingFetch(
  file: string,
  apiKey: string,
  terminal: Terminal,
  send: Fetch = fetch,
): Fetch {
  const write = recordWriter(file, apiKey, terminal);
  let requests = 0;

  return async (url, init) => {
    requests += 1;
    const request = requests;
    const startedAt = terminal.elapsed();
    const { method, headers, body } = init;
    write({ kind: 'request', request, method, url, headers, body: shownBody(body) });
    const tell = (entry: Record<string, unknown>) =>
      write({ ...entry, request, durationMs: terminal.elapsed() - startedAt });

    let answer: Answer;
    try {
      answer = await send(url, init);
    } catch (error) {
      tell({ kind: 'failure', error: reasonOf(error) });
      throw error;
    }
    const { status, headers: answered } = answer;
    const head = { status, requestId: answered.get('x-request-id'), headers: recordOf(answered) };
    try {
      const text = await answer.text();
      tell({ kind: 'answer', ...head, body: shownBody(text) });
      return { status, headers: answered, text: async () => text };
    } catch (error) {
      tell({ kind: 'failure', ...head, error: reasonOf(error) });
      // Whoever reads the body hears of it there, as without a record.
      return { status, headers: answered, text: () => Promise.reject(error) };
    }
  };
}

/** A body as what it says, where it is JSON: redaction looks at its fields. */
function shownBody(text: string | undefined): unknown {
  if (text === undefined || text === '') return null;
  // Not a part of it either: half a secret is not recognised as one.
  if (text.length > longestBody) return `(${text.length} characters, not kept)`;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function recordOf(headers: Answer['headers']): Record<string, string> {
  const found: Record<string, string> = {};
  headers.forEach((value, name) => {
    found[name] = value;
  });
  return found;
}
