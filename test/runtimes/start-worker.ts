import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startProcess } from '../helpers/start-process';
import { temporaryFolder } from '../helpers/temporary-folder';

/** A worker that serves requests on loopback. */
export interface RunningWorker {
  url: string;
  close(): Promise<void>;
}

/** Options of a worker. */
export interface WorkerSettings {
  /** The path of workerd. */
  program: string;
  /** The worker's code: one ES module. */
  module: string;
  /** The compatibility date. Node's interfaces exist since September 2024. */
  compatibilityDate: string;
  /** Text bindings. */
  bindings: Record<string, string>;
}

/** Starts workerd with a worker that can reach only loopback. Close it when the test ends. */
export async function startWorker(settings: WorkerSettings): Promise<RunningWorker> {
  const folder = await temporaryFolder();
  await writeFile(join(folder.path, 'worker.js'), settings.module);
  await writeFile(join(folder.path, 'worker.capnp'), createConfiguration(settings));
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

function createConfiguration({ bindings, compatibilityDate }: WorkerSettings): string {
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
