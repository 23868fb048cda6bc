import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { createAdminClient } from '../../deploy/demo/admin-client.ts';

/** Asks for a preview and waits until it is done. @returns its id. */
export async function finishedPreview(
  admin: ReturnType<typeof createAdminClient>,
  body: object,
): Promise<string> {
  const made = await admin.call<{ previewId: string }>('POST', '/api/replay/previews', body);
  await eventually(
    async () => {
      const path = `/api/replay/previews/${made.previewId}`;
      expect((await admin.call<{ status: string }>('GET', path)).status).to.equal('done');
    },
    { deadlineMs: 60_000 },
  );
  return made.previewId;
}
