import { packEntries } from '@tributary/event-log/outbox-rows';
import { expect } from 'chai';
import { pack } from '../console/db/stored/pack.ts';
import { unpackDump } from './unpack-dump.ts';

describe('a dump of tables', () => {
  const record = { name: 'canary', more: 'canary '.repeat(40) };
  const shown = (bytes: Buffer) => `{"id": 1, "record": "\\\\x${bytes.toString('hex')}"}`;

  it('shows what a packed record, an outbox and plain bytes hold', () => {
    const entries = [{ topic: 'people', key: 'k', value: JSON.stringify(record) }];
    for (const bytes of [
      pack('event', record),
      packEntries(entries),
      Buffer.from(JSON.stringify(record)),
    ]) {
      const dump = shown(bytes);
      expect(dump).to.not.contain('canary');
      expect(unpackDump(dump)).to.contain('canary').and.contain('"id": 1');
    }
  });

  it('leaves the rest as it is', () => {
    const dump = 'tenant {"name": "x\\\\y", "exact": 12}';
    expect(unpackDump(dump)).to.equal(dump);
  });
});
