import { run } from './run.ts';

/** The API server as kubectl reaches it. */
export type Kubectl = {
  (...args: string[]): Promise<string>;
  /** Applies manifests as the server side of an apply. */
  apply(manifests: readonly object[]): Promise<void>;
  json<T>(...args: string[]): Promise<T>;
  kubeconfig: string;
};

export function createKubectl(kubeconfig: string, signal: AbortSignal): Kubectl {
  const kubectl = (...args: string[]) =>
    run('kubectl', ['--kubeconfig', kubeconfig, ...args], { signal });
  return Object.assign(kubectl, {
    kubeconfig,
    async apply(manifests: readonly object[]) {
      const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests });
      const args = ['--kubeconfig', kubeconfig, 'apply', '--server-side', '-f', '-'];
      await run('kubectl', args, { input, signal });
    },
    async json<T>(...args: string[]): Promise<T> {
      return JSON.parse(await kubectl(...args, '-o', 'json')) as T;
    },
  });
}
