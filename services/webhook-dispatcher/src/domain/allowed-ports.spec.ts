import { expect } from 'chai';
import { isAllowedPort, parsePorts } from './allowed-ports.ts';

describe('parsePorts', () => {
  it('reads ports and ranges of ports', () => {
    const ranges = parsePorts(' 443, 8000 - 8999,');
    const allowed = [442, 443, 444, 7_999, 8_000, 8_999, 9_000].filter((port) =>
      isAllowedPort(ranges, port),
    );
    expect(allowed).to.deep.equal([443, 8_000, 8_999]);
  });

  it('names what is not a port', () => {
    for (const part of ['0', '65536', '90-80', 'https', '1-', '-1', '1.5']) {
      expect(() => parsePorts(`443,${part}`), part).to.throw(`"${part}"`);
    }
  });
});
