/**
 * Bounds how many events wait for Redis and the brokers at once, and so how long each does: who
 * finds no place is refused at once (design 8, "overload sheds"). A place is taken when the body is
 * here and given back with the answer, so a caller who sends a body slowly holds none; body-room.ts
 * of packages/http bounds those.
 */
export type EventPlaces = {
  isFull(): boolean;
  /** Undefined when there is none; otherwise call the result once, to give it back. */
  take(): (() => void) | undefined;
  taken(): number;
};

export function createEventPlaces(count: number): EventPlaces {
  let taken = 0;
  const isFull = () => taken >= count;
  return {
    isFull,
    take() {
      if (isFull()) return undefined;
      taken += 1;
      return () => void (taken -= 1);
    },
    taken: () => taken,
  };
}
