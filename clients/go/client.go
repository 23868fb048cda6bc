// Package tributary is a client of the Tributary referral API, and the receiver of its reward
// webhook. It needs nothing but the standard library.
package tributary

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options of a client; those above Timeout are required.
type Options struct {
	BaseURL         string
	AccessKeyID     string
	SecretAccessKey string
	// Timeout limits one request: 10 s unless given.
	Timeout time.Duration
	// Deadline limits a call with its pauses: 60 s unless given. The context may end it earlier.
	Deadline time.Duration
	// MaxAttempts of one call: 5 unless given.
	MaxAttempts int
	// Transport, for a proxy or for tracing: http.DefaultTransport unless given.
	Transport http.RoundTripper
}

// Client of one deployment for one access key. Make one and keep it: it holds the access token, and
// goroutines may share it. Every call fails with an *Error.
type Client struct {
	baseURL     string
	accessKey   []byte
	deadline    time.Duration
	maxAttempts int
	http        *http.Client

	// Never held during a request.
	lock       sync.Mutex
	token      string
	tokenUntil time.Time
	renewing   *renewal
}

// renewal is a request for a token that is under way; token and failure are set when it is done.
type renewal struct {
	done    chan struct{}
	token   string
	failure *Error
}

// Format keeps the access key and the token out of logs, whatever the verb.
func (c *Client) Format(to fmt.State, _ rune) { fmt.Fprintf(to, "tributary.Client(%s)", c.baseURL) }

// New fails for an option that is missing or wrong, and repeats none of them.
func New(options Options) (*Client, error) {
	base, err := url.Parse(options.BaseURL)
	if err != nil || base.Host == "" || base.User != nil || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, errors.New("tributary: BaseURL must be an http(s) URL without credentials")
	}
	if options.AccessKeyID == "" || options.SecretAccessKey == "" {
		return nil, errors.New("tributary: AccessKeyID or SecretAccessKey is missing")
	}
	accessKey, err := json.Marshal(map[string]string{
		"accessKeyId": options.AccessKeyID, "secretAccessKey": options.SecretAccessKey,
	})
	if err != nil {
		return nil, err
	}
	client := &Client{
		baseURL:     strings.TrimRight(options.BaseURL, "/"),
		accessKey:   accessKey,
		deadline:    or(options.Deadline, time.Minute),
		maxAttempts: or(options.MaxAttempts, 5),
		http: &http.Client{
			Timeout:   or(options.Timeout, 10*time.Second),
			Transport: options.Transport,
			// A redirect could lead a key pair or a token to another server.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	return client, nil
}

// EventOption changes how one event is reported.
type EventOption func(key **string)

// WithIdempotencyKey gives the key of the event in place of that of its content.
func WithIdempotencyKey(key string) EventOption { return func(to **string) { *to = &key } }

func (c *Client) SignupCreated(ctx context.Context, event SignupCreated, options ...EventOption) (*Accepted, error) {
	id := identity{kind: "signup-created", userID: event.NewUser.ID, occurredAt: event.OccurredAt}
	return c.report(ctx, id, event.IdempotencyKey, event, options)
}

func (c *Client) DemoAttended(ctx context.Context, event DemoAttended, options ...EventOption) (*Accepted, error) {
	id := identity{kind: "demo-attended", userID: event.NewUser.ID, occurredAt: event.OccurredAt}
	return c.report(ctx, id, event.IdempotencyKey, event, options)
}

func (c *Client) PurchaseCreated(ctx context.Context, event PurchaseCreated, options ...EventOption) (*Accepted, error) {
	amount := strconv.FormatInt(event.Amount, 10)
	id := identity{"purchase-created", event.NewUser.ID, event.OccurredAt, event.InvoiceID, event.Currency, amount}
	return c.report(ctx, id, event.IdempotencyKey, event, options)
}

func (c *Client) PurchaseRefunded(ctx context.Context, event PurchaseRefunded, options ...EventOption) (*Accepted, error) {
	amount := strconv.FormatInt(event.Amount, 10)
	id := identity{"purchase-refunded", event.NewUser.ID, event.OccurredAt, event.InvoiceID, event.Currency, amount}
	return c.report(ctx, id, event.IdempotencyKey, event, options)
}

// Lookup tells what is known of a code; nil when there is no such code.
func (c *Client) Lookup(ctx context.Context, code string) (*ReferralCode, error) {
	return find[ReferralCode](ctx, c, "/referral-codes/", "{code}", code, "valid")
}

// ActiveLink is a user's valid code and invite link; nil when the user has none.
func (c *Client) ActiveLink(ctx context.Context, productUserID string) (*ActiveLink, error) {
	return find[ActiveLink](ctx, c, "/referral-codes/active-link/", "{productUserId}", productUserID, "activeUcc")
}

// Event is an event of yours with its decision; nil when it is not there (yet).
func (c *Client) Event(ctx context.Context, eventID string) (*Event, error) {
	return find[Event](ctx, c, "/api/events/", "{eventId}", eventID, "outcome")
}

// WaitForDecision asks until the event is decided, for as long as a call may take, or the context
// says. "waiting" is a decision: it may wait for days.
func (c *Client) WaitForDecision(ctx context.Context, eventID string) (*Event, error) {
	end := time.Now().Add(c.deadline)
	limited, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	notDecided := &Error{Operation: "GET /api/events/{eventId}", Retryable: true, Err: ErrNotDecided}
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		event, err := c.Event(limited, eventID)
		if err != nil && limited.Err() != nil && ctx.Err() == nil {
			notDecided.Err = fmt.Errorf("%w: %w", ErrNotDecided, err)
			return nil, notDecided
		}
		if err != nil {
			return nil, err
		}
		if event != nil && event.Outcome != "pending" && event.Outcome != "undecided" {
			return event, nil
		}
		if time.Now().Add(pause).After(end) {
			return nil, notDecided
		}
		if err := sleep(ctx, pause); err != nil {
			return nil, &Error{Operation: "GET /api/events/{eventId}", Err: err}
		}
	}
}

