import { existsSync } from 'node:fs';
import { aptInstall, canUseApt } from './apt.mjs';
import { fetchKafka, kafkaIsThere } from './kafka-jars.mjs';
import { fetchPrometheus, hasPrometheus } from './prometheus.mjs';
import { hasJava, hasNginx, hasPostgres, hasRedis, isOnPath } from './programs.mjs';
import { SetUpError } from './step.mjs';

const kafkaName = 'Kafka';
const prometheusName = 'prometheus';

/**
 * The native servers that this machine lacks: `what` a person calls it, and the Debian packages
 * that bring it.
 */
export async function missingNative() {
  const kafka = kafkaIsThere();
  const wanted = [
    { what: 'Java 17 or later', packages: ['openjdk-17-jre-headless'], there: hasJava() },
    { what: 'Maven', packages: ['maven'], there: kafka || isOnPath('mvn') },
    { what: 'Redis 7 or later', packages: ['redis-server'], there: await hasRedis() },
    { what: 'PostgreSQL', packages: ['postgresql'], there: hasPostgres() },
    { what: 'nginx', packages: ['nginx'], there: hasNginx() },
    { what: kafkaName, packages: [], there: kafka },
  ];
  return wanted.filter(({ there }) => !there);
}

/** Programs that one command alone needs. */
export function missingTools(tools) {
  const isThere = (name) => (name === prometheusName ? hasPrometheus() : isOnPath(name));
  const missing = tools.filter((name) => !isThere(name));
  return missing.map((name) => ({ what: name, packages: toolPackages[name] ?? [name] }));
}

/** Where the Debian packages are not the one that is called like the program. */
const toolPackages = {
  // Without a font it shows no text.
  chromium: ['chromium', 'fonts-liberation'],
  ip: ['iproute2'],
  kubectl: ['kubernetes-client'],
  nsenter: ['util-linux'],
  fonts: ['fonts-noto-cjk', 'fonts-noto-core'],
  php: ['php-cli'],
  pip3: ['python3-pip'],
  // Unpacked from its package, not installed.
  [prometheusName]: [],
};

export async function requireInstallable(missing) {
  const obstacle = missing.length === 0 ? undefined : await canInstall(missing);
  if (obstacle !== undefined) throw new SetUpError(obstacle);
}

/**
 * Undefined when it can be done here, otherwise one sentence: what is missing and how to get it.
 */
export async function canInstall(missing) {
  const packages = missing.flatMap((item) => item.packages);
  if (packages.length === 0) return undefined;
  const obstacle = await canUseApt();
  if (obstacle === undefined) return undefined;
  const names = missing.filter((item) => item.packages.length > 0).map((item) => item.what);
  const how = existsSync('/etc/debian_version')
    ? `as root: apt-get install ${packages.join(' ')}`
    : 'install them with the package manager of this system';
  return `missing on this machine: ${names.join(', ')} (${obstacle}); ${how}`;
}

export async function installNative(missing) {
  const packages = missing.flatMap((item) => item.packages);
  if (packages.length > 0) await aptInstall(packages);
  if (missing.some(({ what }) => what === kafkaName)) await fetchKafka();
  if (missing.some(({ what }) => what === prometheusName)) await fetchPrometheus();
}
