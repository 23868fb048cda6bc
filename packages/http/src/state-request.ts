import type { InternalReply } from './internal-router.ts';

// What requests about the state of a generation have in common (attribution, rewards).

/** `?tenant=` and `?user=`; neither: all there is. */
export function narrowingOf(query: URLSearchParams): {
  tenantId?: string | undefined;
  userId?: string | undefined;
} {
  return { tenantId: query.get('tenant') ?? undefined, userId: query.get('user') ?? undefined };
}

const idsAtOnce = 200;

/** A member of the body that lists ids, at most {@link idsAtOnce}. */
export function idsOf(json: unknown, member: string): string[] | undefined {
  const ids: unknown = ((json ?? {}) as Record<string, unknown>)[member];
  if (!Array.isArray(ids) || ids.length > idsAtOnce) return undefined;
  return ids.every((id) => typeof id === 'string') ? ids : undefined;
}

/**
 * An answer of chunks that is begun with its first one: what cannot be told at all is a problem and
 * no broken answer.
 */
export async function replyInChunks(
  chunks: AsyncGenerator<Uint8Array, void, void>,
): Promise<InternalReply> {
  const first = await chunks.next();
  return {
    lines: async (write) => {
      try {
        if (!first.done) await write(first.value);
        for await (const chunk of chunks) await write(chunk);
      } finally {
        await chunks.return();
      }
    },
  };
}
