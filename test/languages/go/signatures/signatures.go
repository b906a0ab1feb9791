// Package signatures shows how a receiver in Go verifies a delivery: over the raw body, before it parses it.
package signatures

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// HasServiceSignature reports whether Service-Signature is right. Its key is the whole text of the secret, with
// whsec_.
func HasServiceSignature(secret string, headers http.Header, body []byte) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	expected := hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(expected), []byte(headers.Get("Service-Signature")))
}

// HasWebhookSignature reports whether the Standard Webhooks library accepts a delivery: its ID, its timestamp and
// its body.
func HasWebhookSignature(secret string, headers http.Header, body []byte) bool {
	webhook, err := standardwebhooks.NewWebhook(secret)
	return err == nil && webhook.Verify(body, headers) == nil
}
