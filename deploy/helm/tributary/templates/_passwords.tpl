{{/* Passwords as files, <dir><name>: (dict "sources" (list (dict "from" … "names" … "dir" …))) */}}
{{- define "tributary.passwordsVolume" -}}
- name: passwords
  projected:
    # 0440
    defaultMode: 288
    sources:
      {{- range $source := .sources }}
      {{- range .names }}
      - secret:
          name: {{ include "tributary.of" (list $source.from.secret .) }}
          items:
            - key: {{ include "tributary.of" (list $source.from.key .) }}
              path: {{ $source.dir }}{{ . }}
      {{- end }}
      {{- end }}
{{- end }}

{{/* Services, and the tools that have a user of their own at the brokers. */}}
{{- define "tributary.kafkaPrincipals" -}}
{{- concat (keys (fromYaml (include "tributary.services" .)) | sortAlpha) (list "topics" "transfer") | toJson -}}
{{- end }}
