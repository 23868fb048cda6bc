import { createBag } from '@tributary/runtime/bag';

/**
 * Who waits for what: a ticket per append, settled once. It resolves when all its records are
 * acknowledged, and is refused at its deadline, whatever is still under way then.
 */
export type TicketRecord<E> = { entry: E; ticket: Ticket };

export type Ticket = {
  /** Records not yet acknowledged. */
  open: number;
  deadlineAt: number;
  settled: boolean;
  resolve: () => void;
  reject: (reason: Error) => void;
};

export function createTicketBook<E>(options: { deadlineMs: number; refuse: () => Error }) {
  const { deadlineMs, refuse } = options;
  const live = createBag<Ticket>();
  let liveRecords = 0;
  let sweeper: NodeJS.Timeout | undefined;
  let idle: (() => void) | undefined;

  function settle(ticket: Ticket, reason?: Error): void {
    if (ticket.settled) return;
    ticket.settled = true;
    live.delete(ticket);
    liveRecords -= ticket.open;
    if (reason) ticket.reject(reason);
    else ticket.resolve();
    if (live.size === 0) {
      clearInterval(sweeper);
      sweeper = undefined;
      idle?.();
    }
  }

  function sweep(): void {
    const now = performance.now();
    for (const ticket of live.items.filter(({ deadlineAt }) => deadlineAt <= now)) {
      settle(ticket, refuse());
    }
  }

  return {
    open(entries: readonly E[]): { records: TicketRecord<E>[]; settled: Promise<void> } {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      // The caller hears of a refusal through `settled`; until it listens, that is no lost error.
      promise.catch(() => undefined);
      const deadlineAt = performance.now() + deadlineMs;
      const ticket: Ticket = { open: entries.length, deadlineAt, settled: false, resolve, reject };
      live.add(ticket);
      liveRecords += entries.length;
      sweeper ??= setInterval(sweep, 100);
      return { records: entries.map((entry) => ({ entry, ticket })), settled: promise };
    },

    acked(records: readonly { ticket: Ticket }[]): void {
      for (const { ticket } of records) {
        if (ticket.settled) continue;
        ticket.open -= 1;
        liveRecords -= 1;
        if (ticket.open === 0) settle(ticket);
      }
    },

    refuse(records: readonly { ticket: Ticket }[], reason: Error): void {
      for (const { ticket } of records) settle(ticket, reason);
    },

    /**
     * Not past its deadline either, though nobody has swept it up yet: a process that was stopped,
     * or whose loop was blocked, sends nothing for which somebody else may have stopped waiting.
     */
    isLive: ({ ticket }: { ticket: Ticket }): boolean =>
      !ticket.settled && performance.now() < ticket.deadlineAt,
    liveRecords: (): number => liveRecords,

    async allSettled(): Promise<void> {
      if (live.size === 0) return;
      await new Promise<void>((resolve) => (idle = resolve));
    },
  };
}
