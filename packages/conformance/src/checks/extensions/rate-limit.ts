import { family, headerIn, NotOffered, type Trial, Unclear } from './trial';

/** One quota of `RateLimit`: a name with parameters. Source: IETF draft "RateLimit header fields for HTTP", version 8. */
const quota =
  /^\s*("[^"]*"|[a-z*][\w.*-]*)(\s*;\s*[a-z*][\w.*-]*(=("[^"]*"|:[\w+/=]*:|[\w.*-]+))?)+\s*$/;

const read = async (trial: Trial) =>
  headerIn(await trial.accepted('stranger', 'GET /v1/orders'), 'ratelimit');

/** The requests left of each quota. */
const remaining = (header: string | null): number[] =>
  [...(header ?? '').matchAll(/;\s*r=(\d+)/g)].map(([, count]) => Number(count));

export const rateLimit = family({
  isOffered: ({ names, hasHeader }) => names.has('rate-limit') || hasHeader('ratelimit'),
  shownBy: 'the header RateLimit',
  checks: [
    {
      id: 'RTE-1',
      title: 'Sends RateLimit and RateLimit-Policy that can be parsed',
      method:
        'Parses both headers of a response. Fails unless each quota has r, and each policy q.',
      async judge(trial) {
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
    },
    {
      id: 'RTE-2',
      title: 'Counts the requests in RateLimit',
      method: 'Sends ten requests. Advice if no quota becomes smaller from one to the next.',
      class: 'advice',
      async judge(trial) {
        const counts: number[][] = [];
        for (let count = 0; count < 10; count += 1) counts.push(remaining(await read(trial)));
        const falls = counts.some((now, index) =>
          now.some((left, place) => left < (counts[index - 1]?.[place] ?? 0)),
        );
        trial.expect(falls, `The requests left stay at ${counts.at(-1)?.join(' and ')}.`);
      },
    },
    {
      id: 'RTE-3',
      title: 'Says in Retry-After when a limited client may try again',
      method:
        'Sends requests of the stranger until a 429, if provokeRateLimit is true in the profile. Fails if it has no Retry-After.',
      async judge(trial) {
        const { profile, service } = trial.run;
        if (!profile.provokeRateLimit)
          throw new NotOffered('It needs provokeRateLimit: true in the profile.');
        const left = Math.min(...remaining(await read(trial)), 5000);
        for (let count = 0; count <= left; count += 1) {
          const call = await service.send('stranger', 'GET', '/v1/orders', {
            isLimitExpected: true,
          });
          if (call.response?.status !== 429) continue;
          trial.calls.push(call);
          const value = headerIn(call, 'retry-after');
          return trial.expect(/^\d+$/.test(value ?? ''), `Retry-After is ${value}.`);
        }
        throw new Unclear(`No request of ${left + 1} was limited.`);
      },
    },
  ],
});
