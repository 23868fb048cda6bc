package tributary

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
)

const bodyLimitBytes = 65_536

// Reward is what a webhook asks to grant. Amount keeps every digit.
type Reward struct {
	EventID       string      `json:"eventId"`
	RewardID      string      `json:"rewardId"`
	ProductUserID string      `json:"productUserId"`
	Amount        json.Number `json:"amount"`
}

// Credentials of HTTP Basic.
type Credentials struct{ Username, Password string }

// Grant grants the reward unless its EventID was granted before, and says whether it did so now.
// Deliveries come at least once, and two of one event may come side by side: only Grant can note
// the EventID and give the credits in one transaction. An error becomes a 500, and the webhook
// comes again.
type Grant func(ctx context.Context, reward Reward) (isNew bool, err error)

// RewardReceiver is the handler of the reward webhook, by the receiver rules of the contract (6.1).
// It takes several credentials while they are exchanged.
func RewardReceiver(grant Grant, accepted ...Credentials) (http.Handler, error) {
	if len(accepted) == 0 {
		return nil, errors.New("tributary: the webhook has no credentials")
	}
	receiver := &receiver{grant: grant}
	for _, one := range accepted {
		// A variable that was forgotten in the environment must not become a password.
		if one.Username == "" || one.Password == "" {
			return nil, errors.New("tributary: the username or the password of the webhook is missing")
		}
		receiver.accepted = append(receiver.accepted, one.digest())
	}
	return receiver, nil
}

type receiver struct {
	grant    Grant
	accepted [][sha256.Size]byte
}

func (c Credentials) digest() [sha256.Size]byte {
	return sha256.Sum256([]byte(c.Username + ":" + c.Password))
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		reply(w, http.StatusMethodNotAllowed, "message", "POST only")
		return
	}
	// Rule 1. Before the body: that of a stranger is not read.
	if !r.isOurs(req) {
		w.Header().Set("WWW-Authenticate", `Basic realm="webhook", charset="UTF-8"`)
		reply(w, http.StatusUnauthorized, "message", "credentials are missing or wrong")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, bodyLimitBytes))
	if err != nil {
		status := http.StatusBadRequest
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			status = http.StatusRequestEntityTooLarge
		}
		reply(w, status, "message", "the body cannot be read")
		return
	}
	r.evaluate(req.Context(), w, body)
}

// Digests have one length, so that the time it takes says nothing of how much was right.
func (r *receiver) isOurs(req *http.Request) bool {
	username, password, ok := req.BasicAuth()
	given := Credentials{username, password}.digest()
	matches := 0
	for _, one := range r.accepted {
		matches |= subtle.ConstantTimeCompare(given[:], one[:])
	}
	return matches == 1 && ok
}

// Rules 2 to 4 for a sender with valid credentials. The body is read without a type: one would take
// a missing field for an empty one, and json.Number would take "5" for 5.
func (r *receiver) evaluate(ctx context.Context, w http.ResponseWriter, body []byte) {
	var event map[string]any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if !json.Valid(body) || decoder.Decode(&event) != nil || event == nil {
		reply(w, http.StatusBadRequest, "message", "the body is no JSON object")
		return
	}

	// Rule 2. Before the fields: those of other kinds are not known. A missing object is empty.
	data, _ := event["data"].(map[string]any)
	if event["eventType"] != "new-reward" || data["rewardType"] != "credits" {
		reply(w, http.StatusOK, "ignored", true)
		return
	}

	// Rule 3.
	credits, _ := data["reward"].(map[string]any)
	amount, isNumber := credits["amount"].(json.Number)
	// 1e400 is infinite to most programs, so it is refused in every language.
	if _, err := amount.Float64(); err != nil {
		isNumber = false
	}
	reward := Reward{Amount: amount}
	reward.EventID, _ = event["eventId"].(string)
	reward.RewardID, _ = data["rewardId"].(string)
	reward.ProductUserID, _ = data["productUserId"].(string)
	if reward.EventID == "" || reward.RewardID == "" || reward.ProductUserID == "" || !isNumber {
		reply(w, http.StatusBadRequest, "message", "eventId, rewardId, productUserId or the amount is missing or wrong")
		return
	}

	// Rule 4.
	isNew, err := r.grant(ctx, reward)
	if err != nil {
		// Not 2xx: the webhook comes again.
		log.Printf("tributary: the reward of event %q could not be granted: %v", reward.EventID, err)
		reply(w, http.StatusInternalServerError, "message", "the reward could not be granted")
		return
	}
	reply(w, http.StatusOK, "duplicate", !isNew)
}

func reply(w http.ResponseWriter, status int, name string, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{name: value})
}
