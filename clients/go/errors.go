package tributary

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Problem is a refusal of the service (RFC 9457). Branch on Code; new ones may appear.
type Problem struct {
	Type     string      `json:"type"`
	Title    string      `json:"title"`
	Status   int         `json:"status"`
	Detail   string      `json:"detail"`
	Instance string      `json:"instance"`
	Code     string      `json:"code"`
	Errors   []Violation `json:"errors"`
}

// Violation is one broken rule of a request body; Pointer is a JSON Pointer into it.
type Violation struct {
	Pointer string `json:"pointer"`
	Code    string `json:"code"`
	Detail  string `json:"detail"`
}

func (p *Problem) Error() string {
	text := fmt.Sprintf("%d %s: %s", p.Status, p.Code, p.Detail)
	for _, violation := range p.Errors {
		text += fmt.Sprintf(" [%s %s]", violation.Pointer, violation.Code)
	}
	return text
}

// AnswerError is an answer of something that is not the service: a proxy, or a wrong BaseURL.
type AnswerError struct{ Status int }

func (e *AnswerError) Error() string {
	return fmt.Sprintf("answered %d, but not like the referral service; is the BaseURL right?", e.Status)
}

// Error is what every call fails with. It wraps a *Problem, an *AnswerError, or what kept an answer
// from coming; use errors.As. It holds no credential, no token and no body that was sent.
type Error struct {
	Operation string
	Attempts  int
	// Retryable says that the same request, with the same key, may succeed later.
	Retryable bool
	// IdempotencyKey is that of the event: sent again by it, it cannot double.
	IdempotencyKey string
	RetryAfter     time.Duration
	Err            error
}

func (e *Error) Error() string { return e.Operation + ": " + e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// ErrNotDecided is wrapped when WaitForDecision ends without a decision.
var ErrNotDecided = errors.New("the event was not decided in time")

func refusal(operation string, answer *answer) *Error {
	failure := &Error{Operation: operation, RetryAfter: retryAfter(answer.header)}
	problem := &Problem{}
	isProblem := answer.into(problem) && problem.Type != "" && problem.Code != "" && problem.Status != 0
	if isProblem {
		failure.Err = problem
	} else {
		failure.Err = &AnswerError{Status: answer.status}
	}
	switch answer.status {
	case http.StatusTooManyRequests, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		failure.Retryable = true
	}
	return failure
}

// Seconds, or a date by the clock of the answer itself (RFC 9110 10.2.3).
func retryAfter(header http.Header) time.Duration {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := time.ParseDuration(text + "s"); err == nil && strings.Trim(text, "0123456789") == "" {
		return seconds
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return max(0, until.Sub(now))
}
