{{/* Ports as NetworkPolicy wants them; "8000-8999" is a range. (list "80" "8000-8999") */}}
{{- define "tributary.ports" -}}
{{- range . }}
{{- $ends := splitList "-" (include "tributary.text" (list .)) }}
- protocol: TCP
  port: {{ first $ends | trim | int }}
  {{- if gt (len $ends) 1 }}
  endPort: {{ last $ends | trim | int }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Of "host:port,host:port", each once, as a list in JSON. */}}
{{- define "tributary.portsOf" -}}
{{- $ports := list -}}
{{- range splitList "," . -}}
{{- $ports = append $ports (splitList ":" (trim .) | last) -}}
{{- end -}}
{{- $ports | uniq | toJson -}}
{{- end }}

{{/* The ports of a server, unless values say others: (list $ "kafka") */}}
{{- define "tributary.serverPorts" -}}
{{- $root := first . -}}
{{- $server := last . -}}
{{- $own := (get $root.Values.networkPolicy $server).ports -}}
{{- if $own -}}
{{- toJson $own -}}
{{- else if eq $server "kafka" -}}
{{- include "tributary.portsOf" (toString $root.Values.kafka.brokers) -}}
{{- else if eq $server "postgres" -}}
{{- list $root.Values.postgres.port | toJson -}}
{{- else -}}
{{- $redis := $root.Values.redis -}}
{{- $ports := list (toString (int $redis.port)) -}}
{{- if $redis.clusterNodes -}}
{{- $ports = concat $ports (include "tributary.portsOf" (join "," $redis.clusterNodes) | fromJsonArray) -}}
{{- end -}}
{{- if $redis.sentinelsSecret -}}
{{- $ports = append $ports "26379" -}}
{{- end -}}
{{- $ports | uniq | toJson -}}
{{- end -}}
{{- end }}

{{/* Egress to servers: (list $ (list "kafka" "postgres")) */}}
{{- define "tributary.egress.servers" -}}
{{- $root := first . -}}
# Names.
- ports:
    - protocol: UDP
      port: 53
    - protocol: TCP
      port: 53
{{- range last . }}
# {{ . }}
- ports:
    {{- include "tributary.ports" (include "tributary.serverPorts" (list $root .) | fromJsonArray) | trim | nindent 4 }}
  {{- with (get $root.Values.networkPolicy .).to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Pods of this release: (list $ "attribution") */}}
{{- define "tributary.peer" -}}
- podSelector:
    matchLabels:
      {{- include "tributary.selectorLabels" . | nindent 6 }}
{{- end }}
