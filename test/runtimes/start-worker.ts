import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startProcess } from '../helpers/start-process';
import { temporaryFolder } from '../helpers/temporary-folder';

/** A worker that serves requests on loopback. */
export interface RunningWorker {
  url: string;
  close(): Promise<void>;
}

/** What a worker is made of. */
export interface WorkerSettings {
  /** The file of workerd. */
  program: string;
  /** The worker's code: one ES module. */
  module: string;
  /** The day whose interfaces it has: Node's came in September 2024. */
  compatibilityDate: string;
  /** Texts that it is handed. */
  bindings: Record<string, string>;
}

/** Starts workerd with a worker that reaches nothing but loopback. Close it in the end. */
export async function startWorker(settings: WorkerSettings): Promise<RunningWorker> {
  const folder = await temporaryFolder();
  await writeFile(join(folder.path, 'worker.js'), settings.module);
  await writeFile(join(folder.path, 'worker.capnp'), configurationOf(settings));
  const worker = startProcess(settings.program, ['serve', 'worker.capnp', '--control-fd=1'], {
    cwd: folder.path,
  });
  const close = async () => {
    await worker.stop('SIGKILL');
    await folder.remove();
  };
  try {
    const [, port] = await worker.writes(/"event":"listen".*"port":(\d+)/);
    return { url: `http://127.0.0.1:${port}`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function configurationOf({ bindings, compatibilityDate }: WorkerSettings): string {
  const texts = Object.entries(bindings).map(
    ([name, text]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = .worker),
    (name = "internet", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "${compatibilityDate}",
  bindings = [${texts.join(', ')}],
);
`;
}
