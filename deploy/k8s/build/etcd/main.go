// The whole of etcd's server, by its module: there is no release of it in the Go proxy otherwise.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
