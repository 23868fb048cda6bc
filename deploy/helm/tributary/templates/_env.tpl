{{/* Settings of one service: those of all, then its own. (list $ "attribution") */}}
{{- define "tributary.settings" -}}
{{- $root := first . -}}
{{- $own := (get $root.Values.services (last .)).settings -}}
{{- toYaml (mergeOverwrite (deepCopy $root.Values.settings) (deepCopy $own)) -}}
{{- end }}

{{/* `{name}` in the names of Secrets and of their keys: (list "tributary-{name}" "attribution") */}}
{{- define "tributary.of" -}}
{{- replace "{name}" (last .) (first .) -}}
{{- end }}

{{/* (dict "variable" "X" "from" .Values.kafka.sasl.passwords "name" "attribution") */}}
{{- define "tributary.envPassword" -}}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef:
      name: {{ include "tributary.of" (list .from.secret .name) }}
      key: {{ include "tributary.of" (list .from.key .name) }}
{{- end }}

{{/* How somebody reaches Kafka: (list $ "attribution") */}}
{{- define "tributary.env.kafka" -}}
{{- $root := first . -}}
{{- $name := last . -}}
{{- with $root.Values.kafka }}
- name: TRIBUTARY_KAFKA_BROKERS
  value: {{ required "kafka.brokers: give host:port of the brokers" .brokers | quote }}
{{- if .tls.enabled }}
- name: TRIBUTARY_KAFKA_TLS
  value: 'true'
{{- if .tls.caSecret }}
- name: TRIBUTARY_KAFKA_TLS_CA_FILE
  value: /etc/tributary/kafka/ca.crt
{{- end }}
{{- end }}
{{- if .sasl.mechanism }}
- name: TRIBUTARY_KAFKA_SASL_MECHANISM
  value: {{ .sasl.mechanism }}
- name: TRIBUTARY_KAFKA_SASL_USERNAME
  value: {{ printf "%s%s" .sasl.userPrefix $name | quote }}
{{ include "tributary.envPassword" (dict "variable" "TRIBUTARY_KAFKA_SASL_PASSWORD" "from" .sasl.passwords "name" $name) }}
{{- end }}
{{- if .allowInsecure }}
- name: TRIBUTARY_KAFKA_ALLOW_INSECURE
  value: 'true'
{{- end }}
- name: TRIBUTARY_TOPIC_PREFIX
  value: {{ .topicPrefix | quote }}
- name: TRIBUTARY_TOPIC_REPLICATION
  value: {{ .replication | quote }}
- name: TRIBUTARY_TOPIC_MIN_INSYNC
  value: {{ .minInsync | quote }}
- name: TRIBUTARY_KAFKA_COMPRESSION
  value: {{ .compression }}
{{- end }}
{{- end }}

{{/* As one of its users: (dict "root" $ "variable" "TRIBUTARY_POSTGRES_URL" "name" "attribution") */}}
{{- define "tributary.env.postgresUrl" -}}
{{- $password := printf "PASSWORD_OF_%s" (.name | replace "-" "_" | upper) -}}
{{- with .root.Values.postgres -}}
{{ include "tributary.envPassword" (dict "variable" $password "from" .passwords "name" $.name) }}
- name: {{ $.variable }}
  value: {{ printf "postgresql://%s%s:$(%s)@%s:%v/%s" .userPrefix ($.name | replace "-" "_") $password (required "postgres.host: give the host of the database" .host) (int .port) .database | quote }}
{{- end }}
{{- end }}

{{- define "tributary.env.postgres" -}}
{{- $root := first . -}}
{{ include "tributary.env.postgresUrl" (dict "root" $root "variable" "TRIBUTARY_POSTGRES_URL" "name" (last .)) }}
{{- with $root.Values.postgres }}
{{- if .tls.enabled }}
- name: TRIBUTARY_POSTGRES_TLS
  value: 'true'
{{- if .tls.caSecret }}
- name: TRIBUTARY_POSTGRES_TLS_CA_FILE
  value: /etc/tributary/postgres/ca.crt
{{- end }}
{{- end }}
{{- if .allowInsecure }}
- name: TRIBUTARY_POSTGRES_ALLOW_INSECURE
  value: 'true'
{{- end }}
{{- end }}
{{- end }}

