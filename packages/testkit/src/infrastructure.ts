import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export type Infrastructure = 'native' | 'docker';

let chosen: Promise<Infrastructure> | undefined;

/**
 * Where test servers run: in containers when an engine answers, else as processes of this machine.
 * TRIBUTARY_INFRA=native|docker chooses by hand. There is no third way: a test is never skipped.
 */
export function chooseInfrastructure(): Promise<Infrastructure> {
  chosen ??= choose(process.env['TRIBUTARY_INFRA']);
  return chosen;
}

async function choose(input: string | undefined): Promise<Infrastructure> {
  if (input === 'native' || input === 'docker') return input;
  if (input !== undefined && input !== '') {
    throw new Error(`TRIBUTARY_INFRA must be native or docker, not "${input}"`);
  }
  return (await engineAnswers()) ? 'docker' : 'native';
}

async function engineAnswers(): Promise<boolean> {
  try {
    await promisify(execFile)('docker', ['info', '--format', '{{.ServerVersion}}'], {
      timeout: 10_000,
    });
    return true;
  } catch {
    return false;
  }
}
