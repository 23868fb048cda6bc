{{/*
Every service with what the templates need to know of it. deploy/helm/chart.spec.ts holds this
against the services' own schemas.

  port, adminPort   of its listeners; without port the edge does not lead to it
  servers           what it connects to
  links             variables that are given the address of another service's internal listener
  keys              variables from the Secret of the deployment's keys
  optionalKeys      the same, where the key may be missing
  publicUrl         is told the address of the edge
  outside           may call the internet
  stop              how long it takes to stop at most: seconds, and a variable of milliseconds to add
  dir               a variable that names a directory of its own
*/}}
{{- define "tributary.services" -}}
ingest-api:
  port: 8101
  adminPort: 8201
  servers: [kafka, postgres, redis]
  keys:
    - TRIBUTARY_ACCESS_KEY_DIGEST_KEY
    - TRIBUTARY_FINGERPRINT_KEY
    - TRIBUTARY_TOKEN_SIGNING_KEY
    - TRIBUTARY_TOKEN_VERIFY_KEYS
  stop: { seconds: 20, variable: TRIBUTARY_APPEND_DEADLINE_MS, default: 5000 }
legacy-events:
  port: 8102
  adminPort: 8202
  servers: [kafka]
  keys: [TRIBUTARY_TOKEN_VERIFY_KEYS]
  stop: { seconds: 20 }
processor-events:
  port: 8104
  adminPort: 8208
  servers: [kafka, postgres]
  publicUrl: true
  keys: [TRIBUTARY_INTERNAL_TOKEN, TRIBUTARY_PROCESSOR_KEY_RING]
  optionalKeys: [TRIBUTARY_SECRET_KEY_RING]
  outside: true
  stop: { seconds: 24 }
attribution:
  adminPort: 8204
  servers: [kafka, postgres]
  keys: [TRIBUTARY_INTERNAL_TOKEN]
  stop: { seconds: 20 }
rewards:
  adminPort: 8205
  servers: [kafka, postgres]
  keys: [TRIBUTARY_INTERNAL_TOKEN]
  stop: { seconds: 20 }
webhook-dispatcher:
  adminPort: 8206
  servers: [kafka, postgres]
  keys: [TRIBUTARY_INTERNAL_TOKEN, TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING]
  optionalKeys: [TRIBUTARY_SECRET_KEY_RING]
  outside: true
  stop: { seconds: 15, variable: TRIBUTARY_WEBHOOK_TIMEOUT_MS, default: 10000 }
replay:
  adminPort: 8207
  servers: [kafka, postgres]
  links:
    TRIBUTARY_ATTRIBUTION_ADMIN_URL: attribution
    TRIBUTARY_REWARDS_ADMIN_URL: rewards
  keys: [TRIBUTARY_INTERNAL_TOKEN]
  stop: { seconds: 20 }
  dir: TRIBUTARY_REPLAY_DIR
widget:
  port: 8105
  adminPort: 8209
  servers: [kafka, postgres]
  keys: [TRIBUTARY_PRODUCT_SECRET_KEY_RING, TRIBUTARY_UCC_KEY]
  optionalKeys: [TRIBUTARY_SECRET_KEY_RING]
  stop: { seconds: 20, variable: TRIBUTARY_APPEND_DEADLINE_MS, default: 3000 }
portal:
  port: 8103
  adminPort: 8203
  servers: [kafka, postgres]
  readModel: portal-read-model
  publicUrl: true
  links:
    TRIBUTARY_ATTRIBUTION_ADMIN_URL: attribution
    TRIBUTARY_PROCESSOR_ADMIN_URL: processor-events
    TRIBUTARY_REPLAY_ADMIN_URL: replay
    TRIBUTARY_REWARDS_ADMIN_URL: rewards
    TRIBUTARY_WEBHOOK_DISPATCHER_URL: webhook-dispatcher
  keys:
    - TRIBUTARY_ACCESS_KEY_DIGEST_KEY
    - TRIBUTARY_INTERNAL_TOKEN
    - TRIBUTARY_OPERATOR_TOKEN
    - TRIBUTARY_PROCESSOR_KEY_RING
    - TRIBUTARY_PRODUCT_SECRET_KEY_RING
    - TRIBUTARY_SECOND_FACTOR_KEY_RING
    - TRIBUTARY_TOKEN_VERIFY_KEYS
    - TRIBUTARY_UCC_KEY
    - TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING
  optionalKeys: [TRIBUTARY_OIDC_CLIENT_SECRET, TRIBUTARY_SECRET_KEY_RING, TRIBUTARY_SMTP_PASSWORD]
  outside: true
  stop: { seconds: 20 }
{{- end }}
