import { deadLetterCodec, deadLetterItemId } from '@tributary/contracts/dead-letter-record';
import { type Topic, topicName } from '@tributary/contracts/topics';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { letterOf, onLog, purchase, tenantId } from '../testing/scenario.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

type Item = {
  itemId: string;
  status: string;
  origin: { topic: string; partition: number; offset: string; key: string | null; at: string };
  readers: { reader: string; reason: string; detail: string; putAsideAt: string }[];
  actions: { type: string; by: string; note?: string; at: string }[];
  value?: unknown;
};

describe('dead letters through the admin API', function () {
  this.timeout(60_000);
  let portal: TestPortal;
  before(async () => {
    portal = await startTestPortal();
  });
  after(() => portal.stop());

  const by = 'ops@example.com';
  const nameOf = (topic: Topic) => topicName(topic, portal.topics);

  async function list(query = ''): Promise<Item[]> {
    const { status, body } = await portal.call('GET', `/api/dead-letters${query}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body['deadLetters'] as Item[];
  }
  async function show(itemId: string): Promise<Item> {
    const { status, body } = await portal.call('GET', `/api/dead-letters/${itemId}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body as unknown as Item;
  }
  const act = (itemId: string, verb: 'redrive' | 'discard', body: object = { by }) =>
    portal.call('POST', `/api/dead-letters/${itemId}/${verb}`, body);

  /** Appends a record that the portal itself puts aside, and gives the item. */
  async function putAside(topic: Topic, key: string, value: string): Promise<Item> {
    await portal.publish([{ topic, key, value }]);
    const shownKey = key.replaceAll('\0', '\ufffd');
    return eventually(async () => {
      const found = (await list()).find(({ origin }) => origin.key === shownKey);
      if (!found) throw new Error('it is not put aside yet');
      return found;
    });
  }

  /** As a reader would that takes less than today's: of a record that keeps its contract now. */
  async function letterAbout(n: number, reader: string, value: string): Promise<string> {
    const origin = {
      ...{ topic: nameOf('events'), partition: 3, offset: String(n) },
      key: `${tenantId}:cara`,
    };
    const letter = letterOf(reader, n, { origin, value: Buffer.from(value).toString('base64') });
    await portal.publish([
      { topic: 'deadLetters', key: origin.key, value: deadLetterCodec.encode(letter) },
    ]);
    const itemId = deadLetterItemId(origin);
    await eventually(async () => {
      const { readers } = await show(itemId);
      expect(readers.map((one) => one.reader)).to.include(reader);
    });
    return itemId;
  }

  it('are one item for all readers that put a record aside, without its value in the list', async () => {
    const broken = { ...purchase(1), occurredAtSeconds: 'canary' };
    const item = await putAside('events', 'acme:two', JSON.stringify(broken));
    expect(item).to.include({ status: 'open' });
    expect(item.origin).to.include({ topic: nameOf('events'), key: 'acme:two' });
    const second = letterOf('attribution', 1, { origin: { ...item.origin, key: 'acme:two' } });
    await portal.publish([
      { topic: 'deadLetters', key: 'acme:two', value: deadLetterCodec.encode(second) },
    ]);
    await eventually(async () => {
      const { readers } = await show(item.itemId);
      expect(readers.map(({ reader }) => reader.replace(/-.*/, ''))).to.have.members([
        'portal',
        'attribution',
      ]);
    });
    const all = await list('?reader=attribution&reason=schema');
    expect(all.map(({ itemId }) => itemId)).to.deep.equal([item.itemId]);
    expect(JSON.stringify(all)).to.not.contain('canary');
    expect((await show(item.itemId)).value).to.deep.equal({
      ...{ text: JSON.stringify(broken), bytes: JSON.stringify(broken).length, cut: false },
    });
  });

  it('are not redriven while they break their contract: the answer says where and what is expected', async () => {
    const broken = { ...purchase(2), occurredAtSeconds: 'canary' };
    const { itemId } = await putAside('events', 'acme:broken', JSON.stringify(broken));
    const before = (await portal.textsOf('events')).length;
    const { status, body } = await act(itemId, 'redrive');
    expect(status).to.equal(409);
    expect(body['detail']).to.match(
      /still breaks .* event records, version \d+: \/occurredAtSeconds: Expected string to match/,
    );
    expect(JSON.stringify(body)).to.not.contain('canary');
    expect(await portal.textsOf('events')).to.have.length(before);
    expect((await show(itemId)).status).to.equal('open');
  });

  it('are redriven to the byte once a reader takes them, and only once', async () => {
    const record = onLog.event(purchase(3));
    // Spaces that no writer of ours makes: the bytes are appended, not what they mean.
    const value = (record.value ?? '').replace('{', '{ ');
    const itemId = await letterAbout(3, 'attribution', value);
    const { status, body } = await act(itemId, 'redrive', { by, note: 'reads it since today' });
    expect([status, body['status']], JSON.stringify(body)).to.deep.equal([200, 'redriven']);
    const twice = await act(itemId, 'redrive', { by: 'somebody else' });
    expect(twice.body['actions']).to.deep.equal(body['actions']);
    expect(twice.status).to.equal(200);

    const copies = (await portal.textsOf('events')).filter((text) => text.value === value);
    expect(copies).to.deep.equal([{ key: `${tenantId}:cara`, value }]);
    const actions = (await portal.textsOf('deadLetters')).filter(({ value: text }) =>
      text.includes('"redriven"'),
    );
    expect(actions).to.have.length(1);
    expect(actions[0]?.key).to.equal(`${tenantId}:cara`);
    expect(JSON.parse(actions[0]?.value ?? '')).to.include({ by, note: 'reads it since today' });
    expect((await list('?status=redriven')).map((item) => item.itemId)).to.include(itemId);
    expect((await list('?status=open')).map((item) => item.itemId)).to.not.include(itemId);
    const late = await act(itemId, 'discard');
    expect([late.status, late.body['detail']]).to.deep.equal([
      409,
      'It was already redriven: it is on its topic again.',
    ]);
  });

  it('are put aside anew as another item when a reader still cannot take them', async () => {
    const value = onLog.event(purchase(4)).value ?? '';
    const itemId = await letterAbout(4, 'attribution', value);
    await act(itemId, 'redrive');
    const again = await letterAbout(5, 'attribution', value);
    expect(again).to.not.equal(itemId);
    expect([(await show(itemId)).status, (await show(again)).status]).to.deep.equal([
      'redriven',
      'open',
    ]);
    // A reader that comes to the first one only now, such as a later generation, opens nothing.
    await letterAbout(4, 'attribution-g2', value);
    expect((await show(itemId)).status).to.equal('redriven');
  });

  it('may be discarded, and redriven all the same later', async () => {
    const itemId = await letterAbout(6, 'attribution', onLog.event(purchase(6)).value ?? '');
    const first = await act(itemId, 'discard', { by, note: 'a test of theirs' });
    expect(first.body).to.include({ status: 'discarded' });
    const twice = await act(itemId, 'discard', { by: 'somebody else' });
    expect(twice.body['actions']).to.deep.equal(first.body['actions']);
    expect((await list('?status=discarded')).map((item) => item.itemId)).to.deep.equal([itemId]);
    const redriven = await act(itemId, 'redrive');
    expect(redriven.body).to.include({ status: 'redriven' });
    await eventually(async () => {
      const { actions } = await show(itemId);
      expect(actions.map(({ type }) => type)).to.deep.equal(['discarded', 'redriven']);
    });
  });

  it('about people have no value anywhere, cannot be redriven, and say so', async () => {
    const broken = '{"schemaVersion":1,"email":"canary@example.com"';
    const { itemId } = await putAside('people', 'acme:person', broken);
    expect((await show(itemId)).value).to.equal(null);
    const { status, body } = await act(itemId, 'redrive');
    expect([status, body.code]).to.deep.equal([409, 'CONFLICT']);
    expect(body['detail']).to.contain('It is about a person');
    expect((await act(itemId, 'discard')).status).to.equal(200);
    const letters = (await portal.textsOf('deadLetters')).map(({ value }) => value).join('\n');
    const base64 = Buffer.from(broken).toString('base64').slice(0, 30);
    expect(letters).to.not.contain(base64).and.not.contain('canary@');
  });

  it('with odd keys and bytes are shown, and never stop the partition', async () => {
    const odd = await putAside('events', 'acme:a\0b', '\ufeff{"schemaVersion":3,"x":"\0"}');
    expect(odd.origin.key).to.equal('acme:a\ufffdb');
    expect((await act(odd.itemId, 'redrive')).status).to.equal(409);
    await portal.publish([
      { topic: 'deadLetters', key: '', value: 'garbage' },
      {
        topic: 'deadLetters',
        key: '',
        value: JSON.stringify({
          ...letterOf('x', 9, { detail: 'a\0b', originTimestampMs: -1e300, value: 'a\0' }),
          origin: { topic: 'else', partition: 1, offset: '9999999999999999999', key: '\0' },
        }),
      },
    ]);
    const found = await eventually(async () => {
      const items = await list('?topic=else');
      expect(items).to.have.length(1);
      return items[0]!;
    });
    expect(found.origin.at).to.equal('1970-01-01T00:00:00.000Z');
    expect((await act(found.itemId, 'redrive')).body['detail']).to.contain('no topic of this');
    // The letter about the garbage letter comes by way of the outbox and the log, in its own time.
    await eventually(async () =>
      expect(await list(`?topic=${nameOf('deadLetters')}`)).to.have.length(1),
    );
  });

  it('are listed page by page, and are counted while they are open', async () => {
    const all = await list();
    const found: string[] = [];
    let cursor = '';
    do {
      const { body } = await portal.call('GET', `/api/dead-letters?limit=2${cursor}`);
      found.push(...(body['deadLetters'] as Item[]).map(({ itemId }) => itemId));
      const next = body['nextCursor'] as string | null;
      cursor = next === null ? '' : `&cursor=${next}`;
    } while (cursor !== '');
    expect(found).to.deep.equal(all.map(({ itemId }) => itemId));
    const open = all.filter(({ status }) => status === 'open').length;
    const metrics = await (await fetch(`${portal.adminUrl}/metrics`)).text();
    expect(metrics).to.match(new RegExp(`^tributary_dead_letters_open\\{.*\\} ${open}$`, 'm'));
  });

  it('refuse what is not understood, with every mistake', async () => {
    const nobody = deadLetterItemId({ topic: 'none', partition: 0, offset: '0' });
    for (const id of [nobody, 'i1', '%00', '..%2F..']) {
      expect((await portal.call('GET', `/api/dead-letters/${id}`)).status, id).to.equal(404);
      expect((await act(id, 'redrive')).status, id).to.equal(404);
    }
    const query = await portal.call('GET', '/api/dead-letters?status=new&reason=odd&offset=1');
    expect(query.body.errors?.map(({ pointer }) => pointer)).to.deep.equal([
      ...['/status', '/reason', '/offset'],
    ]);
    const { body } = await act(nobody, 'discard', { note: 1 });
    expect(body.errors?.map(({ pointer }) => pointer)).to.have.members(['/note']);
  });
});
