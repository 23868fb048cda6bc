import type { IncomingMessage, ServerResponse } from 'node:http';
import { createBag } from '@tributary/runtime/bag';

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

type Guest = { bytes: number; arrivedAt: number; isComing: boolean; giveWay: () => void };

const reception = Symbol('reception');
type Received = IncomingMessage & { [reception]?: (giveWay: () => void) => Reception };

export function createBodyRoom(options: {
  maxBytes: number;
  maxComing: number;
  patienceMs?: number;
}): BodyRoom {
  const { maxBytes, maxComing, patienceMs = 1_000 } = options;
  let taken = 0;
  /** Whose bodies are still coming. */
  const coming = createBag<Guest>();

  function end(guest: Guest): void {
    guest.isComing = false;
    coming.delete(guest);
  }

  function leave(guest: Guest): void {
    end(guest);
    taken -= guest.bytes;
    guest.bytes = 0;
  }

  function dismiss(guest: Guest): void {
    const { giveWay } = guest;
    leave(guest);
    giveWay();
  }

  /** Those that are slow give way, the oldest first, until it is enough. */
  function makeRoom(isEnough: () => boolean): void {
    if (isEnough()) return;
    const slowSince = performance.now() - patienceMs;
    const slow = coming.items.filter(({ arrivedAt }) => arrivedAt <= slowSince);
    slow.sort((one, other) => one.arrivedAt - other.arrivedAt);
    for (const guest of slow) {
      dismiss(guest);
      if (isEnough()) return;
    }
  }

  return {
    admit(req, res) {
      const arrivedAt = performance.now();
      const guest: Guest = { bytes: 0, arrivedAt, isComing: false, giveWay: nothing };
      (req as Received)[reception] = (giveWay) => {
        guest.giveWay = giveWay;
        makeRoom(() => coming.size < maxComing);
        coming.add(guest);
        guest.isComing = true;
        return {
          take(bytes) {
            const isRoom = () => taken + bytes <= maxBytes;
            makeRoom(isRoom);
            if (!isRoom() || !guest.isComing) return false;
            taken += bytes;
            guest.bytes += bytes;
            return true;
          },
          end: () => end(guest),
        };
      };
      res.once('close', () => leave(guest));
    },
  };
}

/** Begins the reception of a body. A request of no listener of ours is not counted. */
export function receiveBody(req: IncomingMessage, giveWay: () => void): Reception {
  return (req as Received)[reception]?.(giveWay) ?? unlimited;
}

const nothing = () => undefined;
const unlimited: Reception = { take: () => true, end: () => undefined };
