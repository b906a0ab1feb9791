import { family } from './family';
import { headerIn, NotOffered, type Trial, Unclear } from './trial';

/** One quota of `RateLimit`: a name with parameters. Source: IETF draft "RateLimit header fields for HTTP", version 8. */
const quota =
  /^\s*("[^"]*"|[a-z*][\w.*-]*)(\s*;\s*[a-z*][\w.*-]*(=("[^"]*"|:[\w+/=]*:|[\w.*-]+))?)+\s*$/;

/** Sends a request. Returns the requests left of each quota. */
async function readRemaining(trial: Trial): Promise<number[]> {
  const call = await trial.accepted('stranger', 'GET /v1/orders');
  const header = headerIn(call, 'ratelimit') ?? '';
  return [...header.matchAll(/;\s*r=(\d+)/g)].map(([, count]) => Number(count));
}

export const rateLimit = family('RTE', {
  shownBy: {
    text: 'the header RateLimit',
    isIn: ({ names, hasHeader }) => names.has('rate-limit') || hasHeader('ratelimit'),
  },
  judges: {
    async 'RTE-1'(trial) {
      const call = await trial.accepted('stranger', 'GET /v1/orders');
      for (const [name, parameter] of [
        ['ratelimit', /;\s*r=\d+/],
        ['ratelimit-policy', /;\s*q=\d+/],
      ] as const) {
        const value = headerIn(call, name);
        const parts = value?.split(',') ?? [''];
        const isValid = parts.every((part) => quota.test(part) && parameter.test(part));
        trial.expect(isValid, `${name} is ${JSON.stringify(value)}.`);
      }
    },
    async 'RTE-2'(trial) {
      const counts: number[][] = [];
      for (let count = 0; count < 10; count += 1) counts.push(await readRemaining(trial));
      const falls = counts.some((now, index) =>
        now.some((left, place) => left < (counts[index - 1]?.[place] ?? 0)),
      );
      trial.expect(falls, `The requests left stay at ${counts.at(-1)?.join(' and ')}.`);
    },
    async 'RTE-3'(trial) {
      const { profile, service } = trial.run;
      if (!profile.provokeRateLimit)
        throw new NotOffered('It needs provokeRateLimit: true in the profile.');
      const left = Math.min(...(await readRemaining(trial)), 5000);
      const options = { isLimitExpected: true };
      for (let count = 0; count <= left; count += 1) {
        const call = await service.send('stranger', 'GET', '/v1/orders', options);
        if (call.response?.status !== 429) continue;
        trial.calls.push(call);
        const value = headerIn(call, 'retry-after');
        return trial.expect(/^\d+$/.test(value ?? ''), `Retry-After is ${value}.`);
      }
      throw new Unclear(`No request of ${left + 1} was limited.`);
    },
  },
});
