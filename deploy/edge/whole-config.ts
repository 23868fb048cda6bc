import type { EdgeLimits } from './edge-limits.ts';

/**
 * Around the rendered part, for an nginx that is not the one of the image. Relative paths are below
 * the directory it runs in; responses are never spooled to disk.
 */
export function wholeConfig(http: string, { workerConnections }: EdgeLimits): string {
  const spools = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const paths = spools.map((name) => `${name}_temp_path temp/${name};`).join(' ');
  return `worker_processes auto;
worker_rlimit_nofile ${2 * workerConnections};
events { worker_connections ${workerConnections}; }
http {
${paths}
proxy_max_temp_file_size 0;
${http}
}
`;
}
