/**
 * Around the rendered part, for an nginx that is not the one of the image. Relative paths are below
 * the directory it runs in; responses are never spooled to disk.
 */
export function wholeConfig(http: string): string {
  const spools = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const paths = spools.map((name) => `${name}_temp_path temp/${name};`).join(' ');
  return `worker_processes auto;
events { worker_connections 16384; }
http {
${paths}
proxy_max_temp_file_size 0;
${http}
}
`;
}
