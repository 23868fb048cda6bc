{{/*
The whole configuration of nginx: the project's own template (deploy/edge), filled in, with what
deploy/edge/nginx.conf and whole-config.ts have around it elsewhere.

An upstream is the Service of the replicas, so nginx knows nothing of their number and no DNS has to
be asked again. Two things follow. What may be under way at once is bounded for all replicas
together, by the number that always runs: with fewer waiting each waits less, and what one replica
answers in a second is far more than it has under way. And a connection is given to another replica
after some hundred requests, or one that was added would get nothing.
*/}}
{{- define "tributary.edgeConfig" -}}
{{- $edge := .Values.edge -}}
{{- $services := fromYaml (include "tributary.services" .) -}}
{{- $ingest := get .Values.services "ingest-api" -}}
{{- $always := $ingest.replicas -}}
{{- if and .Values.autoscaling.enabled $ingest.scaling -}}
{{- $always = $ingest.scaling.minReplicas -}}
{{- end -}}
{{- $connections := max 1 (div (mul (int $edge.requestsPerReplica) (int $always)) (int $edge.replicas)) -}}
{{- $values := dict
  "EDGE_LISTEN" "8080"
  "EDGE_REFUSALS_LOG" "/dev/stdout"
  "EDGE_STATUS_LISTEN" "127.0.0.1:8081"
  "EDGE_COUNTER" "127.0.0.1:8210"
  "EDGE_REQUESTS_PER_ADDRESS" $edge.requestsPerAddress
  "EDGE_HEADER_SECONDS" $edge.headerSeconds
  "EDGE_REQUESTS_PER_CONNECTION" $edge.requestsPerConnection
-}}
{{- range $name, $service := $services -}}
{{- if $service.port -}}
{{- $limit := ternary (printf " max_conns=%d" $connections) "" (eq $name "ingest-api") -}}
{{- $server := printf "server %s:%v%s;" (include "tributary.name" (list $ $name)) $service.port $limit -}}
{{- $_ := set $values (printf "%s_SERVERS" ($name | replace "-" "_" | upper)) $server -}}
{{- end -}}
{{- end -}}
{{- $config := .Files.Get "files/edge.conf.template" -}}
{{- range $placeholder, $value := $values -}}
{{- $config = replace (printf "${%s}" $placeholder) (include "tributary.text" (list $value)) $config -}}
{{- end -}}
worker_processes {{ $edge.workers }};
worker_rlimit_nofile {{ mul 2 (int $edge.workerConnections) }};
# Below crit stand whole requests, in whose query may be a name.
error_log stderr crit;

events {
  worker_connections {{ int $edge.workerConnections }};
  multi_accept on;
}

http {
  {{- range list "client_body" "proxy" "fastcgi" "uwsgi" "scgi" }}
  {{ . }}_temp_path /tmp/{{ . }};
  {{- end }}
  proxy_max_temp_file_size 0;
  {{- with $edge.trustedProxies }}

  # Whoever is before the edge says whom it asks for; nobody else is believed.
  {{- range . }}
  set_real_ip_from {{ . }};
  {{- end }}
  real_ip_header X-Forwarded-For;
  real_ip_recursive on;
  {{- end }}

{{ $config }}
}
{{- end }}
