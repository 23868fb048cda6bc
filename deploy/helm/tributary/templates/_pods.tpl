{{/* What every pod of the chart has; its container's share is below. */}}
{{- define "tributary.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ .uid }}
runAsGroup: {{ .uid }}
fsGroup: {{ .uid }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "tributary.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* The user `node` of the image. */}}
{{- define "tributary.uid" -}}1000{{- end }}

{{/* Where pods run, and by whom images are pulled. */}}
{{- define "tributary.podPlacement" -}}
{{- $root := first . -}}
{{- $own := last . -}}
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with $root.Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{- with $own.priorityClassName | default $root.Values.pods.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $own.nodeSelector | default $root.Values.pods.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $own.tolerations | default $root.Values.pods.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $own.affinity | default $root.Values.pods.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Over zones and nodes, as far as there is room: (list $ "attribution") */}}
{{- define "tributary.spread" -}}
{{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
- maxSkew: 1
  topologyKey: {{ . }}
  whenUnsatisfiable: ScheduleAnyway
  matchLabelKeys: [pod-template-hash]
  labelSelector:
    matchLabels:
      {{- include "tributary.selectorLabels" $ | nindent 6 }}
{{- end }}
{{- end }}

{{/* Certificates of the authorities that signed the servers': (list $ (list "kafka" "postgres")) */}}
{{- define "tributary.caVolumes" -}}
{{- $root := first . -}}
{{- range last . }}
{{- $tls := (get $root.Values .).tls }}
{{- if and $tls.enabled $tls.caSecret }}
- name: {{ . }}-ca
  secret:
    secretName: {{ $tls.caSecret }}
    items:
      - key: {{ $tls.caKey }}
        path: ca.crt
{{- end }}
{{- end }}
{{- end }}

{{- define "tributary.caMounts" -}}
{{- $root := first . -}}
{{- range last . }}
{{- $tls := (get $root.Values .).tls }}
{{- if and $tls.enabled $tls.caSecret }}
- name: {{ . }}-ca
  mountPath: /etc/tributary/{{ . }}
  readOnly: true
{{- end }}
{{- end }}
{{- end }}

{{/* How long a service may take to stop after the pause of preStop: (list $ "attribution") */}}
{{- define "tributary.stopSeconds" -}}
{{- $root := first . -}}
{{- $name := last . -}}
{{- $stop := (get (fromYaml (include "tributary.services" $root)) $name).stop -}}
{{- $settings := include "tributary.settings" . | fromYaml -}}
{{- $ms := 0 -}}
{{- with $stop.variable -}}
{{- $ms = int64 (get $settings . | default $stop.default) -}}
{{- end -}}
{{- add (int64 $stop.seconds) (ceil (divf $ms 1000)) -}}
{{- end }}
