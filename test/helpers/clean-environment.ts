/** Variables that change what the programs do. Only the test sets them, not the environment that it runs in. */
const testVariables = new RegExp(
  `^(${[
    'TRADEPOST_.*|PORT|OTEL_.*',
    'CI|GITHUB_ACTIONS|TMUX|PAGER|LESS|LESSCHARSET|LV|TZ|COLORTERM|NO_COLOR|FORCE_COLOR|NODE_DISABLE_COLORS',
    '(HTTPS?|ALL|NO)_PROXY|NODE_USE_ENV_PROXY',
    'NODE_OPTIONS|NODE_ENV|VITEST.*|TEST',
  ].join('|')})$`,
  'i',
);

/** Folders that cannot exist, not even for root: tests must not use the profiles of the person who runs them. */
const noProfiles = {
  TRADEPOST_CONFIG_DIR: '/dev/null/config',
  TRADEPOST_STATE_DIR: '/dev/null/state',
};

/** Returns the environment for a child process: this process's without those variables, with `added`. */
export function cleanEnvironment(added: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !testVariables.test(name));
  return { ...Object.fromEntries(inherited), ...noProfiles, ...added };
}
