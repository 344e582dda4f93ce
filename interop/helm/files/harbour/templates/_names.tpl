{{- define "harbour.labels" -}}
app.kubernetes.io/name: harbour
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
