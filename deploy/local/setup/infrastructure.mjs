import { canInstall, missingNative } from './native.mjs';
import { SetUpError, succeeds } from './step.mjs';

/**
 * Where servers run: as processes of this machine when they are there or can be installed, else in
 * containers when an engine answers. TRIBUTARY_INFRA=native|docker chooses by hand.
 */
export async function chooseInfrastructure() {
  const wanted = process.env.TRIBUTARY_INFRA || undefined;
  if (wanted !== undefined && wanted !== 'native' && wanted !== 'docker') {
    throw new SetUpError(`TRIBUTARY_INFRA must be native or docker, not "${wanted}"`);
  }
  if (wanted === 'docker') {
    if (await engineAnswers()) return 'docker';
    throw new SetUpError('TRIBUTARY_INFRA=docker, but no engine answers `docker info`');
  }
  const missing = await missingNative();
  const obstacle = missing.length === 0 ? undefined : await canInstall(missing);
  if (obstacle === undefined) return 'native';
  if (wanted === undefined && (await engineAnswers())) {
    process.stderr.write(`set-up: using Docker, because ${obstacle}\n`);
    return 'docker';
  }
  throw new SetUpError(
    wanted === 'native' ? obstacle : `${obstacle}; or start Docker, which is used instead`,
  );
}

function engineAnswers() {
  return succeeds('docker', ['info'], { timeoutMs: 20_000 });
}
