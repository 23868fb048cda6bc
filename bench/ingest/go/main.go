// The accept path of ingest-api as a Go service would have it, for the benchmark: bearer token,
// strict JSON, UUID v7, an optional reservation of the Idempotency-Key in Redis and its completion,
// and an answer of 202 after all replicas have acknowledged the record. net/http, franz-go and
// go-redis as they come. It compares the token with the one that it was given, has no quotas, and
// checks less of a body than the contract asks for, so what it costs is a bound from below.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

const (
	linger      = 2 * time.Millisecond
	keyLifetime = 72 * time.Hour
	bodyLimit   = 64 << 10
)

type newUser struct {
	ID string `json:"id"`
}

type subscription struct {
	Interval string `json:"interval"`
}

type purchase struct {
	UCC          string        `json:"ucc"`
	OccurredAt   string        `json:"occurredAt"`
	NewUser      newUser       `json:"newUser"`
	InvoiceID    string        `json:"invoiceId"`
	Currency     string        `json:"currency"`
	Amount       *int64        `json:"amount"`
	Subscription *subscription `json:"subscription"`
}

type record struct {
	SchemaVersion  int      `json:"schemaVersion"`
	EventType      string   `json:"eventType"`
	TenantID       string   `json:"tenantId"`
	AccessKeyID    string   `json:"accessKeyId"`
	EventID        string   `json:"eventId"`
	ReceivedAt     string   `json:"receivedAt"`
	IdempotencyKey string   `json:"idempotencyKey,omitempty"`
	Purchase       purchase `json:"purchase"`
}

type accepted struct {
	EventID    string `json:"eventId"`
	ReceivedAt string `json:"receivedAt"`
}

type server struct {
	token []byte
	topic string
	kafka *kgo.Client
	redis *redis.Client
}

func main() {
	uuid.EnableRandPool()
	s := &server{token: []byte("Bearer " + need("TOKEN")), topic: need("TOPIC")}
	s.kafka = connectKafka(s.topic)
	s.redis = connectRedis()

	mux := http.NewServeMux()
	mux.HandleFunc("POST /v2/events/purchase-created", s.accept)
	mux.HandleFunc("GET /readyz", s.ready)
	listener := &http.Server{Addr: need("ADDRESS"), Handler: mux}
	go func() {
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
		<-stop
		_ = listener.Shutdown(context.Background())
	}()
	if err := listener.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	s.kafka.Close()
}

func (s *server) accept(w http.ResponseWriter, r *http.Request) {
	if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), s.token) != 1 {
		problem(w, http.StatusUnauthorized, "UNAUTHORIZED")
		return
	}
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		problem(w, http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
		return
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	if err != nil {
		problem(w, http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")
		return
	}
	body, err := decode(text)
	if err != nil {
		problem(w, http.StatusUnprocessableEntity, "VALIDATION_ERROR")
		return
	}

	id, err := uuid.NewV7()
	if err != nil {
		problem(w, http.StatusInternalServerError, "INTERNAL_ERROR")
		return
	}
	answer := accepted{id.String(), time.Now().UTC().Format("2006-01-02T15:04:05.000Z")}
	key := r.Header.Get("Idempotency-Key")
	if key != "" {
		held, err := s.reserve(r.Context(), key, text, answer)
		if errors.Is(err, errOtherBody) {
			problem(w, http.StatusConflict, "IDEMPOTENCY_CONFLICT")
			return
		}
		if err != nil {
			problem(w, http.StatusServiceUnavailable, "SERVICE_UNAVAILABLE")
			return
		}
		if held != nil {
			answer = *held
		}
	}
	if err := s.append(r.Context(), body, key, answer); err != nil {
		problem(w, http.StatusServiceUnavailable, "SERVICE_UNAVAILABLE")
		return
	}
	if key != "" {
		// As ingest-api does it: the answer does not wait for it.
		go s.complete(key, text, answer)
	}
	send(w, http.StatusAccepted, "application/json", answer)
}

func decode(text []byte) (purchase, error) {
	var body purchase
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil {
		return body, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return body, errors.New("more than one value")
	}
	if _, err := time.Parse(time.RFC3339Nano, body.OccurredAt); err != nil {
		return body, err
	}
	interval := ""
	if body.Subscription != nil {
		interval = body.Subscription.Interval
	}
	switch {
	case body.UCC == "", body.NewUser.ID == "", body.InvoiceID == "", len(body.Currency) != 3:
		return body, errors.New("a member is missing")
	case body.Amount == nil || *body.Amount < 0:
		return body, errors.New("amount")
	case interval != "monthly" && interval != "yearly":
		return body, errors.New("interval")
	}
	return body, nil
}

// What an earlier request with the same key was answered; nil when the key is this request's.
func (s *server) reserve(
	ctx context.Context, key string, text []byte, answer accepted,
) (*accepted, error) {
	redisKey := keyOf(key)
	set, err := s.redis.SetNX(ctx, redisKey, held("pending", text, answer), keyLifetime).Result()
	if err != nil || set {
		return nil, err
	}
	found, err := s.redis.Get(ctx, redisKey).Result()
	if err != nil {
		return nil, err
	}
	parts := strings.Split(found, " ")
	if len(parts) != 4 {
		return nil, errors.New("a strange reservation")
	}
	if parts[3] != digestOf(text) {
		return nil, errOtherBody
	}
	return &accepted{parts[1], parts[2]}, nil
}

var errOtherBody = errors.New("the key was used with another body")

func (s *server) complete(key string, text []byte, answer accepted) {
	value := held("done", text, answer)
	if err := s.redis.Set(context.Background(), keyOf(key), value, keyLifetime).Err(); err != nil {
		log.Print(err)
	}
}

func keyOf(key string) string {
	name := sha256.Sum256([]byte("tenant purchase-created " + key))
	return "tributary:i:go:" + string(name[:16])
}

func held(state string, text []byte, answer accepted) string {
	return strings.Join([]string{state, answer.EventID, answer.ReceivedAt, digestOf(text)}, " ")
}

func digestOf(text []byte) string {
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:8])
}

