// The one entry of `npm start`, `npm test` and their likes. It runs on any Node from 20 on, without
// a dependency: it sees to it that what the command needs is on this machine, then becomes, as far
// as a parent can, the command under Node 24. When everything is there it prints nothing.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildBrowserScripts } from './setup/browser-scripts.mjs';
import { cache, checkout } from './setup/places.mjs';
import { hasChromium, hasFonts, hasGo } from './setup/programs.mjs';
import { runForwarding } from './setup/run-forwarding.mjs';
import { setUp } from './setup/set-up.mjs';
import { explain } from './setup/step.mjs';

const [name = '', ...args] = process.argv.slice(2);

/**
 * What each command runs, whether it needs servers (Kafka, Redis, Postgres, nginx) and the browser
 * scripts, and what else: found out for the command that is run only. (`test` makes the scripts
 * itself, as a stage: their mistakes are counted.)
 */
const commands = {
  start: { file: 'deploy/local/start.ts', servers: true, scripts: true },
  stop: { file: 'deploy/local/stop.ts', servers: false },
  status: { file: 'deploy/local/status.ts', servers: false },
  reset: { file: 'deploy/local/reset.ts', servers: false },
  // The clients and receivers in Python, Go and PHP are run as they are. They and Stripe's
  // stripe-mock are built with Go, which pip brings where there is none (packages/testkit). The
  // browser scripts are tried in Chromium (test-e2e/browser). Prometheus evaluates the alerts and
  // the dashboards (deploy/observability). Git says what --changed means.
  test: {
    ...{ file: 'deploy/local/test.ts', servers: true },
    tools: () => [
      ...['git', 'python3', 'php', 'prometheus', ...(hasGo() ? [] : ['pip3'])],
      ...(hasChromium() ? [] : ['chromium']),
      ...(hasFonts() ? [] : ['fonts']),
      // The fault matrix is part of a long run.
      ...(args.includes('--long') ? ['strace'] : []),
    ],
  },
  security: {
    ...{ file: 'deploy/local/security.ts', servers: true, scripts: true },
    tools: () => ['python3', ...(hasGo() ? [] : ['pip3']), ...(hasChromium() ? [] : ['chromium'])],
  },
  bench: {
    ...{ file: 'bench/main.ts', servers: true, scripts: true },
    tools: () => [
      ...['wrk', ...(args[0] === 'widget' && !hasChromium() ? ['chromium'] : [])],
      ...(args[0] === 'ingest' && !hasGo() ? ['python3', 'pip3'] : []),
    ],
  },
  // Disks of Postgres are slow or fail where strace says so.
  faults: {
    ...{ file: 'test-faults/matrix/main.ts', servers: true, scripts: true },
    tools: () => ['strace'],
  },
  // Kubernetes itself, KEDA and helm are built by the command (deploy/k8s).
  k8s: {
    ...{ file: 'deploy/k8s/main.ts', servers: true, scripts: true },
    tools: () => ['git', 'kubectl', 'nsenter', 'ip', ...(hasGo() ? [] : ['python3', 'pip3'])],
  },
  'upgrade-drill': { file: 'deploy/upgrade-drill/main.ts', servers: true },
  // Stands in for Stripe's API, for who tries the tour without an account there.
  stripe: { file: 'packages/testkit/src/stripe/serve-fake-stripe.ts', servers: false },
  tributary: { file: 'packages/cli/src/main.ts', servers: false },
  // What `npm pack ./packages/client` packs.
  client: { file: 'packages/client/build-dist.ts', servers: false },
};

const command = commands[name];

if (command === undefined || !existsSync(join(checkout, command.file))) {
  process.stderr.write(`usage: bootstrap.mjs ${Object.keys(commands).join('|')} [arguments]\n`);
  process.exit(2);
}

try {
  const { servers, scripts = false, tools = () => [] } = command;
  const { node, env } = await setUp({
    servers,
    tools: tools(),
    preferEngine: name === 'test' || name === 'security',
  });
  // In containers they are made with the image.
  if (scripts && env.TRIBUTARY_INFRA !== 'docker') await buildBrowserScripts(node, env);
  if (name === 'start') env.NODE_COMPILE_CACHE ||= compiled(env);
  const file = join(checkout, command.file);
  if (name === 'tributary') env.NODE_COMPILE_CACHE ||= join(cache, 'compiled-command-line');
  if (name === 'tributary' && Number.parseInt(process.versions.node, 10) >= 24) {
    // This Node can run the command line itself; a second one would take as long as the command.
    module.enableCompileCache(env.NODE_COMPILE_CACHE);
    process.argv = [process.execPath, file, ...args];
    await import(pathToFileURL(file).href);
  } else {
    process.exitCode = await runForwarding(node, [file, ...args], env);
  }
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}

/** Node keeps there what it has compiled, for quicker starts (state-dir.ts). */
function compiled({ TRIBUTARY_LOCAL_STATE_DIR: stateDir }) {
  return join(resolve(stateDir || join(checkout, '.tributary')), 'compiled');
}
