{{/*
A Job that runs before anything of a release is installed or replaced; when it fails, nothing is.

  (dict "root" $ "name" "topics" "hooks" "pre-install,pre-upgrade" "weight" 0
        "servers" (list "kafka") "containers" "…" "volumes" "…")
*/}}
{{- define "tributary.job" -}}
{{- $root := .root -}}
{{- $at := list $root .name -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ include "tributary.name" $at }}
  labels:
    {{- include "tributary.labels" $at | nindent 4 }}
  annotations:
    {{- include "tributary.hook" . | nindent 4 }}
spec:
  # A server may still be starting.
  backoffLimit: {{ $root.Values.jobs.backoffLimit }}
  activeDeadlineSeconds: {{ include "tributary.text" (list $root.Values.jobs.deadlineSeconds) }}
  template:
    metadata:
      labels:
        {{- include "tributary.labels" $at | nindent 8 }}
        {{- with $root.Values.pods.labels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with $root.Values.pods.annotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      restartPolicy: Never
      enableServiceLinks: false
      automountServiceAccountToken: false
      {{- with include "tributary.podPlacement" (list $root (dict)) | trim }}
      {{- . | nindent 6 }}
      {{- end }}
      securityContext:
        {{- include "tributary.podSecurity" (dict "uid" (include "tributary.uid" $root)) | nindent 8 }}
      containers:
        {{- .containers | trim | nindent 8 }}
      volumes:
        - name: tmp
          emptyDir:
            sizeLimit: 64Mi
        {{- with include "tributary.caVolumes" (list $root .servers) | trim }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- with .volumes }}
        {{- . | trim | nindent 8 }}
        {{- end }}
{{- if $root.Values.networkPolicy.enabled }}
---
# Before the Job, so it is a hook as well.
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "tributary.name" $at }}
  labels:
    {{- include "tributary.labels" $at | nindent 4 }}
  annotations:
    {{- include "tributary.hook" (set (deepCopy (omit . "root")) "weight" (sub .weight 1)) | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      {{- include "tributary.selectorLabels" $at | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress: []
  egress:
    {{- include "tributary.egress.servers" (list $root .servers) | nindent 4 }}
{{- end }}
{{- end }}

{{- define "tributary.hook" -}}
helm.sh/hook: {{ .hooks }}
helm.sh/hook-weight: {{ .weight | quote }}
# What ended is kept, for its log.
helm.sh/hook-delete-policy: before-hook-creation
{{- end }}

{{/* A container of a Job: (dict "root" $ "name" "topics" "command" (list …) "env" "…" "servers" (list …) "mounts" "…") */}}
{{- define "tributary.jobContainer" -}}
- name: {{ .name }}
  image: {{ include "tributary.image" .root }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  command: {{ toJson .command }}
  env:
    {{- .env | trim | nindent 4 }}
  resources:
    {{- toYaml .root.Values.jobs.resources | nindent 4 }}
  securityContext:
    {{- include "tributary.containerSecurity" .root | nindent 4 }}
  volumeMounts:
    - name: tmp
      mountPath: /tmp
    {{- with include "tributary.caMounts" (list .root .servers) | trim }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- with .mounts }}
    {{- . | trim | nindent 4 }}
    {{- end }}
{{- end }}
