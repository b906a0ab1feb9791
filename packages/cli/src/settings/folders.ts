import envPaths from 'env-paths';

type Environment = Readonly<Record<string, string | undefined>>;

/** The platform's own places: on Linux those of XDG, on macOS in Library, on Windows in AppData. */
const places = () => envPaths('tradepost', { suffix: '' });

/** The folder of the logins. `TRADEPOST_CONFIG_DIR` goes before the platform's own. */
export function configFolder(env: Environment): string {
  return env.TRADEPOST_CONFIG_DIR || places().config;
}

/** The folder of what a command keeps to go on later. `TRADEPOST_STATE_DIR` goes before it. */
export function stateFolder(env: Environment): string {
  return env.TRADEPOST_STATE_DIR || places().log;
}
