import type { IncomingMessage, ServerResponse } from 'node:http';

// What bounds the memory of a process when thousands of clients send at once, or slowly, or while
// the log does not answer: the bodies of all requests under way, from their first byte until their
// answer is out, share one room. What is made of a body while its answer waits is up to five times
// its size. When the room is full, bodies that have been coming for longer than a moment give way,
// the oldest first: whoever sends slowly cannot keep others out. If that is not enough, the request
// itself gets 503 (design 8, "overload sheds"). A body that is coming also holds a connection, of
// which the edge opens a limited number: beyond a number of them those that have been coming for
// longer than a moment give way, too.

/** A body that is being received. */
export type Reception = {
  /** False when there is no room for these bytes. */
  take(bytes: number): boolean;
  /** All of it has come, or it is given up: nobody can make it give way any more. */
  end(): void;
};

export type BodyRoom = {
  /** Gives this request a place; its room is free again when its answer is out. */
  admit(req: IncomingMessage, res: ServerResponse): void;
};

type Guest = { bytes: number; arrivedAt: number; giveWay: () => void };

const receptions = new WeakMap<IncomingMessage, (giveWay: () => void) => Reception>();

export function createBodyRoom(options: {
  maxBytes: number;
  maxComing: number;
  patienceMs?: number;
}): BodyRoom {
  const { maxBytes, maxComing, patienceMs = 1_000 } = options;
  let taken = 0;
  /** Whose bodies are still coming, the oldest first. */
  const coming = new Set<Guest>();

  function leave(guest: Guest): void {
    coming.delete(guest);
    taken -= guest.bytes;
    guest.bytes = 0;
  }

  function dismiss(guest: Guest): void {
    leave(guest);
    guest.giveWay();
  }

  const isSlow = ({ arrivedAt }: Guest) => performance.now() - arrivedAt >= patienceMs;

  function makeRoom(bytes: number): boolean {
    for (const guest of coming) {
      if (taken + bytes <= maxBytes || !isSlow(guest)) break;
      dismiss(guest);
    }
    return taken + bytes <= maxBytes;
  }

  return {
    admit(req, res) {
      const guest: Guest = { bytes: 0, arrivedAt: performance.now(), giveWay: () => undefined };
      receptions.set(req, (giveWay) => {
        guest.giveWay = giveWay;
        for (const slow of coming) {
          if (coming.size < maxComing || !isSlow(slow)) break;
          dismiss(slow);
        }
        coming.add(guest);
        return {
          take(bytes) {
            if (taken + bytes > maxBytes && !makeRoom(bytes)) return false;
            if (!coming.has(guest)) return false;
            taken += bytes;
            guest.bytes += bytes;
            return true;
          },
          end: () => void coming.delete(guest),
        };
      });
      res.once('close', () => leave(guest));
    },
  };
}

/** Begins the reception of a body. A request of no listener of ours is not counted. */
export function receiveBody(req: IncomingMessage, giveWay: () => void): Reception {
  return receptions.get(req)?.(giveWay) ?? unlimited;
}

const unlimited: Reception = { take: () => true, end: () => undefined };
