package tributary

// NewUser is the referred user.
type NewUser struct {
	ID             string `json:"id"`
	Email          string `json:"email,omitempty"`
	Name           string `json:"name,omitempty"`
	OrganizationID string `json:"organizationId,omitempty"`
}

// SignupCreated says that a referred user signed up. OccurredAt is RFC 3339 with an offset, from
// your records: the same in every attempt.
type SignupCreated struct {
	UCC            string  `json:"ucc"`
	OccurredAt     string  `json:"occurredAt"`
	NewUser        NewUser `json:"newUser"`
	IdempotencyKey string  `json:"idempotencyKey,omitempty"`
}

// DemoAttended says that a referred user attended a demo.
type DemoAttended SignupCreated

// Subscription is what was bought. Interval is required for a purchase: one-time, weekly,
// bi-weekly, monthly, quarterly, semi-annual, yearly, biennial, triennial or lifetime.
type Subscription struct {
	ID         string `json:"id,omitempty"`
	Interval   string `json:"interval,omitempty"`
	SeatsUsed  *int64 `json:"seatsUsed,omitempty"`
	ProductKey string `json:"productKey,omitempty"`
}

// PurchaseCreated says that a referred user paid. Amount is in minor units: 4900 is EUR 49.00.
type PurchaseCreated struct {
	UCC            string       `json:"ucc"`
	OccurredAt     string       `json:"occurredAt"`
	NewUser        NewUser      `json:"newUser"`
	IdempotencyKey string       `json:"idempotencyKey,omitempty"`
	Currency       string       `json:"currency"`
	InvoiceID      string       `json:"invoiceId"`
	Amount         int64        `json:"amount"`
	Subscription   Subscription `json:"subscription"`
}

// PurchaseRefunded says that a purchase was given back: InvoiceID is that of the purchase, Amount
// what this refund gives back.
type PurchaseRefunded struct {
	UCC            string        `json:"ucc"`
	OccurredAt     string        `json:"occurredAt"`
	NewUser        NewUser       `json:"newUser"`
	IdempotencyKey string        `json:"idempotencyKey,omitempty"`
	Currency       string        `json:"currency"`
	InvoiceID      string        `json:"invoiceId"`
	Amount         int64         `json:"amount"`
	Subscription   *Subscription `json:"subscription,omitempty"`
}

// Accepted says that the event is stored; attribution and rewards follow.
type Accepted struct {
	EventID    string    `json:"eventId"`
	ReceivedAt string    `json:"receivedAt"`
	Warnings   []Warning `json:"warnings,omitempty"`
}

// Warning is a remark that changes nothing. New codes may appear at any time.
type Warning struct {
	Code    string `json:"code"`
	Detail  string `json:"detail"`
	Pointer string `json:"pointer,omitempty"`
}

// ReferralCode is what the service knows of a code.
type ReferralCode struct {
	Code          string `json:"code"`
	Valid         bool   `json:"valid"`
	ProductUserID string `json:"productUserId,omitempty"`
	CampaignID    string `json:"campaignId,omitempty"`
}

// ActiveLink is a user's code that is valid now, and its invite link.
type ActiveLink struct {
	ActiveUCC string `json:"activeUcc"`
	Link      string `json:"link"`
}

// Event is an event and what was decided about it; Outcome is "pending" before that.
type Event struct {
	EventID    string   `json:"eventId"`
	EventType  string   `json:"eventType,omitempty"`
	ReceivedAt string   `json:"receivedAt"`
	Outcome    string   `json:"outcome"`
	Reason     string   `json:"reason,omitempty"`
	CampaignID string   `json:"campaignId,omitempty"`
	ReferrerID string   `json:"referrerId,omitempty"`
	Flags      []string `json:"flags"`
	Tests      []Test   `json:"tests"`
	WaitsFor   []string `json:"waitsFor"`
	Rewards    []Earned `json:"rewards"`
}

// Test is one test of a decision, with its result in a sentence.
type Test struct {
	Test   string `json:"test"`
	Passed bool   `json:"passed"`
	Detail string `json:"detail"`
}

// Earned is a reward that an event led to. Credits are exact decimals.
type Earned struct {
	RewardID        string `json:"rewardId"`
	RuleID          string `json:"ruleId"`
	RecipientRole   string `json:"recipientRole"`
	RecipientID     string `json:"recipientId"`
	State           string `json:"state"`
	EntitledCredits string `json:"entitledCredits"`
	IssuedCredits   string `json:"issuedCredits"`
}
