/** Every environment variable, and what it sets. */
export const environment: Readonly<Record<string, string>> = {
  TRADEPOST_API_KEY: 'the API key of your account; it has no option, on purpose',
  TRADEPOST_BASE_URL: 'where the service is, such as https://trade.example',
  TRADEPOST_PROFILE: 'the login to use, instead of the current one',
  TRADEPOST_CONFIG_DIR: 'the folder of the logins, instead of the usual one',
  TRADEPOST_STATE_DIR: 'the folder of result files and places, instead of the usual one',
  NO_COLOR: 'set: no colours',
  FORCE_COLOR: 'set: colours on a pipe too',
};

/** The variables, one a line, in two columns. */
export function environmentLines(): string[] {
  const width = Math.max(...Object.keys(environment).map((name) => name.length));
  return Object.entries(environment).map(([name, text]) => `${name.padEnd(width)}  ${text}`);
}

/** The text of `tradepost help environment`. */
export function environmentTopic(): string {
  return [
    'tradepost reads these environment variables:',
    '',
    ...environmentLines().map((line) => `  ${line}`),
    '',
    'Options go before the environment, and the environment before the logins of `tradepost login`.',
    'A login that --profile names goes before the environment too. The key of a login is sent to its own',
    'service and to no other, whatever --base-url says.',
    '',
  ].join('\n');
}
