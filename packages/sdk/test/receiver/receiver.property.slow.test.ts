import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aReceiver } from '../helpers/receiver/a-receiver';
import { anyRequest, isSigned } from '../helpers/receiver/any-request';
import { inProcess } from '../helpers/receiver/in-process';

describe.each(Object.entries(inProcess))('the adapter for %s', (_name, send) => {
  test.each([
    ['without', false],
    ['with', true],
  ])(
    'responds to any request, and with a 2xx only if the raw check passes, %s diagnosis',
    async (_how, diagnose) => {
      const { receiver, handled, errors } = aReceiver({ diagnose, onUnhandled: 'ignore' });
      let accepted = 0;
      await fc.assert(
        fc.asyncProperty(anyRequest, async (request) => {
          const before = handled.length;
          const status = await send(receiver, request);
          const isAccepted = status >= 200 && status < 300;
          accepted += Number(isAccepted);
          // A returned value, since `expect` takes a second for 14,000 requests.
          return isAccepted
            ? request.method === 'POST' && isSigned(request)
            : handled.length === before && [400, 405, 413].includes(status);
        }),
        { numRuns: 1_000 },
      );
      expect(errors).toEqual([]);
      // Otherwise the generator would not have tested valid requests.
      expect(accepted).toBeGreaterThan(50);
    },
  );
});
