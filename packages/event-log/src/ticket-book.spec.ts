import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createTicketBook } from './ticket-book.ts';

function book(deadlineMs: number) {
  return createTicketBook<string>({ deadlineMs, refuse: () => new Error('late') });
}

describe('ticket book', () => {
  it('resolves a ticket only when all of its records are acknowledged', async () => {
    const tickets = book(60_000);
    const { records, settled } = tickets.open(['a', 'b']);
    let done = false;
    void settled.then(() => (done = true));
    tickets.acked([records[0]!]);
    await Promise.resolve();
    expect(done).to.equal(false);
    tickets.acked([records[1]!]);
    await settled;
    expect(tickets.liveRecords()).to.equal(0);
  });

  it('refuses a ticket at its deadline and counts its records out', async () => {
    const tickets = book(20);
    const { records, settled } = tickets.open(['a', 'b']);
    tickets.acked([records[0]!]);
    const refusal = await settled.catch((error: Error) => error.message);
    expect(refusal).to.equal('late');
    expect(tickets.liveRecords()).to.equal(0);
    expect(tickets.isLive(records[1]!)).to.equal(false);
  });

  it('refuses all that are due together, and nobody else', async () => {
    const tickets = book(60);
    const due = Array.from({ length: 5 }, (_, n) => tickets.open([`due ${n}`]));
    await delay(50);
    const later = tickets.open(['later']);
    const refusals = await Promise.allSettled(due.map(({ settled }) => settled));
    expect(refusals.map(({ status }) => status)).to.deep.equal(due.map(() => 'rejected'));
    expect(tickets.liveRecords()).to.equal(1);
    tickets.acked(later.records);
    await later.settled;
  });

  it('holds nothing for live past its deadline, even before it is swept up', async () => {
    const tickets = book(20);
    const { records, settled } = tickets.open(['a']);
    expect(tickets.isLive(records[0]!)).to.equal(true);
    // As in a process that was stopped: no timer has run when it goes on.
    for (const until = performance.now() + 30; performance.now() < until;);
    expect(tickets.liveRecords()).to.equal(1);
    expect(tickets.isLive(records[0]!)).to.equal(false);
    await settled.catch(() => undefined);
  });

  it('takes an acknowledgement after the refusal without harm', async () => {
    const tickets = book(60_000);
    const { records, settled } = tickets.open(['a']);
    tickets.refuse(records, new Error('no'));
    await settled.catch(() => undefined);
    tickets.acked(records);
    expect(tickets.liveRecords()).to.equal(0);
  });
});
