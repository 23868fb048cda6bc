import type { EdgeLimits } from './edge-limits.ts';

/**
 * Around the rendered part, for an nginx that is not the one of the image. Relative paths are below
 * the directory it runs in; responses are never spooled to disk. Of a service that does not answer
 * nginx would note the whole request, in whose query may be a name; what is worse is noted still.
 */
export function wholeConfig(http: string, { workerConnections }: EdgeLimits): string {
  const spools = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const paths = spools.map((name) => `${name}_temp_path temp/${name};`).join(' ');
  return `worker_processes auto;
error_log stderr crit;
worker_rlimit_nofile ${2 * workerConnections};
events { worker_connections ${workerConnections}; multi_accept on; }
http {
${paths}
proxy_max_temp_file_size 0;
${http}
}
`;
}
