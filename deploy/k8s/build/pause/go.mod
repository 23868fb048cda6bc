module tributary/k8s/pause

go 1.23
