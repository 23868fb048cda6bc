import type { ServerResponse } from 'node:http';
import type { Change, ChangeNotice } from '@tributary/contracts/admin/changes';
import { hasRight } from '@tributary/contracts/admin/rights';
import { createRepeater } from '@tributary/runtime/repeater';
import { type Caller, roleIn } from '../accounts/domain/caller.ts';
import { Refusal } from './refusal.ts';

/** What changes; see change-feed.ts. */
export type FollowChanges = (
  tenantId: string,
  follower: { changed(changes: readonly Change[]): void; lost(): void },
) => (() => void) | undefined;

/** Who asks, and how to find out whether they still may. */
export type StreamOf = { tenantId: string; caller: Caller; stillAdmitted: () => Promise<Caller> };

/** Streams of changes that are open at this process. */
export type ChangeStreams = {
  /** @throws {Refusal} TOO_MANY_REQUESTS, SERVICE_UNAVAILABLE */
  open(of: StreamOf): (res: ServerResponse) => void;
};

/** How many streams are open at once: of a session or token, of a tenant, and in all. */
export const streamLimits = { holder: 10, tenant: 100, process: 500 };

type Stream = StreamOf & {
  holder: string;
  /** As {@link performance.now}. */
  admittedMs: number;
  writtenMs: number;
  res: ServerResponse | undefined;
};

/**
 * A stream is looked after until its end: whoever asked is admitted anew every second, and a stream
 * whose last admission was longer ago than {@link admittedForMs} ends, whether it was refused or
 * nobody could say. It also ends when its reader is slower than what changes, when something may
 * have been missed, and with the process. Readers ask again and begin with `resync`.
 */
export function createChangeStreams(options: {
  follow: FollowChanges;
  /** Replaced by tests that cannot wait for it. */
  heartbeatMs?: number;
}) {
  const { follow, heartbeatMs = 10_000 } = options;
  const streams = new Set<Stream>();
  const underWay = new Set<Stream>();
  let isStopped = false;

  function refuseMore({ tenantId }: StreamOf, holder: string): void {
    const count = (fits: (stream: Stream) => boolean) => [...streams].filter(fits).length;
    const isFull =
      streams.size >= streamLimits.process ||
      count((stream) => stream.tenantId === tenantId) >= streamLimits.tenant ||
      count((stream) => stream.holder === holder) >= streamLimits.holder;
    if (!isFull) return;
    const detail = 'Too many streams of changes are open; close one of them.';
    throw new Refusal('TOO_MANY_REQUESTS', { detail, retryAfterSeconds: 10 });
  }

  function end(stream: Stream): void {
    streams.delete(stream);
    stream.res?.end();
  }

  function write(stream: Stream, text: string): void {
    const { res } = stream;
    if (res === undefined || res.writableEnded) return;
    if (res.writableLength > mostBuffered) return void res.destroy();
    stream.writtenMs = performance.now();
    res.write(text);
  }

  async function admitAnew(stream: Stream): Promise<void> {
    if (underWay.has(stream)) return;
    underWay.add(stream);
    try {
      const askedMs = performance.now();
      stream.caller = await stream.stillAdmitted();
      stream.admittedMs = askedMs;
    } catch (error) {
      if (error instanceof Refusal) end(stream);
    } finally {
      underWay.delete(stream);
    }
  }

  function lookAfter(): void {
    for (const stream of streams) {
      const nowMs = performance.now();
      if (nowMs - stream.admittedMs > admittedForMs) end(stream);
      else if (nowMs - stream.admittedMs >= admitEveryMs) void admitAnew(stream);
      if (nowMs - stream.writtenMs >= heartbeatMs) write(stream, ':\n\n');
    }
  }

  const repeater = createRepeater({
    everyMs: 250,
    work: () => Promise.resolve(lookAfter()),
  });

  return {
    start: () => repeater.start(),
    async stop() {
      isStopped = true;
      for (const stream of streams) end(stream);
      await repeater.stop();
    },
    gauges: {
      tributary_portal_change_streams: {
        help: 'Open streams of changes.',
        read: () => streams.size,
      },
    },
    open(of: StreamOf) {
      const holder = of.caller.session?.sessionId ?? of.caller.actor;
      refuseMore(of, holder);
      const nowMs = performance.now();
      const stream: Stream = {
        ...of,
        ...{ holder, admittedMs: nowMs, writtenMs: nowMs, res: undefined },
      };
      const unfollow = isStopped
        ? undefined
        : follow(of.tenantId, {
            changed: (changes) => {
              const seen = changes.filter(({ kind }) => kind !== 'job' || seesJobs(stream));
              if (seen.length > 0) write(stream, eventOf({ type: 'changes', changes: seen }));
            },
            lost: () => end(stream),
          });
      if (unfollow === undefined) throw new Refusal('SERVICE_UNAVAILABLE');
      streams.add(stream);
      return (res: ServerResponse) => {
        const leave = () => {
          unfollow();
          streams.delete(stream);
        };
        // Whoever left while they were admitted has been closed already.
        if (res.closed || res.destroyed) return leave();
        res.once('close', leave);
        if (!streams.has(stream)) return void res.destroy();
        stream.res = res;
        res.writeHead(200, headers).flushHeaders();
        write(stream, `retry: ${retryMs}\n${eventOf({ type: 'resync' })}`);
      };
    },
  };
}

/** Within five seconds of the end of a role or session, also where nobody answers. */
const admittedForMs = 4_000;
const admitEveryMs = 1_000;
/** Bytes that one stream may be behind. */
const mostBuffered = 256 * 1_024;
const retryMs = 2_000;

/** The edge passes on what it gets at once, instead of gathering it. */
const headers = { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' };

/** Jobs are of the whole deployment. */
function seesJobs({ caller, tenantId }: StreamOf): boolean {
  const role = roleIn(caller, tenantId);
  return role !== undefined && hasRight(role, 'deployment');
}

/** JSON has no line break in it. */
function eventOf(notice: ChangeNotice): string {
  return `event: ${notice.type}\ndata: ${JSON.stringify(notice)}\n\n`;
}
