import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { closeObjects, inlineReferences, type JsonSchema } from './json-schemas.ts';

// What kubeconform checks manifests against: Kubernetes' own description of its API, and the
// definitions of the custom resources, each from the Go module that has them.

const kubernetes = { module: 'k8s.io/kubernetes', version: 'v1.34.4' };
const customResources = [
  {
    module: 'github.com/kedacore/keda/v2',
    version: 'v2.21.0',
    file: 'config/crd/bases/keda.sh_scaledobjects.yaml',
  },
  ...['servicemonitors', 'prometheusrules'].map((plural) => ({
    module: 'github.com/prometheus-operator/prometheus-operator',
    version: 'v0.85.0',
    file: `example/prometheus-operator-crd/monitoring.coreos.com_${plural}.yaml`,
  })),
  {
    module: 'github.com/cloudnative-pg/cloudnative-pg',
    version: 'v1.27.0',
    file: 'config/crd/bases/postgresql.cnpg.io_clusters.yaml',
  },
];
const kinds = [
  'ConfigMap',
  'Deployment',
  'Ingress',
  'Job',
  'NetworkPolicy',
  'PersistentVolumeClaim',
  'PodDisruptionBudget',
  'Secret',
  'Service',
];

/**
 * A folder with a schema for each kind, `deployment-apps-v1.json`, below `cache`; made the first
 * time, which downloads four Go modules (50 MB).
 */
export async function ensureKubernetesSchemas(cache: string): Promise<string> {
  const versions = [kubernetes, ...customResources].map(({ version }) => version);
  const dir = join(cache, `schemas-${versions.join('-')}`);
  if (existsSync(dir)) return dir;
  const made = `${dir}.new`;
  await rm(made, { recursive: true, force: true });
  await mkdir(made, { recursive: true });
  const schemas = [...(await ofKubernetes()), ...(await ofCustomResources())];
  for (const { name, schema } of schemas) {
    await writeFile(join(made, `${name}.json`), JSON.stringify(closeObjects(schema)));
  }
  await rename(made, dir);
  return dir;
}

type Named = { name: string; schema: JsonSchema };
type Kind = { group: string; version: string; kind: string };

async function ofKubernetes(): Promise<Named[]> {
  const file = join(await downloadModule(kubernetes), 'api/openapi-spec/swagger.json');
  const { definitions } = JSON.parse(await readFile(file, 'utf8')) as {
    definitions: Record<string, JsonSchema>;
  };
  return Object.values(definitions).flatMap((schema) => {
    const [id] = (schema['x-kubernetes-group-version-kind'] ?? []) as Kind[];
    if (id === undefined || !kinds.includes(id.kind)) return [];
    return [{ name: nameOf(id), schema: inlineReferences(schema, definitions) }];
  });
}

async function ofCustomResources(): Promise<Named[]> {
  const found = await Promise.all(
    customResources.map(async ({ file, ...module }) => {
      const text = await readFile(join(await downloadModule(module), file), 'utf8');
      const { spec } = parse(text) as CustomResourceDefinition;
      return spec.versions.map(({ name: version, schema }) => ({
        name: nameOf({ group: spec.group, version, kind: spec.names.kind }),
        schema: schema.openAPIV3Schema,
      }));
    }),
  );
  return found.flat();
}

type CustomResourceDefinition = {
  spec: {
    group: string;
    names: { kind: string };
    versions: { name: string; schema: { openAPIV3Schema: JsonSchema } }[];
  };
};

/** As kubeconform's template `{{ .ResourceKind }}{{ .KindSuffix }}` has it. */
function nameOf({ group, version, kind }: Kind): string {
  const [first = ''] = group.split('.');
  return [kind, ...(first === '' ? [] : [first]), version].join('-').toLowerCase();
}

async function downloadModule(of: { module: string; version: string }): Promise<string> {
  const { stdout } = await run('go', ['mod', 'download', '-json', `${of.module}@${of.version}`], {
    maxBuffer: 10_000_000,
  });
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}

const run = promisify(execFile);
