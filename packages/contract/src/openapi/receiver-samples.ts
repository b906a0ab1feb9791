import type { CodeSample } from './code-samples';

/** How a receiver verifies a delivery and reads its event, in several languages. */
export const receiverSamples: CodeSample[] = [
  {
    lang: 'TypeScript',
    label: 'TypeScript (SDK)',
    source: `import { verifyWebhook } from '@tradepost/sdk/webhooks';

export async function receive(request: Request): Promise<Response> {
  const event = await verifyWebhook({
    payload: request,
    secret: process.env.TRADEPOST_WEBHOOK_SECRET,
    requireTimestamp: true,
  });
  // It may arrive again: skip a webhook-id that you have handled, or use webhookReceiver, which does.
  if (event.event === 'order.status_changed') console.log(event.data.orderId, event.data.status);
  return new Response(null, { status: 204 });
}`,
  },
  {
    lang: 'Python',
    label: 'Python',
    source: `import os

from standardwebhooks import Webhook


def receive(headers: dict[str, str], body: bytes) -> None:
    """Raises WebhookVerificationError or ValueError if the delivery is not genuine."""
    event = Webhook(os.environ["TRADEPOST_WEBHOOK_SECRET"]).verify(body, headers)
    # It may arrive again: skip a webhook-id that you have handled.
    if event["event"] == "order.status_changed":
        print(event["data"]["orderId"], event["data"]["status"])`,
  },
  {
    lang: 'Go',
    label: 'Go',
    source: `package receiver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func Receive(response http.ResponseWriter, request *http.Request) {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("TRADEPOST_WEBHOOK_SECRET"))
	if err != nil {
		http.Error(response, "the secret is not valid", http.StatusInternalServerError)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20))
	if err != nil || webhook.Verify(body, request.Header) != nil {
		http.Error(response, "the delivery is not genuine", http.StatusBadRequest)
		return
	}
	var event struct {
		Event string
		Data  struct{ OrderID, Status string }
	}
	if err := json.Unmarshal(body, &event); err != nil {
		http.Error(response, "the body is not an event", http.StatusBadRequest)
		return
	}
	// It may arrive again: skip a webhook-id that you have handled.
	if event.Event == "order.status_changed" {
		fmt.Println(event.Data.OrderID, event.Data.Status)
	}
	response.WriteHeader(http.StatusNoContent)
}`,
  },
];
