// A receiver of the reward webhook with the Go client (Go 1.23 or later).
//
//	go mod init receiver
//	go mod edit -require tributary.local/client@v0.1.0 -replace tributary.local/client=./tributary-go-0.1.0
//	WEBHOOK_USERNAME=… WEBHOOK_PASSWORD=… PORT=3000 GRANTS_FILE=grants.jsonl go run receiver.go
//
// Grants are lines of a file, each on the disk before the answer is sent. That is safe for one
// process on one machine. In production, use a table whose primary key is the eventId, and insert
// there in the transaction that gives the credits (insert … on conflict do nothing).
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	tributary "tributary.local/client"
)

func main() {
	grants, err := openGrants(os.Getenv("GRANTS_FILE"))
	if err != nil {
		log.Fatal(err)
	}
	credentials := tributary.Credentials{
		Username: os.Getenv("WEBHOOK_USERNAME"), Password: os.Getenv("WEBHOOK_PASSWORD"),
	}
	receiver, err := tributary.RewardReceiver(grants.grantOnce, credentials)
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/rewards", receiver)
	port := os.Getenv("PORT")
	server := &http.Server{Addr: ":" + port, Handler: mux, ReadTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	log.Printf("listening on port %s", port)
	log.Fatal(server.ListenAndServe())
}

type grants struct {
	mutex  sync.Mutex
	file   *os.File
	length int64
	known  map[string]bool
}

func openGrants(name string) (*grants, error) {
	if name == "" {
		name = "grants.jsonl"
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	// The name of a new file is durable once its directory is.
	directory, err := os.Open(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	defer directory.Close()
	if err := directory.Sync(); err != nil {
		return nil, err
	}
	written, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	// A crash in the middle of a write leaves half a line: nobody was told that it was granted.
	g := &grants{file: file, length: int64(bytes.LastIndexByte(written, '\n') + 1), known: map[string]bool{}}
	if err := file.Truncate(g.length); err != nil {
		return nil, err
	}
	for _, line := range bytes.Split(bytes.TrimSuffix(written[:g.length], []byte("\n")), []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var one tributary.Reward
		if err := json.Unmarshal(line, &one); err != nil {
			return nil, fmt.Errorf("a line of %s cannot be read: %w", name, err)
		}
		g.known[one.EventID] = true
	}
	return g, nil
}

// grantOnce says false when the eventId was granted before. The lock is held over the look, the write
// and the sync: two deliveries of one event are told apart.
func (g *grants) grantOnce(_ context.Context, one tributary.Reward) (bool, error) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.known[one.EventID] {
		return false, nil
	}
	line, err := json.Marshal(one)
	if err != nil {
		return false, err
	}
	line = append(line, '\n')
	if _, err = g.file.WriteAt(line, g.length); err == nil {
		err = g.file.Sync()
	}
	if err != nil {
		// What was written of it must not stay. If even that fails, the next write goes over it.
		_ = g.file.Truncate(g.length)
		return false, err
	}
	g.length += int64(len(line))
	g.known[one.EventID] = true
	return true, nil
}
