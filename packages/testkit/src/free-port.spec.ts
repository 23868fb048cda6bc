import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const program = `
  import { freePorts } from ${JSON.stringify(new URL('./free-port.ts', import.meta.url).href)};
  console.log(JSON.stringify(await freePorts(100)));
`;

async function portsOfAProcess(): Promise<number[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...['--input-type=module', '--eval', program],
  ]);
  return JSON.parse(stdout) as number[];
}

describe('free ports', () => {
  it('are given to one process alone, of those that ask at the same time', async () => {
    const given = await Promise.all([portsOfAProcess(), portsOfAProcess(), portsOfAProcess()]);
    const ports = given.flat();
    expect(ports).to.have.length(300);
    expect(new Set(ports)).to.have.property('size', 300);
  });
});
