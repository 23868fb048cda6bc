import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** What a running local system says of itself in `.tributary/demo.json`; sandbox secrets inside. */
export type Demo = {
  environment: 'sandbox';
  baseUrl: string;
  assetsUrl: string;
  portalUrl: string;
  /** Base URL of the demo shop. */
  shopUrl: string;
  adminToken: string;
  /** Who signs in to the portal. */
  owner: DemoOwner;
  kafkaBrokers: string;
  kafkaSasl: { mechanism: 'plain' | 'scram-sha-512'; username: string; password: string };
  postgresUrl: string;
  redisUrl: string;
  /** Whom clients of these three believe, where they are encrypted. */
  caFile?: string;
  tenants: DemoTenant[];
};

export type DemoOwner = { email: string; password: string };

export type DemoTenant = {
  tenantId: string;
  name: string;
  accessKeyId: string;
  secretAccessKey: string;
  productId: string;
  productSecret: string;
  campaignId: string;
  referrer: { productUserId: string; ucc: string };
  /** `receivedUrl` lists what the demo receiver got for this tenant. */
  webhook: { url: string; username: string; password: string; receivedUrl: string };
};

/** Written beside and moved into place, so that a reader never sees half of it. */
export function writeSecretFile(file: string, value: unknown): void {
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/** The parsed file, or undefined when there is none. */
export function readJsonFile<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read`, { cause: error });
  }
}
