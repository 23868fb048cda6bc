import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@tributary/testkit/free-port';
import { places } from '../places.ts';
import { pauseImage } from '../image/make-images.ts';
import type { NodePlace } from './addresses.ts';
import { nodeEnvironment, type StartProgram } from './programs.ts';
import { run } from './run.ts';

/** Kubernetes' own namespace among containerd's. */
const containers = ['-n', 'k8s.io'] as const;

export type Containerd = {
  socket: string;
  /** Takes in images that are directories by the OCI image layout. */
  importImage(layout: string): Promise<void>;
  /** The image has that name, too, and keeps it when another one gets its first. */
  nameImage(image: string, name: string): Promise<void>;
  /** Kills a container's process by SIGKILL, behind the back of the kubelet. */
  killContainer(id: string): Promise<void>;
};

/** containerd with runc, and a bridge for the pods of one node. */
export async function startContainerd(
  start: StartProgram,
  { stateDir, on }: { stateDir: string; on: NodePlace },
): Promise<Containerd> {
  const name = `containerd-${on.name}`;
  const dir = join(stateDir, name);
  const networks = join(dir, 'networks');
  const socket = join(dir, 'containerd.sock');
  const settings = join(dir, 'config.toml');
  await mkdir(networks, { recursive: true });
  await writeFile(settings, containerdSettings({ dir, networks, socket }));
  const network = podNetwork(on, join(dir, 'addresses'));
  await writeFile(join(networks, '10-bridge.conflist'), JSON.stringify(network));
  const ctr = join(places.nodeRoot, 'usr/bin/ctr');
  await start({
    ...{ name, on },
    command: join(places.nodeRoot, 'usr/bin/containerd'),
    args: ['--config', settings],
    port: await freePort(),
    async isReady() {
      if (!existsSync(socket)) return false;
      await run(ctr, ['-a', socket, 'version'], { env: nodeEnvironment() });
      return true;
    },
  });
  const control = async (...args: string[]) => {
    await run(ctr, ['-a', socket, ...containers, ...args], { env: nodeEnvironment() });
  };
  return {
    socket,
    importImage: (layout) => importLayout(layout, [ctr, '-a', socket, ...containers]),
    nameImage: (image, name) => control('images', 'tag', image, name),
    killContainer: (id) => control('tasks', 'kill', '--signal', 'SIGKILL', id),
  };
}

function containerdSettings(paths: { dir: string; networks: string; socket: string }): string {
  const { dir, networks, socket } = paths;
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return `version = 2
root = "${join(dir, 'root')}"
state = "${join(dir, 'state')}"
[plugins."io.containerd.internal.v1.opt"]
  path = "${join(dir, 'opt')}"
[grpc]
  address = "${socket}"
[${cri}]
  sandbox_image = "${pauseImage}"
  # Where this is itself a container, it may not make itself less killable.
  restrict_oom_score_adj = true
  [${cri}.containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [${cri}.containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [${cri}.containerd.runtimes.runc.options]
        BinaryName = "${join(places.nodeRoot, 'usr/sbin/runc')}"
        SystemdCgroup = false
  [${cri}.cni]
    bin_dir = "${join(places.nodeRoot, 'usr/lib/cni')}"
    conf_dir = "${networks}"
`;
}

function podNetwork({ network, pods }: NodePlace, dataDir: string) {
  return {
    cniVersion: '0.4.0',
    name: network,
    plugins: [
      {
        ...{ type: 'bridge', bridge: 'cni0', isGateway: true, ipMasq: false, hairpinMode: true },
        ipam: {
          type: 'host-local',
          dataDir,
          ranges: [[{ subnet: pods }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
      { type: 'loopback' },
    ],
  };
}

/** Packed on the way: layers are links within the directory. */
async function importLayout(layout: string, [ctr, ...args]: string[]): Promise<void> {
  const packing = spawn('tar', ['-ch', '-C', layout, '.'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const importing = spawn(ctr!, [...args, 'images', 'import', '-'], {
    stdio: [packing.stdout, 'ignore', 'pipe'],
    env: { ...process.env, ...nodeEnvironment() },
  });
  packing.stdout.destroy(); // The other process has it.
  let said = '';
  importing.stderr.on('data', (data: Buffer) => (said += data.toString()));
  const code = await new Promise((resolve, reject) => {
    importing.once('error', reject);
    importing.once('close', resolve);
  });
  if (code !== 0) throw new Error(`containerd did not take ${layout}: ${said}`);
}