{{- define "tributary.env.redis" -}}
{{- $root := first . -}}
{{- $name := last . -}}
{{- with $root.Values.redis -}}
{{ include "tributary.envPassword" (dict "variable" "PASSWORD_OF_REDIS" "from" .passwords "name" $name) }}
- name: TRIBUTARY_REDIS_URL
  value: {{ printf "%s://%s%s:$(PASSWORD_OF_REDIS)@%s%s" (ternary "rediss" "redis" .tls.enabled) .userPrefix ($name | replace "-" "_") (required "redis.host: give the host of Redis, or the name of the master that sentinels know" .host) (ternary "" (printf ":%v" (int .port)) (not (empty .sentinelsSecret))) | quote }}
{{- if and .tls.enabled .tls.caSecret }}
- name: TRIBUTARY_REDIS_TLS_CA_FILE
  value: /etc/tributary/redis/ca.crt
{{- end }}
{{- with .clusterNodes }}
- name: TRIBUTARY_REDIS_CLUSTER_NODES
  value: {{ join "," . | quote }}
{{- end }}
{{- with .sentinelsSecret }}
- name: TRIBUTARY_REDIS_SENTINELS
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: TRIBUTARY_REDIS_SENTINELS
{{- end }}
{{- if .allowInsecure }}
- name: TRIBUTARY_REDIS_ALLOW_INSECURE
  value: 'true'
{{- end }}
{{- end }}
{{- end }}

{{/* All variables of one service: (list $ "attribution") */}}
{{- define "tributary.env" -}}
{{- $root := first . -}}
{{- $name := last . -}}
{{- $service := get (fromYaml (include "tributary.services" $root)) $name -}}
- name: SERVICE_ENV
  value: {{ $root.Values.environment }}
- name: TRIBUTARY_ADMIN_PORT
  value: {{ $service.adminPort | quote }}
{{- with $service.port }}
- name: TRIBUTARY_PORT
  value: {{ . | quote }}
{{- end }}
{{- range $service.servers }}
{{- include (printf "tributary.env.%s" .) (list $root $name) | trim | nindent 0 }}
{{- end }}
{{- with $service.readModel }}
{{ include "tributary.env.postgresUrl" (dict "root" $root "variable" "TRIBUTARY_READ_MODEL_POSTGRES_URL" "name" .) }}
{{- end }}
{{- if $service.publicUrl }}
- name: TRIBUTARY_PUBLIC_URL
  value: {{ required "publicUrl: give the URL at which the world reaches the edge" $root.Values.publicUrl | quote }}
{{- end }}
{{- $services := fromYaml (include "tributary.services" $root) }}
{{- range $variable, $other := $service.links }}
- name: {{ $variable }}
  value: http://{{ include "tributary.name" (list $root $other) }}:{{ (get $services $other).adminPort }}
{{- end }}
{{- if and $service.links $root.Values.internalLinks.allowInsecure }}
- name: TRIBUTARY_INTERNAL_ALLOW_INSECURE
  value: 'true'
{{- end }}
{{- with $service.dir }}
- name: {{ . }}
  value: /data
{{- end }}
{{- range $service.keys }}
- name: {{ . }}
  valueFrom:
    secretKeyRef:
      name: {{ $root.Values.keys.secret }}
      key: {{ . }}
{{- end }}
{{- range $service.optionalKeys }}
- name: {{ . }}
  valueFrom:
    secretKeyRef:
      name: {{ $root.Values.keys.secret }}
      key: {{ . }}
      optional: true
{{- end }}
{{- range $variable, $value := fromYaml (include "tributary.settings" .) }}
- name: {{ $variable }}
  value: {{ include "tributary.text" (list $value) | quote }}
{{- end }}
{{- with (get $root.Values.services $name).env }}
{{ toYaml . }}
{{- end }}
{{- end }}
