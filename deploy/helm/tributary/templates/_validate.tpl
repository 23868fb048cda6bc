{{/* What the services would refuse at their start, or what would be wrong without a word. */}}
{{- define "tributary.validate" -}}
{{- $values := .Values -}}
{{- if eq $values.environment "prod" -}}
{{- range list "kafka" "postgres" "redis" -}}
{{- $server := get $values . -}}
{{- if not (or $server.tls.enabled $server.allowInsecure) -}}
{{- fail (printf "%s.tls.enabled is false: production needs TLS. To go without, set %s.allowInsecure to true" . .) -}}
{{- end -}}
{{- end -}}
{{- if not (or $values.kafka.sasl.mechanism $values.kafka.allowInsecure) -}}
{{- fail "kafka.sasl.mechanism is empty: production needs SASL. To go without, set kafka.allowInsecure to true" -}}
{{- end -}}
{{- if not $values.internalLinks.allowInsecure -}}
{{- fail "internalLinks.allowInsecure is false: services ask each other over http. Set it to true if the network between pods is encrypted (by the CNI or a service mesh), or if you accept that it is not" -}}
{{- end -}}
{{- if not (hasPrefix "https://" $values.publicUrl) -}}
{{- fail "publicUrl: production needs an https URL at which the world reaches the edge" -}}
{{- end -}}
{{- end -}}
{{- if and $values.ingress.enabled (not $values.edge.enabled) -}}
{{- fail "ingress.enabled needs edge.enabled: the Ingress leads to the edge, which knows the paths and holds the limits" -}}
{{- end -}}
{{- if and $values.ingress.enabled (empty $values.ingress.hosts) -}}
{{- fail "ingress.hosts: give at least one host" -}}
{{- end -}}
{{- if and $values.ingress.enabled (empty $values.edge.trustedProxies) -}}
{{- fail "edge.trustedProxies: give the networks of the ingress controller's pods. Otherwise every caller has the controller's address, and shares one limit" -}}
{{- end -}}
{{- if gt (int $values.kafka.minInsync) (int $values.kafka.replication) -}}
{{- fail "kafka.minInsync is above kafka.replication: nothing could be written" -}}
{{- end -}}
{{- end }}
