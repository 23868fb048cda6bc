package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log"
	"os"
	"sort"
	"time"

	tributary "tributary.local/client"
)

type step struct {
	Call           string
	Event          json.RawMessage
	Argument       string
	EventOf        *int
	IdempotencyKey *string
}

func main() {
	var given struct {
		BaseURL, AccessKeyID, SecretAccessKey string
		Steps                                 []step
	}
	check(json.NewDecoder(os.Stdin).Decode(&given))
	client, err := tributary.New(tributary.Options{
		BaseURL: given.BaseURL, AccessKeyID: given.AccessKeyID, SecretAccessKey: given.SecretAccessKey,
		MaxAttempts: 3,
		// A slow machine must not add attempts.
		Timeout: time.Minute, Deadline: 5 * time.Minute,
	})
	check(err)
	results := []map[string]any{}
	ids := []string{}
	for _, one := range given.Steps {
		id := one.Argument
		if one.EventOf != nil {
			id = ids[*one.EventOf]
		}
		result, err := run(client, one, id)
		ids = append(ids, "")
		var failure *tributary.Error
		switch accepted, isAccepted := result.(*tributary.Accepted); {
		case errors.As(err, &failure):
			results = append(results, map[string]any{"refused": refused(failure), "key": failure.IdempotencyKey})
		case err != nil:
			log.Fatal(err)
		case isAccepted:
			ids[len(ids)-1] = accepted.EventID
			results = append(results, map[string]any{"accepted": accepted})
		default:
			results = append(results, map[string]any{"found": result})
		}
	}
	check(json.NewEncoder(os.Stdout).Encode(results))
}

func run(client *tributary.Client, one step, id string) (any, error) {
	ctx := context.Background()
	options := []tributary.EventOption{}
	if one.IdempotencyKey != nil {
		options = append(options, tributary.WithIdempotencyKey(*one.IdempotencyKey))
	}
	switch one.Call {
	case "signupCreated":
		return client.SignupCreated(ctx, read[tributary.SignupCreated](one), options...)
	case "demoAttended":
		return client.DemoAttended(ctx, read[tributary.DemoAttended](one), options...)
	case "purchaseCreated":
		return client.PurchaseCreated(ctx, read[tributary.PurchaseCreated](one), options...)
	case "purchaseRefunded":
		return client.PurchaseRefunded(ctx, read[tributary.PurchaseRefunded](one), options...)
	case "lookup":
		return client.Lookup(ctx, id)
	case "activeLink":
		return client.ActiveLink(ctx, id)
	case "event":
		return client.Event(ctx, id)
	case "waitForDecision":
		return client.WaitForDecision(ctx, id)
	}
	return nil, errors.New("no such call: " + one.Call)
}

func read[T any](one step) (event T) {
	decoder := json.NewDecoder(bytes.NewReader(one.Event))
	decoder.DisallowUnknownFields()
	check(decoder.Decode(&event))
	return event
}

func refused(failure *tributary.Error) map[string]any {
	pointers := []string{}
	result := map[string]any{"attempts": failure.Attempts}
	var problem *tributary.Problem
	if errors.As(failure, &problem) {
		for _, violation := range problem.Errors {
			pointers = append(pointers, violation.Pointer)
		}
		sort.Strings(pointers)
		result["code"], result["status"] = problem.Code, problem.Status
	}
	result["pointers"] = pointers
	return result
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
