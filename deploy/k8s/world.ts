import type pg from 'pg';
import type { TributaryClient } from '../../packages/client/src/client.ts';
import type { AdminClient } from '../demo/admin-client.ts';
import type { DemoTenant } from '../demo/demo-file.ts';
import type { Code } from '../upgrade-drill/customers.ts';
import type { Helm } from './chart/helm.ts';
import type { Kubectl } from './cluster/kubectl.ts';
import type { ClusterServers } from './servers.ts';

/** A release that runs in the cluster, with customers that use it, as a phase finds it. */
export type World = {
  kubectl: Kubectl;
  servers: ClusterServers;
  /** As the superuser. */
  db: pg.Pool;
  /** The edge's Service, by its address in the cluster. */
  baseUrl: string;
  admin: AdminClient;
  tenants: readonly DemoTenant[];
  clients: Record<string, TributaryClient>;
  /** Those of many referrers. */
  codes: readonly Code[];
  /** A line for each webhook that the customers' endpoints got. */
  receivedFile: string;
  helm: Helm;
  /** Values of the chart for this release. */
  values: object;
  /** Kills the process of a container on the first node by SIGKILL. */
  killContainer(id: string): Promise<void>;
  /** Starts a second node, with the images of the first. */
  addNode(): Promise<void>;
  signal: AbortSignal;
  say(line: string): void;
};
