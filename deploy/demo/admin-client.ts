/** A refusal or a failure of the admin API; `status` 0 when nothing answered. */
export class AdminApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AdminApiError';
    this.status = status;
  }
}

export type AdminClient = {
  /** Resolves with the parsed answer of a 2xx, rejects with {@link AdminApiError} otherwise. */
  call<T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T>;
};

/** The portal's admin API behind an operator token. */
export function createAdminClient(settings: { baseUrl: string; token: string }): AdminClient {
  return {
    async call<T>(method: string, path: string, body?: unknown): Promise<T> {
      const response = await fetch(`${settings.baseUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${settings.token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(60_000),
      }).catch((cause: unknown) => {
        throw new AdminApiError(0, `${method} ${path}: no answer`, { cause });
      });
      const text = await response.text();
      if (response.ok) return JSON.parse(text) as T;
      throw new AdminApiError(response.status, `${method} ${path}: ${response.status} ${text}`);
    },
  };
}
