import type { IncomingMessage, ServerResponse } from 'node:http';
import { createLinkedSet } from '@tributary/runtime/linked-set';

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
  /** Looks no more for bodies that are slow. */
  stop(): void;
};

type Guest = { bytes: number; arrivedAt: number; giveWay: () => void };

const reception = Symbol('reception');
type Received = IncomingMessage & { [reception]?: (giveWay: () => void) => Reception };

export function createBodyRoom(options: {
  maxBytes: number;
  maxComing: number;
  patienceMs?: number;
}): BodyRoom {
  const { maxBytes, maxComing, patienceMs = 1_000 } = options;
  let taken = 0;
  /** Whose bodies are still coming, the oldest first. */
  const coming = createLinkedSet<Guest>();

  function leave(guest: Guest): void {
    coming.delete(guest);
    taken -= guest.bytes;
    guest.bytes = 0;
  }

  /** Those that are slow give way until it is enough. */
  function makeRoom(isEnough: () => boolean): void {
    for (const guest of coming) {
      const isSlow = performance.now() - guest.arrivedAt >= patienceMs;
      if (isEnough() || !isSlow) return;
      leave(guest);
      guest.giveWay();
    }
  }

  const isRoomForAnother = () => coming.size < maxComing;
  // Also when nobody new comes: the edge passes on no more than so many requests.
  const timer = setInterval(() => makeRoom(isRoomForAnother), patienceMs).unref();

  return {
    admit(req, res) {
      const guest: Guest = { bytes: 0, arrivedAt: performance.now(), giveWay: () => undefined };
      (req as Received)[reception] = (giveWay) => {
        guest.giveWay = giveWay;
        makeRoom(isRoomForAnother);
        coming.add(guest);
        return {
          take(bytes) {
            const isRoom = () => taken + bytes <= maxBytes;
            if (!isRoom()) makeRoom(isRoom);
            if (!isRoom() || !coming.has(guest)) return false;
            taken += bytes;
            guest.bytes += bytes;
            return true;
          },
          end: () => coming.delete(guest),
        };
      };
      res.once('close', () => leave(guest));
    },
    stop: () => clearInterval(timer),
  };
}

/** Begins the reception of a body. A request of no listener of ours is not counted. */
export function receiveBody(req: IncomingMessage, giveWay: () => void): Reception {
  return (req as Received)[reception]?.(giveWay) ?? unlimited;
}

const unlimited: Reception = { take: () => true, end: () => undefined };
