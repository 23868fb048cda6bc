// One cluster at a time per machine: its addresses and names are fixed, so that what a killed run
// has left is found again.

export const addresses = {
  /** The machine, as the nodes and their pods reach it. */
  machine: '10.99.0.1',
  pods: '10.244.0.0/16',
  services: '10.96.0.0/16',
  /** The Service of the API server itself, which has the first address. */
  firstService: '10.96.0.1',
} as const;

/** The switch between the machine and its nodes. */
export const bridge = 'tributary-k0';

const namespacePrefix = 'tributary-k8s-';

export type NodePlace = {
  name: string;
  /** Its network namespace. */
  network: string;
  /** The end of its cable at the switch. */
  link: string;
  address: string;
  /** The network of its pods. */
  pods: string;
};

/** The second one comes only where pods have to go elsewhere. */
export const nodes: readonly [NodePlace, NodePlace] = [placeOf(1), placeOf(2)];

function placeOf(number: number): NodePlace {
  return {
    name: `node-${number}`,
    network: `${namespacePrefix}${number}`,
    link: `tributary-k${number}`,
    address: `10.99.0.${number + 1}`,
    pods: `10.244.${number}.0/24`,
  };
}

export const apiPort = 16_443;
export const apiUrl = `https://${addresses.machine}:${apiPort}`;

/** The domain of names within the cluster. */
export const clusterDomain = 'cluster.local';

/** The namespace of the release. */
export const namespace = 'tributary';
