import { describePortOwner } from '@tributary/native-servers/port-owner';
import { listenOn, type PortName, portNames, type Ports, portVariable } from './ports.ts';

/** Throws one error that names every taken port, who holds it and how to choose another. */
export async function requireFreePorts(ports: Ports): Promise<void> {
  const taken: string[] = [];
  for (const name of portNames) {
    const probe = await listenOn(ports[name]).catch(() => undefined);
    if (probe !== undefined) await probe.close();
    else taken.push(await describeTaken(name, ports[name]));
  }
  if (taken.length > 0) throw new Error(taken.join('\n'));
}

async function describeTaken(name: PortName, port: number): Promise<string> {
  const owner = await describePortOwner(port);
  return `port ${port} (${name}) is taken by ${owner}; stop it or set ${portVariable(name)}`;
}
