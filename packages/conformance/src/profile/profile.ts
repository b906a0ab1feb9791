import { z } from 'zod';

/** The accounts of a run. The stranger is no party of any order that the kit creates. */
export const accountNames = ['buyer', 'seller', 'agent', 'stranger', 'strangerSeller'] as const;
export type AccountName = (typeof accountNames)[number];

/** The accounts that are, or may be, parties of the orders of a run. */
export const parties = ['buyer', 'seller', 'agent'] as const;
export type Party = (typeof parties)[number];

/** The placeholders that `init` writes into a profile, to be replaced. */
export const placeholders = { baseUrl: 'https://trade.example', listing: 'lst_REPLACE_ME' };

/** What a profile refers to. */
export interface ProfilePlaces {
  env: Readonly<Record<string, string | undefined>>;
  /** Returns the text of a file. Its path is relative to the folder of the profile. */
  readFile(path: string): string;
  /** Returns why the failure of a check may not be waived; null if it may. */
  refuseWaiver(check: string): string | null;
}

const command = z
  .array(z.string())
  .min(1, 'A command is an array: the program, then its arguments. No shell runs it.');
const address = z.strictObject({
  host: z.string().default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(0),
});
const listing = z
  .union(
    [z.string().min(1), z.strictObject({ command })],
    'Expected the ID of a listing, or { command: [PROGRAM, ARGUMENT, …] } that prints one.',
  )
  .refine(
    (source) => source !== placeholders.listing,
    `Replace ${placeholders.listing} by the ID of a listing of the seller.`,
  );
const seconds = z.number().positive();
/** Reports show the URLs of a profile. */
const url = z
  .url({ protocol: /^https?$/, error: 'Expected an http or https URL.' })
  .refine((text) => {
    const { username, password } = new URL(text);
    return username === '' && password === '';
  }, 'A URL with a user name or a password is not accepted: reports show it.');

/** The schema of a profile. It resolves keys, so that one that is missing has a line in the profile too. */
export function createProfileSchema({ env, readFile, refuseWaiver }: ProfilePlaces) {
  const key = z
    .union(
      [
        z.string(),
        z.strictObject({ env: z.string().min(1) }),
        z.strictObject({ file: z.string().min(1) }),
      ],
      'Expected a text, { env: NAME } or { file: PATH }.',
    )
    .transform((source, context) => {
      const refuse = (message: string) => {
        context.addIssue({ code: 'custom', message });
        return z.NEVER;
      };
      if (typeof source === 'string') return source.trim() || refuse('The key is empty.');
      if ('env' in source) {
        return env[source.env]?.trim() || refuse(`The variable ${source.env} is not set or empty.`);
      }
      try {
        return readFile(source.file).trim() || refuse(`The file ${source.file} is empty.`);
      } catch {
        return refuse(`Cannot read the file ${source.file}.`);
      }
    });

  return z
    .strictObject({
      baseUrl: url.refine(
        (text) => text !== placeholders.baseUrl,
        `Replace ${placeholders.baseUrl} by what stands before /v1 in the URLs of the service.`,
      ),
      keys: z.strictObject({
        buyer: key,
        seller: key,
        agent: key,
        stranger: key,
        strangerSeller: key.optional(),
      }),
      stranger: z.enum(['account', 'operator']).default('account'),
      listing,
      listingWithAgent: listing.optional(),
      accounts: z
        .strictObject({
          buyer: z.string().optional(),
          seller: z.string().optional(),
          agent: z.string().optional(),
        })
        .default({}),
      pending: z.strictObject({ command }).optional(),
      webhooks: z
        .strictObject({
          secret: z.union(
            [
              z.strictObject({ pointer: z.string().startsWith('/') }),
              z.strictObject({ fixed: key }),
              z.strictObject({ command }),
            ],
            'Expected { pointer: /data/secret }, { fixed: KEY } or { command: [PROGRAM, …] }.',
          ),
        })
        .optional(),
      receiver: z.union(
        [
          z.strictObject({
            publicUrl: url,
            listen: address.prefault({}),
          }),
          z.strictObject({ https: address.extend({ caFile: z.string().min(1) }) }),
          z.strictObject({ http: address }),
        ],
        'Expected { publicUrl, listen }, { https: { host, port, caFile } } or { http: { host, port } }.',
      ),
      events: z
        .strictObject({
          withinSeconds: seconds.max(600).default(30),
          quietSeconds: seconds.max(600).optional(),
        })
        .prefault({}),
      retries: z
        .strictObject({
          firstWithinSeconds: seconds,
          factor: z.number().min(1).default(3),
          maxSeconds: seconds.default(3600),
          timeoutSeconds: seconds.default(30),
        })
        .optional(),
      // Names of `Tradepost-Extensions`, and those of extensions that the header does not name.
      extensions: z.array(z.string().min(1)).default([]),
      provokeRateLimit: z.boolean().default(false),
      waivers: z
        .array(
          z.strictObject({
            check: z.string().refine((check) => refuseWaiver(check) === null, {
              error: ({ input }) => refuseWaiver(String(input)) ?? '',
            }),
            reason: z.string().trim().min(1, 'Say why the failure is accepted.'),
          }),
        )
        .default([]),
    })
    .superRefine(({ keys, receiver, waivers }, context) => {
      for (const [index, name] of accountNames.entries()) {
        const twin = accountNames.slice(0, index).find((other) => keys[other] === keys[name]);
        if (keys[name] === undefined || twin === undefined) continue;
        const message = `The same key as keys.${twin}: every account needs one of its own.`;
        context.addIssue({ code: 'custom', path: ['keys', name], message });
      }
      const isPlain =
        'http' in receiver || ('publicUrl' in receiver && /^http:/i.test(receiver.publicUrl));
      if (isPlain && !waivers.some(({ check }) => check === 'EVT-3')) {
        context.addIssue({
          code: 'custom',
          path: ['receiver'],
          message:
            'Deliveries over http need a waiver of EVT-3 with a reason: the service has to send them over HTTPS.',
        });
      }
    });
}

/** What a run is told about the service and the receiver. Keys are resolved. */
export type Profile = z.output<ReturnType<typeof createProfileSchema>>;
/** A profile as people write it. */
export type ProfileInput = z.input<ReturnType<typeof createProfileSchema>>;

/** Checks a profile that a program has built, and fills in its defaults. Keys are texts. */
export function createProfile(input: ProfileInput): Profile {
  const noFiles = () => {
    throw new Error('no files');
  };
  return createProfileSchema({ env: {}, readFile: noFiles, refuseWaiver: () => null }).parse(input);
}

/** The values of a profile that must not be shown, with what is shown instead. */
export function listSecrets({ keys, webhooks }: Profile): [value: string, shown: string][] {
  const secrets = accountNames.flatMap((name): [string, string][] => {
    const key = keys[name];
    return key === undefined ? [] : [[key, `$${keyVariable(name)}`]];
  });
  const secret = webhooks?.secret;
  if (secret !== undefined && 'fixed' in secret) secrets.push([secret.fixed, '$WEBHOOK_SECRET']);
  return secrets;
}

/** The variable of a shell that has the key of an account: `KEY_STRANGER_SELLER`. */
export const keyVariable = (name: AccountName): string =>
  `KEY_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