// AccessToken is the bearer token that the calls use, for an endpoint that is not among them.
func (c *Client) AccessToken(ctx context.Context) (string, error) {
	var token string
	err := c.withRetries(ctx, "", func(ctx context.Context) (failure *Error) {
		token, failure = c.getToken(ctx)
		return failure
	})
	return token, err
}

func (c *Client) report(ctx context.Context, id identity, inBody string, event any, options []EventOption) (*Accepted, error) {
	var key *string
	for _, option := range options {
		option(&key)
	}
	if key == nil && inBody == "" {
		made := id.contentKey()
		key = &made
	}
	operation := "POST /v2/events/" + id.kind
	// Made once: every attempt sends the same bytes.
	body, err := json.Marshal(event)
	if err != nil {
		return nil, &Error{Operation: operation, Err: err}
	}
	header := http.Header{"Content-Type": {"application/json"}}
	usedKey := inBody
	if key != nil {
		usedKey = *key
		if strings.ContainsAny(usedKey, "\r\n\x00") {
			return nil, &Error{Operation: operation, Err: errors.New("the idempotency key must be one line")}
		}
		header.Set("Idempotency-Key", usedKey)
	}
	accepted := &Accepted{}
	err = c.withRetries(ctx, usedKey, func(ctx context.Context) *Error {
		answer, failure := c.ask(ctx, operation, http.MethodPost, "/v2/events/"+id.kind, header, body)
		if failure != nil {
			return failure
		}
		if answer.status != http.StatusAccepted || !answer.into(accepted) || accepted.EventID == "" {
			return refusal(operation, answer)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return accepted, nil
}

// The answer must have the member: any other JSON of a wrong BaseURL would be an empty T.
func find[T any](ctx context.Context, c *Client, prefix, placeholder, name, member string) (*T, error) {
	// Dots alone are a step in the path, encoded or not.
	if name == "." || name == ".." {
		return nil, nil
	}
	operation := "GET " + prefix + placeholder
	var found *T
	err := c.withRetries(ctx, "", func(ctx context.Context) *Error {
		answer, failure := c.ask(ctx, operation, http.MethodGet, prefix+url.PathEscape(name), http.Header{}, nil)
		if failure != nil {
			return failure
		}
		var problem Problem
		if answer.status == http.StatusNotFound && answer.into(&problem) && problem.Code == "NOT_FOUND" {
			found = nil
			return nil
		}
		found = new(T)
		var members map[string]any
		isFound := answer.status == http.StatusOK && answer.into(&members) && members[member] != nil
		if !isFound || !answer.into(found) {
			return refusal(operation, answer)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a *answer) into(value any) bool { return json.Unmarshal(a.body, value) == nil }

func (c *Client) ask(ctx context.Context, operation, method, path string, header http.Header, body []byte) (*answer, *Error) {
	for renewed := false; ; renewed = true {
		token, failure := c.getToken(ctx)
		if failure != nil {
			return nil, failure
		}
		header.Set("Authorization", "Bearer "+token)
		answer, failure := c.send(ctx, operation, method, path, header, body)
		if failure != nil || answer.status != http.StatusUnauthorized || renewed {
			return answer, failure
		}
		// It may have been revoked: once more with a new one.
		c.lock.Lock()
		if c.token == token {
			c.tokenUntil = time.Time{}
		}
		c.lock.Unlock()
	}
}

func (c *Client) send(ctx context.Context, operation, method, path string, header http.Header, body []byte) (*answer, *Error) {
	request, err := http.NewRequestWithContext(ctx, method, c.baseURL+path, bytes.NewReader(body))
	if err != nil {
		return nil, &Error{Operation: operation, Err: errors.New("the request cannot be made")}
	}
	request.Header = header.Clone()
	response, err := c.http.Do(request)
	if err != nil {
		return nil, noAnswer(operation, err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, noAnswer(operation, err)
	}
	return &answer{response.StatusCode, response.Header, content}, nil
}

func noAnswer(operation string, err error) *Error {
	// The URL in it has a code or a user's id.
	var inURL *url.Error
	if errors.As(err, &inURL) {
		err = inURL.Err
	}
	return &Error{Operation: operation, Retryable: true, Err: fmt.Errorf("no answer: %w", err)}
}

var tokenForm = regexp.MustCompile(`^[\w.~+/-]+=*$`)

// One request for a token at a time, whoever asks. Nobody's deadline ends it, since others may wait
// for the same one; all who wait share its failure.
func (c *Client) getToken(ctx context.Context) (string, *Error) {
	c.lock.Lock()
	if token := c.token; time.Now().Before(c.tokenUntil) {
		c.lock.Unlock()
		return token, nil
	}
	renewing := c.renewing
	if renewing == nil {
		renewing = &renewal{done: make(chan struct{})}
		c.renewing = renewing
		go c.renew(context.WithoutCancel(ctx), renewing)
	}
	c.lock.Unlock()
	select {
	case <-renewing.done:
	case <-ctx.Done():
		return "", noAnswer("POST /token", ctx.Err())
	}
	if renewing.failure != nil {
		// A copy: each call notes its own attempts and key in it.
		failure := *renewing.failure
		return "", &failure
	}
	return renewing.token, nil
}

func (c *Client) renew(ctx context.Context, renewing *renewal) {
	asked := time.Now()
	token, lifetime, failure := c.requestToken(ctx)
	c.lock.Lock()
	defer c.lock.Unlock()
	if failure == nil {
		c.token = token
		c.tokenUntil = asked.Add(lifetime - min(30*time.Second, lifetime/10))
	}
	renewing.token, renewing.failure = token, failure
	c.renewing = nil
	close(renewing.done)
}

func (c *Client) requestToken(ctx context.Context) (string, time.Duration, *Error) {
	const operation = "POST /token"
	header := http.Header{"Content-Type": {"application/json"}}
	answer, failure := c.send(ctx, operation, http.MethodPost, "/token", header, c.accessKey)
	if failure != nil {
		return "", 0, failure
	}
	var issued struct {
		AccessToken string   `json:"accessToken"`
		ExpiresIn   *float64 `json:"expiresIn"`
	}
	isToken := answer.status == http.StatusCreated && answer.into(&issued) &&
		issued.ExpiresIn != nil && tokenForm.MatchString(issued.AccessToken)
	if !isToken {
		return "", 0, refusal(operation, answer)
	}
	return issued.AccessToken, time.Duration(*issued.ExpiresIn * float64(time.Second)), nil
}

func (c *Client) withRetries(ctx context.Context, key string, attempt func(context.Context) *Error) error {
	end := time.Now().Add(c.deadline)
	limited, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	bound := 200 * time.Millisecond
	for attempts := 1; ; attempts++ {
		failure := attempt(limited)
		if failure == nil {
			return nil
		}
		failure.Attempts, failure.IdempotencyKey = attempts, key
		// The client's own deadline is another matter than a caller who gave up.
		failure.Retryable = failure.Retryable && ctx.Err() == nil
		// Full jitter: callers who failed together do not return together.
		pause := failure.RetryAfter + rand.N(bound)
		bound = min(2*bound, 10*time.Second)
		if !failure.Retryable || attempts >= c.maxAttempts || time.Now().Add(pause).After(end) {
			return failure
		}
		if err := sleep(ctx, pause); err != nil {
			return failure
		}
	}
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func or[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}
