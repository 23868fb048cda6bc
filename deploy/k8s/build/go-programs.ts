import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goSources } from '../places.ts';

/** A program that is built with Go, from a module of the proxy or a small one beside this file. */
export type GoProgram = {
  /** Its file in the cache. */
  name: string;
  /** On a machine that does nothing else. */
  aboutSeconds: number;
  linkerFlags?: string;
  /** Only what is scaled needs it. */
  forScaling?: true;
} & (
  | {
      /**
       * `path@version`. It is built in its own module, since replacements in it count only there.
       */
      module: string;
      /** Within the module. */
      package: string;
    }
  | { source: 'kube' | 'etcd' | 'pause' }
);

const kubernetes = 'v1.34.4';
const kedaModule = 'github.com/kedacore/keda/v2@v2.21.0';

/** In the order in which they are built: quick ones first. */
export const goPrograms: readonly GoProgram[] = [
  { name: 'pause', aboutSeconds: 5, source: 'pause' },
  {
    ...{ name: 'kubeconform', aboutSeconds: 20 },
    ...{ module: 'github.com/yannh/kubeconform@v0.8.0', package: './cmd/kubeconform' },
  },
  {
    ...{ name: 'helm', aboutSeconds: 205 },
    ...{ module: 'helm.sh/helm/v3@v3.22.0', package: './cmd/helm' },
    // Unset, it renders for Kubernetes 1.20.
    linkerFlags: [
      '-X helm.sh/helm/v3/internal/version.version=v3.22.0',
      ...['pkg/chartutil', 'pkg/lint/rules'].map((pkg) => {
        const variable = `helm.sh/helm/v3/${pkg}.k8sVersion`;
        return `-X ${variable}Major=1 -X ${variable}Minor=34`;
      }),
    ].join(' '),
  },
  { name: 'etcd', aboutSeconds: 80, source: 'etcd' },
  {
    ...{ name: 'kube-router', aboutSeconds: 180 },
    ...{ module: 'github.com/cloudnativelabs/kube-router/v2@v2.1.0', package: './cmd/kube-router' },
  },
  {
    ...{ name: 'kube', aboutSeconds: 780, source: 'kube' },
    // Unset, the programs say that they are v0.0.0, and refuse to talk to each other.
    linkerFlags: [
      `-X k8s.io/component-base/version.gitVersion=${kubernetes}`,
      '-X k8s.io/component-base/version.gitMajor=1',
      '-X k8s.io/component-base/version.gitMinor=34',
      `-X k8s.io/client-go/pkg/version.gitVersion=${kubernetes}`,
    ].join(' '),
  },
  {
    ...{ name: 'keda', aboutSeconds: 600, forScaling: true },
    ...{ module: kedaModule, package: './cmd/operator' },
  },
  {
    ...{ name: 'keda-adapter', aboutSeconds: 120, forScaling: true },
    ...{ module: kedaModule, package: './cmd/adapter' },
  },
];

/** Where KEDA's resource definitions are found within its module. */
export const kedaDefinitions = { module: kedaModule, directory: 'config/crd/bases' };

/** What a program is built from, in one line: kept beside it, so that a change of it is noticed. */
export function recipeOf(program: GoProgram): string {
  const flags = program.linkerFlags ?? '';
  if ('module' in program) return `${program.module} ${program.package} ${flags}`.trim();
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'main.go']) {
    hash.update(readFileSync(join(goSources, program.source, file)));
  }
  return `${program.source} ${hash.digest('hex').slice(0, 16)} ${flags}`.trim();
}
