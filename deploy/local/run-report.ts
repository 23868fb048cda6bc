import { identityOf, removeRun, type Run, type RunningProcess, writeRun } from './run-file.ts';

/** Something with a process, as `status` lists it. */
export type Watched = {
  name: string;
  pid: number;
  port?: number | undefined;
  adminPort?: number | undefined;
};

/** Keeps the run file true: written anew whenever a process starts, ends or is replaced. */
export function createRunReport(file: string) {
  const sources: (() => readonly Watched[])[] = [];
  let state: Run['state'] = 'starting';
  let open = true;
  // One write after the other, so that an older list never replaces a newer one.
  let writing = Promise.resolve();

  function write() {
    writing = writing.then(async () => {
      if (!open) return;
      const watched = sources.flatMap((list) => list());
      const processes = await Promise.all(watched.map(describe));
      const stack = await identityOf(process.pid);
      if (open) writeRun(file, { infra: 'native', state, stack, processes });
    });
  }

  return {
    write,
    watch(list: () => readonly Watched[]) {
      sources.push(list);
      write();
    },
    ready() {
      state = 'ready';
      write();
    },
    /** After everything has been stopped. */
    close() {
      open = false;
      removeRun(file);
    },
  };
}

export type RunReport = ReturnType<typeof createRunReport>;

async function describe({ name, pid, port, adminPort }: Watched): Promise<RunningProcess> {
  return {
    name,
    ...(await identityOf(pid)),
    ...(port === undefined ? {} : { port }),
    ...(adminPort === undefined ? {} : { adminPort }),
  };
}
