/** Names that would change what the programs do: they are for the test to set, not for who runs it. */
const ours = new RegExp(
  `^(${[
    'TRADEPOST_.*|PORT',
    'CI|GITHUB_ACTIONS|TMUX|COLORTERM|NO_COLOR|FORCE_COLOR|NODE_DISABLE_COLORS',
    '(HTTPS?|ALL|NO)_PROXY|NODE_USE_ENV_PROXY',
    'NODE_OPTIONS|NODE_ENV|VITEST.*|TEST',
  ].join('|')})$`,
  'i',
);

/** Folders that cannot be, not even for root: the logins of whoever runs the tests are none of their business. */
const noLogins = {
  TRADEPOST_CONFIG_DIR: '/dev/null/config',
  TRADEPOST_STATE_DIR: '/dev/null/state',
};

/** The environment for a child process: this one's without what is the test's to say, and `added`. */
export function cleanEnvironment(added: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !ours.test(name));
  return { ...Object.fromEntries(inherited), ...noLogins, ...added };
}
