import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { runTributary } from './run-tributary.ts';

async function run(...argv: string[]) {
  const printed = { out: '', err: '' };
  const code = await runTributary({
    argv,
    env: {},
    cwd: '/',
    input: (async function* () {})(),
    out: (line) => void (printed.out += `${line}\n`),
    err: (line) => void (printed.err += `${line}\n`),
  });
  return { code, ...printed };
}

describe('the command line', () => {
  it('reports every mistake at once', async () => {
    const { code, err } = await run(
      ...['processor', 'connect', 'one', '--tax-policy', 'x', '--wrong', '--worse=1'],
    );
    expect(code).to.equal(2);
    const mistakes = err.split('\n').filter((line) => line.startsWith('error: '));
    expect(mistakes.map((line) => /'[^']+'/.exec(line)?.[0])).to.deep.equal([
      "'--tax-policy <policy>'",
      "'--tenant <id>'",
      "'--api-key-file <file>'",
      "'--wrong'",
      "'--worse'",
      "'connect'",
    ]);
  });

  it('reports an option without its value once', async () => {
    const { code, err } = await run('tenant', 'create', 'Acme', '--attribution-mode');
    expect(code).to.equal(2);
    expect(err.match(/^error: .*/gm)).to.deep.equal([
      "error: option '--attribution-mode <mode>' argument missing",
    ]);
  });

  it('gives no help with a command that does not exist', async () => {
    for (const words of [['crate'], ['tenant', 'crate']]) {
      const { code, err } = await run(...words, '--help');
      expect(code).to.equal(2);
      expect(err).to.include("error: unknown command 'crate'");
    }
    expect(await run('tenant', '--help')).to.include({ code: 0 });
  });

  it('marks required options in the help', async () => {
    const { code, out } = await run('code', 'issue', '--help');
    expect(code).to.equal(0);
    expect(out).to.match(/--tenant <id> +the tenant \(required\)/);
    expect(out).to.match(/--campaign <id> +(?!.*required)/);
  });

  it('prints its version', async () => {
    expect(await run('--version')).to.deep.equal({ code: 0, out: '0.1.0\n', err: '' });
  });

  it('names a tenant by --tenant and a period by --since and --until in every command', async () => {
    const { out } = await run('completion', 'bash');
    expect(out).to.contain('--since');
    expect(out).not.to.match(/--(from|to|before|tenant-id)[ ']/);
  });

  describe('completion in bash', () => {
    let script: string;
    before(async () => {
      script = (await run('completion', 'bash')).out;
    });
    function complete(...words: string[]): string[] {
      const quoted = ['tributary', ...words].map((word) => `'${word}'`).join(' ');
      const text = `${script}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length}
_tributary; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['-c', text], { encoding: 'utf8' }).split('\n').filter(Boolean);
    }

    it('completes commands, options and choices', () => {
      expect(complete('tena')).to.deep.equal(['tenant']);
      expect(complete('tenant', 's')).to.have.members(['set', 'suspend', 'show']);
      expect(complete('--json', 'code', 'issue', '--te')).to.deep.equal(['--tenant']);
      expect(complete('code', 'issue', '--j')).to.deep.equal(['--json']);
      const modes = ['event-code', 'first-code'];
      expect(complete('tenant', 'set', '--attribution-mode', '')).to.deep.equal(modes);
      expect(complete('event', 'send', 'purchase-')).to.have.lengthOf(2);
    });

    it('leaves files to the shell, which quotes their names', () => {
      expect(complete('tenant', 'remove', '--export', '')).to.deep.equal([]);
      expect(complete('event', 'send', '--secret-file', '')).to.deep.equal([]);
      expect(complete('import', '/')).to.deep.equal([]);
      const text = `${script}\ncomplete -p tributary`;
      const registered = execFileSync('bash', ['-c', text], { encoding: 'utf8' });
      expect(registered).to.equal('complete -o default -F _tributary tributary\n');
    });
  });
});
