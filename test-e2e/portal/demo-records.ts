import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { createAdminClient } from '../../deploy/demo/admin-client.ts';
import type { Demo } from '../../deploy/demo/demo-file.ts';
import { createTributaryClient } from '../../packages/client/src/client.ts';

/**
 * So that lists of the demo's first tenant hold something: somebody signs up by its code, which
 * makes an event, a reward and a delivery, and a request is refused.
 */
export async function makeDemoRecords(demo: Demo): Promise<void> {
  await makeReward(demo);
  await makeRefusedRequest(demo);
}

async function makeReward({ baseUrl, adminToken, tenants }: Demo): Promise<void> {
  const { accessKeyId, secretAccessKey, tenantId, referrer } = tenants[0]!;
  const client = createTributaryClient({ baseUrl, accessKeyId, secretAccessKey });
  const newUser = { id: 'portal-ben', name: 'Ben Thistlewood' };
  const occurredAt = new Date().toISOString();
  await client.signupCreated({ ucc: referrer.ucc, occurredAt, newUser });
  const admin = createAdminClient({ baseUrl, token: adminToken });
  await eventually(async () => {
    const path = `/api/tenants/${tenantId}/rewards?user=portal-ben`;
    const { rewards } = await admin.call<{ rewards: unknown[] }>('GET', path);
    expect(rewards).to.not.have.length(0);
  });
}

async function makeRefusedRequest({ baseUrl, adminToken, tenants }: Demo): Promise<void> {
  const { accessKeyId, secretAccessKey, tenantId } = tenants[0]!;
  const client = createTributaryClient({ baseUrl, accessKeyId, secretAccessKey });
  const given = { ucc: 'AAAAAAAAAAA', occurredAt: 'yesterday', newUser: { id: '' } };
  const refusal = await client.signupCreated(given).catch((error: unknown) => error);
  expect(refusal).to.be.an('error');
  const admin = createAdminClient({ baseUrl, token: adminToken });
  await eventually(async () => {
    const path = `/api/tenants/${tenantId}/requests`;
    const { requests } = await admin.call<{ requests: unknown[] }>('GET', path);
    expect(requests).to.not.have.length(0);
  });
}
