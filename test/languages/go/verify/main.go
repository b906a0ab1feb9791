// Verify verifies the deliveries of test vectors and compares the verdicts: verify FILE...
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"tradepost.example/languages/report"
	"tradepost.example/languages/signatures"
)

type vector struct {
	Name     string
	Secrets  []string
	Headers  map[string]string
	Body     []byte // base64 in JSON
	Expected struct{ ServiceSignature, WebhookSignature bool }
}

// hasWebhookSignature verifies at a fixed time, if there is one. The library reads the clock of the system, which Go
// reads without the C library, so the tests cannot stop it: this checks the timestamp itself.
func hasWebhookSignature(secret string, headers http.Header, body []byte) bool {
	now, err := strconv.ParseInt(os.Getenv("FIXED_CLOCK"), 10, 64)
	if err != nil {
		return signatures.HasWebhookSignature(secret, headers, body)
	}
	sent, err := strconv.ParseInt(headers.Get("webhook-timestamp"), 10, 64)
	if err != nil || time.Duration(max(now-sent, sent-now))*time.Second > 5*time.Minute {
		return false
	}
	webhook, err := standardwebhooks.NewWebhook(secret)
	return err == nil && webhook.VerifyIgnoringTimestamp(body, headers) == nil
}

func verify(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var content struct{ Vectors []vector }
	if err := json.Unmarshal(text, &content); err != nil {
		return err
	}
	for _, vector := range content.Vectors {
		headers := http.Header{}
		for name, value := range vector.Headers {
			headers.Set(name, value)
		}
		// While a secret is replaced, a receiver has two, and accepts a signature of either.
		var service, webhook bool
		for _, secret := range vector.Secrets {
			service = service || signatures.HasServiceSignature(secret, headers, vector.Body)
			webhook = webhook || hasWebhookSignature(secret, headers, vector.Body)
		}
		name := filepath.Base(file) + ": " + vector.Name
		compare(name+": Service-Signature", service, vector.Expected.ServiceSignature)
		compare(name+": webhook-signature", webhook, vector.Expected.WebhookSignature)
	}
	return nil
}

func compare(check string, accepted, expected bool) {
	report.Check(check, accepted == expected, fmt.Sprintf("accepted: %t, expected: %t", accepted, expected))
}

func main() {
	for _, file := range os.Args[1:] {
		if err := verify(file); err != nil {
			log.Fatal(err)
		}
	}
}
