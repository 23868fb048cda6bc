package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"sync"
	"time"

	tributary "tributary.local/client"
)

type failed = [2]any

func main() {
	var given struct {
		Secret, UsualURL, SilentURL, FailingURL, OpenURL string
		Purchase                                         tributary.PurchaseCreated
	}
	check(json.NewDecoder(os.Stdin).Decode(&given))
	client := func(url string, deadline time.Duration) *tributary.Client {
		made, err := tributary.New(tributary.Options{
			BaseURL: url, AccessKeyID: "ak-1", SecretAccessKey: given.Secret,
			Timeout: time.Minute, Deadline: deadline, MaxAttempts: 1,
		})
		check(err)
		return made
	}
	ctx := context.Background()
	usual := client(given.UsualURL, 0)
	_, err := usual.PurchaseCreated(ctx, given.Purchase)
	check(err)
	_, failure := usual.Lookup(ctx, "refused")
	shown := []string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x"} {
		shown = append(shown, fmt.Sprintf(verb, usual), fmt.Sprintf(verb, failure))
	}
	_, undecided := client(given.OpenURL, 300*time.Millisecond).WaitForDecision(ctx, "e1")
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"shown":      shown,
		"silent":     atOnce(client(given.SilentURL, 300*time.Millisecond), 8),
		"failing":    atOnce(client(given.FailingURL, 0), 8),
		"undecided":  undecided.Error(),
		"notDecided": errors.Is(undecided, tributary.ErrNotDecided),
	}))
}

// What so many goroutines get that ask for a token at the same time.
func atOnce(client *tributary.Client, count int) []failed {
	var lock sync.Mutex
	var group sync.WaitGroup
	failures := []failed{}
	for range count {
		group.Add(1)
		go func() {
			defer group.Done()
			_, err := client.AccessToken(context.Background())
			lock.Lock()
			defer lock.Unlock()
			var failure *tributary.Error
			if errors.As(err, &failure) {
				failures = append(failures, failed{failure.Error(), failure.Retryable})
			}
		}()
	}
	group.Wait()
	return failures
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
