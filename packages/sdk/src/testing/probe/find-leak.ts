import { deliveryHeaderNames as names } from '@tradepost/contract/wire';
import { encodeHex, encodeUtf8, hmac, standardSignature } from '../sign-delivery';
import type { Outcome } from './causes';
import type { ProbeRequest } from './requests';
import type { Exchange } from './send';

/** Lines of stack traces: of JavaScript and .NET, of JavaScript where the line ends are lost, Python, Go, and Java. */
const stack =
  /\n\s+at \S[^\n]*\(|\.[cm]?[jt]sx?:\d+:\d+|Traceback \(most recent|goroutine \d+ \[|\.(java|kt):\d+\)/;

/** Finds what only the owner may see in responses. A signature that was sent is no secret any more. */
export async function findLeak(
  requests: readonly ProbeRequest[],
  exchanges: readonly Exchange[],
  secrets: readonly string[],
): Promise<Outcome['leak']> {
  const text = exchanges.map(({ headers, body }) => JSON.stringify(headers) + body).join('\n');
  for (const { headers, body } of requests) {
    const [id, at] = [String(headers[names.webhookId]), String(headers[names.webhookTimestamp])];
    const sent = JSON.stringify(headers).toLowerCase();
    const isNew = (one: string) => text.includes(one) && !sent.includes(one.toLowerCase());
    for (const secret of secrets) {
      const hex = encodeHex(await hmac(encodeUtf8(secret), Uint8Array.from(body)));
      const base64 = (await standardSignature(secret, id, at, body)).slice('v1,'.length);
      if (isNew(hex) || isNew(base64)) return 'signature';
    }
  }
  if (secrets.some((secret) => text.includes(secret.replace(/^whsec_/, '')))) return 'secret';
  return exchanges.some(({ body }) => stack.test(body)) ? 'stack' : null;
}
