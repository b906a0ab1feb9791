import { existsSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { type Exit, runProcess } from '../../helpers/start-process';
import { temporaryFolder } from '../../helpers/temporary-folder';
import { runPnpm } from '../../packed/run-pnpm';

/** A project of a user: the packed SDK, and what the user has installed beside it. */
export interface EnvironmentOptions {
  /** Its name; if `projects` has a folder of this name, its files are copied. */
  name: string;
  /** How Node treats its files. @default 'module' */
  type?: 'module' | 'commonjs';
  /** What it depends on besides the SDK: exact versions by package. */
  dependencies: Readonly<Record<string, string>>;
  /** Dependencies whose install scripts run. @default none */
  builds?: readonly string[];
  /** More files: their texts by path. */
  files?: Readonly<Record<string, string>>;
}

/** An installed project, outside of this checkout. */
export interface Environment {
  path: string;
  /** Runs a program of a dependency, by its file, and rejects with the output if it fails. */
  run(file: string, ...args: string[]): Promise<Exit>;
  /** Runs Node in the folder, and resolves whatever its exit code is. */
  node(args: readonly string[], env?: Record<string, string>): Promise<Exit>;
  remove(): Promise<void>;
}

const projects = fileURLToPath(new URL('projects/', import.meta.url));

/** Settings of the programs that run in a project: production, and no reports to their makers. */
export const environmentVariables = {
  NODE_ENV: 'production',
  NEXT_TELEMETRY_DISABLED: '1',
  NUXT_TELEMETRY_DISABLED: '1',
};

/** Installs a project into an empty folder, with the tarball that `pack-sdk.ts` provides. Remove it at the end. */
export async function installEnvironment({
  name,
  type = 'module',
  dependencies,
  builds = [],
  files = {},
}: EnvironmentOptions): Promise<Environment> {
  const { path, remove } = await temporaryFolder();
  try {
    if (existsSync(join(projects, name))) {
      await cp(join(projects, name), path, { recursive: true });
    }
    const manifest = {
      name,
      private: true,
      type,
      dependencies: { '@tradepost/sdk': `file:${inject('sdkTarball')}`, ...dependencies },
      pnpm: { onlyBuiltDependencies: builds },
    };
    const texts = { 'package.json': JSON.stringify(manifest), ...files };
    for (const [file, text] of Object.entries(texts)) {
      await mkdir(dirname(join(path, file)), { recursive: true });
      await writeFile(join(path, file), text);
    }
    // As pnpm does by default: the checkout is stricter, and npm passes that on to its scripts.
    await runPnpm('install --ignore-workspace --prefer-offline --config.engine-strict=false', path);
  } catch (error) {
    await remove();
    throw error;
  }
  const node: Environment['node'] = (args, env) =>
    runProcess(process.execPath, [...args], {
      cwd: path,
      env: { ...environmentVariables, ...env },
    });
  return {
    path,
    node,
    async run(file, ...args) {
      const exit = await node([join(path, 'node_modules', file), ...args]);
      if (exit.code === 0) return exit;
      throw new Error(
        `${file} ${args.join(' ')} exited with ${exit.code}:\n${exit.stdout}${exit.stderr}`,
      );
    },
    remove,
  };
}