func (s *server) append(ctx context.Context, body purchase, key string, answer accepted) error {
	value, err := json.Marshal(record{
		SchemaVersion: 4, EventType: "purchase-created", TenantID: "bench", AccessKeyID: "bench",
		EventID: answer.EventID, ReceivedAt: answer.ReceivedAt, IdempotencyKey: key, Purchase: body,
	})
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	entry := &kgo.Record{Topic: s.topic, Key: []byte("bench|" + body.NewUser.ID), Value: value}
	s.kafka.Produce(ctx, entry, func(_ *kgo.Record, err error) { done <- err })
	return <-done
}

func (s *server) ready(w http.ResponseWriter, r *http.Request) {
	if err := s.kafka.Ping(r.Context()); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	} else if err := s.redis.Get(r.Context(), "tributary:i:go:ready").Err(); err != nil &&
		!errors.Is(err, redis.Nil) {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	}
}

func problem(w http.ResponseWriter, status int, code string) {
	send(w, status, "application/problem+json", map[string]any{"status": status, "code": code})
}

func send(w http.ResponseWriter, status int, contentType string, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

func connectKafka(topic string) *kgo.Client {
	options := []kgo.Opt{
		kgo.SeedBrokers(strings.Split(need("TRIBUTARY_KAFKA_BROKERS"), ",")...),
		kgo.DefaultProduceTopic(topic),
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.DisableIdempotentWrite(),
		kgo.ProducerLinger(linger),
		kgo.ProducerBatchCompression(compression()),
	}
	if file := os.Getenv("TRIBUTARY_KAFKA_TLS_CA_FILE"); file != "" {
		options = append(options, kgo.DialTLSConfig(trusting(file)))
	}
	if user := os.Getenv("TRIBUTARY_KAFKA_SASL_USERNAME"); user != "" {
		auth := scram.Auth{User: user, Pass: need("TRIBUTARY_KAFKA_SASL_PASSWORD")}
		mechanism := auth.AsSha512Mechanism()
		if os.Getenv("TRIBUTARY_KAFKA_SASL_MECHANISM") == "scram-sha-256" {
			mechanism = auth.AsSha256Mechanism()
		}
		options = append(options, kgo.SASL(mechanism))
	}
	client, err := kgo.NewClient(options...)
	if err != nil {
		log.Fatal(err)
	}
	return client
}

func compression() kgo.CompressionCodec {
	if os.Getenv("TRIBUTARY_KAFKA_COMPRESSION") == "zstd" {
		return kgo.ZstdCompression()
	}
	return kgo.NoCompression()
}

func connectRedis() *redis.Client {
	options, err := redis.ParseURL(need("TRIBUTARY_REDIS_URL"))
	if err != nil {
		log.Fatal(err)
	}
	if file := os.Getenv("TRIBUTARY_REDIS_TLS_CA_FILE"); file != "" {
		options.TLSConfig = trusting(file)
	}
	return redis.NewClient(options)
}

func trusting(file string) *tls.Config {
	pem, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		log.Fatalf("%s has no certificate", file)
	}
	return &tls.Config{RootCAs: roots}
}

func need(name string) string {
	value := os.Getenv(name)
	if value == "" {
		log.Fatal(fmt.Sprintf("%s is not set", name))
	}
	return value
}
