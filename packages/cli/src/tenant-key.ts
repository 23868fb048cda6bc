import { readDemoFile } from './demo-file.ts';
import type { ProcessContext } from './process-context.ts';

export type TenantKey = { accessKeyId: string; secretAccessKey: string };

/** The key of a demo tenant, for the address of the demo only. */
export async function findDemoKey(
  tenantId: string,
  baseUrl: string,
  processContext: Pick<ProcessContext, 'env' | 'cwd'>,
): Promise<TenantKey | undefined> {
  const { text } = await readDemoFile(processContext);
  if (text === undefined) return undefined;
  const demo = JSON.parse(text) as {
    baseUrl: string;
    tenants?: readonly (TenantKey & { tenantId: string })[];
  };
  if (new URL(demo.baseUrl).origin !== new URL(baseUrl).origin) return undefined;
  const found = demo.tenants?.find((tenant) => tenant.tenantId === tenantId);
  return found && { accessKeyId: found.accessKeyId, secretAccessKey: found.secretAccessKey };
}
