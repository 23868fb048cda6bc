package tributary

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// identity is what makes an event one business fact.
type identity struct {
	kind, userID, occurredAt, invoiceID, currency, amount string
}

// contentKey is a digest that is the same in every client and process; the recipe is public and
// does not change.
func (i identity) contentKey() string {
	hash := sha256.New()
	for _, value := range []string{i.kind, i.userID, moment(i.occurredAt), i.invoiceID, i.currency, i.amount} {
		hash.Write([]byte(value + "\x00"))
	}
	return "content-v1-" + hex.EncodeToString(hash.Sum(nil))
}

var timestamp = regexp.MustCompile(
	`^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$`)

// One text for all spellings of a moment. What is no timestamp is the service's to refuse. An
// offset has whole minutes, so the second stays as it is, a leap second too.
func moment(occurredAt string) string {
	parts := timestamp.FindStringSubmatch(occurredAt)
	if parts == nil {
		return occurredAt
	}
	local, err := time.Parse("2006-01-02T15:04", parts[1]+"T"+parts[2])
	if err != nil || local.Year() < 1 {
		return occurredAt
	}
	hours, _ := strconv.Atoi(parts[6])
	minutes, _ := strconv.Atoi(parts[7])
	offset := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if parts[5] == "-" {
		offset = -offset
	}
	utc := local.Add(-offset)
	// Not every language has other years.
	if utc.Year() < 1 || utc.Year() > 9999 {
		return occurredAt
	}
	text := utc.Format("2006-01-02T15:04") + ":" + parts[3]
	if digits := strings.TrimRight(parts[4], "0"); digits != "" {
		text += "." + digits
	}
	return text + "Z"
}
