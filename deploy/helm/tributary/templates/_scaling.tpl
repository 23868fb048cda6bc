{{/* Labels that choose the metrics of one service of this release. */}}
{{- define "tributary.series" -}}
{{- printf "namespace=%q,service=%q" (first .).Release.Namespace (last .) -}}
{{- end }}

{{/*
All replicas give the same number, so the highest is taken: one that cannot read it has no line.
While nobody gives it, KEDA has no number, and nothing is scaled.
*/}}
{{- define "tributary.trigger" -}}
{{- $auto := .root.Values.autoscaling -}}
{{- $adminPort := (get (fromYaml (include "tributary.services" .root)) .name).adminPort -}}
{{- if eq $auto.source "prometheus" -}}
- type: prometheus
  metricType: AverageValue
  metadata:
    serverAddress: {{ required "autoscaling.prometheus.serverAddress: give the URL of Prometheus" $auto.prometheus.serverAddress }}
    query: {{ .query | squote }}
    threshold: {{ include "tributary.text" (list .target) | quote }}
    # No answer is not a backlog of zero.
    ignoreNullValues: 'false'
    {{- with $auto.prometheus.metadata }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $auto.prometheus.authenticationRef }}
  authenticationRef:
    name: {{ . }}
  {{- end }}
{{- else -}}
- type: metrics-api
  metricType: AverageValue
  metadata:
    url: http://{{ include "tributary.name" (list .root .name) }}.{{ .root.Release.Namespace }}.svc:{{ $adminPort }}/metrics
    format: prometheus
    valueLocation: {{ .metric | squote }}
    targetValue: {{ include "tributary.text" (list .target) | quote }}
    aggregateFromKubeServiceEndpoints: 'true'
    aggregationType: max
{{- end -}}
{{- end }}
