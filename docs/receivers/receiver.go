// A receiver of the reward webhook with nothing but Go's standard library (1.19 or later).
//
//	WEBHOOK_USERNAME=… WEBHOOK_PASSWORD=… PORT=3000 GRANTS_FILE=grants.jsonl go run receiver.go
//
// Grants are lines of a file, each on the disk before the answer is sent. That is safe for one
// process on one machine. In production, use a table whose primary key is the eventId, and insert
// there in the transaction that gives the credits (insert … on conflict do nothing).
package main

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const bodyLimitBytes = 65_536

func main() {
	grants, err := openGrants(os.Getenv("GRANTS_FILE"))
	if err != nil {
		log.Fatal(err)
	}
	port := required("PORT")
	receiver := &receiver{
		credentials: sha256.Sum256([]byte(required("WEBHOOK_USERNAME") + ":" + required("WEBHOOK_PASSWORD"))),
		grants:      grants,
	}
	mux := http.NewServeMux()
	mux.Handle("/rewards", receiver)
	server := &http.Server{Addr: ":" + port, Handler: mux, ReadTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	log.Printf("listening on port %s", port)
	log.Fatal(server.ListenAndServe())
}

// A variable that was forgotten must not become a password.
func required(name string) string {
	value := os.Getenv(name)
	if value == "" {
		log.Fatalf("%s is missing", name)
	}
	return value
}

type receiver struct {
	credentials [sha256.Size]byte
	grants      *grants
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		answer(w, http.StatusMethodNotAllowed, "message", "POST only")
		return
	}
	// Rule 1. Before the body: that of a stranger is not read.
	if !r.isOurs(req) {
		w.Header().Set("WWW-Authenticate", `Basic realm="webhook", charset="UTF-8"`)
		answer(w, http.StatusUnauthorized, "message", "credentials are missing or wrong")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, bodyLimitBytes))
	if err != nil {
		status := http.StatusBadRequest
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			status = http.StatusRequestEntityTooLarge
		}
		answer(w, status, "message", "the body cannot be read")
		return
	}
	r.judge(w, body)
}

// Digests have one length, so that the time it takes says nothing of how much was right.
func (r *receiver) isOurs(req *http.Request) bool {
	username, password, ok := req.BasicAuth()
	given := sha256.Sum256([]byte(username + ":" + password))
	return subtle.ConstantTimeCompare(given[:], r.credentials[:]) == 1 && ok
}

// Rules 2 to 4 for the body of a sender with valid credentials. It is read without a type: one would
// take a missing field for an empty one, and json.Number would take "5" for 5.
func (r *receiver) judge(w http.ResponseWriter, body []byte) {
	var event map[string]any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&event); err != nil || event == nil {
		answer(w, http.StatusBadRequest, "message", "the body is no JSON object")
		return
	}

	// Rule 2. Before the fields: those of other kinds are not known. A missing object is an empty map.
	data, _ := event["data"].(map[string]any)
	if event["eventType"] != "new-reward" || data["rewardType"] != "credits" {
		answer(w, http.StatusOK, "ignored", true)
		return
	}

	// Rule 3.
	reward, _ := data["reward"].(map[string]any)
	amount, isNumber := reward["amount"].(json.Number)
	g := grant{Amount: amount}
	g.EventID, _ = event["eventId"].(string)
	g.RewardID, _ = data["rewardId"].(string)
	g.ProductUserID, _ = data["productUserId"].(string)
	if g.EventID == "" || g.RewardID == "" || g.ProductUserID == "" || !isNumber {
		answer(w, http.StatusBadRequest, "message", "eventId, rewardId, productUserId or the amount is missing or wrong")
		return
	}

	// Rule 4.
	isNew, err := r.grants.grantOnce(g)
	if err != nil {
		// Not 2xx: the webhook comes again.
		log.Printf("the reward could not be granted: %v", err)
		answer(w, http.StatusInternalServerError, "message", "the reward could not be granted")
		return
	}
	answer(w, http.StatusOK, "duplicate", !isNew)
}

func answer(w http.ResponseWriter, status int, name string, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{name: value})
}

type grant struct {
	EventID       string      `json:"eventId"`
	RewardID      string      `json:"rewardId"`
	ProductUserID string      `json:"productUserId"`
	Amount        json.Number `json:"amount"`
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
		var one grant
		if err := json.Unmarshal(line, &one); err != nil {
			return nil, fmt.Errorf("a line of %s cannot be read: %w", name, err)
		}
		g.known[one.EventID] = true
	}
	return g, nil
}

// grantOnce says false when the eventId was granted before. The lock is held over the look, the write
// and the sync: two deliveries of one event are told apart.
func (g *grants) grantOnce(one grant) (bool, error) {
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
