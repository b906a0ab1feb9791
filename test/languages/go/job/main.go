// Job does the main job of an integrator, with a client by oapi-codegen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"tradepost.example/languages/generated/tradepost"
	"tradepost.example/languages/report"
	"tradepost.example/languages/signatures"
)

var (
	ctx     = context.Background()
	listing = os.Getenv("TRADEPOST_LISTING_ID")
	buyer   = connect("TRADEPOST_BASE_URL", "TRADEPOST_BUYER_KEY")
	seller  = connect("TRADEPOST_BASE_URL", "TRADEPOST_SELLER_KEY")
)

func connect(urlVariable, keyVariable string) *tradepost.ClientWithResponses {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv(keyVariable))
		return nil
	}
	client, err := tradepost.NewClientWithResponses(os.Getenv(urlVariable), tradepost.WithRequestEditorFn(authorize))
	if err != nil {
		log.Fatal(err)
	}
	return client
}

// problemOf parses the body of an error response. The generated types have a field for each status as well
// (ApplicationproblemJSON404, …), all of type Problem.
func problemOf(body []byte) (tradepost.Problem, error) {
	var problem tradepost.Problem
	err := json.Unmarshal(body, &problem)
	return problem, err
}

// unexpected returns an error for a response that is not the expected one.
func unexpected(status string, body []byte) error {
	return fmt.Errorf("unexpected response %s: %s", status, body)
}

func placeOrder() (tradepost.Order, error) {
	body := tradepost.CreateOrder{ListingId: listing, Quantity: 1}
	response, err := buyer.CreateOrderWithResponse(ctx, nil, body)
	if err != nil {
		return tradepost.Order{}, err
	}
	if response.JSON201 == nil {
		return tradepost.Order{}, unexpected(response.Status(), response.Body)
	}
	return response.JSON201.Data, nil
}

func setStatus(id string, status tradepost.OrderStatus, etag *string) (*tradepost.UpdateOrderResponse, error) {
	params := &tradepost.UpdateOrderParams{IfMatch: etag}
	return seller.UpdateOrderWithResponse(ctx, id, params, tradepost.UpdateOrder{Status: status})
}

func etagOf(id string) (string, error) {
	response, err := seller.GetOrderWithResponse(ctx, id, nil)
	if err != nil {
		return "", err
	}
	return response.HTTPResponse.Header.Get("ETag"), nil
}

func register(receiver *receiver) (tradepost.CreatedWebhook, error) {
	events := []tradepost.EventType{tradepost.EventTypeOrderCreated}
	body := tradepost.CreateWebhook{Url: receiver.URL, Events: events}
	response, err := buyer.CreateWebhookWithResponse(ctx, nil, body)
	if err != nil {
		return tradepost.CreatedWebhook{}, err
	}
	if response.JSON201 == nil {
		return tradepost.CreatedWebhook{}, unexpected(response.Status(), response.Body)
	}
	return response.JSON201.Data, nil
}

func followCursor() (string, error) {
	status, limit := tradepost.OrderStatusPending, 1
	ids := map[string]bool{}
	filter := string(status)
	params := tradepost.ListOrdersParams{Status: &filter, Limit: &limit}
	for {
		response, err := buyer.ListOrdersWithResponse(ctx, &params)
		if err != nil {
			return "", err
		}
		page := response.JSON200
		if page == nil {
			return "", unexpected(response.Status(), response.Body)
		}
		for _, order := range page.Data {
			if order.Status != status || ids[order.Id] {
				return "", fmt.Errorf("unexpected order %+v", order)
			}
			ids[order.Id] = true
		}
		if page.NextCursor == nil {
			break
		}
		params.Cursor = page.NextCursor
	}
	if len(ids) < 2 {
		return "", fmt.Errorf("%d pending orders", len(ids))
	}
	return fmt.Sprintf("%d pending orders in as many pages", len(ids)), nil
}

func createOnce() (string, error) {
	key := "order-2026-11-23-1"
	params := &tradepost.CreateOrderParams{IdempotencyKey: &key}
	var id string
	for range 2 {
		response, err := buyer.CreateOrderWithResponse(ctx, params, tradepost.CreateOrder{ListingId: listing, Quantity: 2})
		if err != nil {
			return "", err
		}
		if response.JSON201 == nil || id != "" && response.JSON201.Data.Id != id {
			return "", unexpected(response.Status(), response.Body)
		}
		id = response.JSON201.Data.Id
	}
	return id, nil
}

func updateIfMatch() (string, error) {
	order, err := placeOrder()
	if err != nil {
		return "", err
	}
	etag, err := etagOf(order.Id)
	if err != nil {
		return "", err
	}
	response, err := setStatus(order.Id, tradepost.OrderStatusFulfilling, &etag)
	if err != nil {
		return "", err
	}
	if response.JSON200 == nil || response.JSON200.Data.Status != tradepost.OrderStatusFulfilling {
		return "", unexpected(response.Status(), response.Body)
	}
	return etag, nil
}

func updateIfStale() (string, error) {
	order, err := placeOrder()
	if err != nil {
		return "", err
	}
	etag, err := etagOf(order.Id)
	if err != nil {
		return "", err
	}
	if _, err := setStatus(order.Id, tradepost.OrderStatusConfirmed, nil); err != nil {
		return "", err
	}
	response, err := setStatus(order.Id, tradepost.OrderStatusFulfilling, &etag)
	if err != nil {
		return "", err
	}
	problem := response.ApplicationproblemJSON412
	if problem == nil || problem.Code != tradepost.PreconditionFailed {
		return "", unexpected(response.Status(), response.Body)
	}
	return problem.Detail, nil
}

func verifyDelivery() (string, error) {
	receiver := startReceiver()
	defer receiver.Close()
	webhook, err := register(receiver)
	if err != nil {
		return "", err
	}
	order, err := placeOrder()
	if err != nil {
		return "", err
	}
	delivery, err := receiver.next()
	if err != nil {
		return "", err
	}
	if !signatures.HasServiceSignature(webhook.Secret, delivery.headers, delivery.body) ||
		!signatures.HasWebhookSignature(webhook.Secret, delivery.headers, delivery.body) ||
		signatures.HasServiceSignature(webhook.Secret, delivery.headers, append(delivery.body, ' ')) {
		return "", fmt.Errorf("unexpected signatures %v", delivery.headers)
	}
	var event tradepost.WebhookEvent
	if err := json.Unmarshal(delivery.body, &event); err != nil {
		return "", err
	}
	created, err := event.AsOrderCreatedEvent()
	if err != nil || created.Data.OrderId != order.Id {
		return "", fmt.Errorf("unexpected event %s: %w", delivery.body, err)
	}
	return string(created.Event), nil
}

func markRead() (string, error) {
	if _, err := placeOrder(); err != nil {
		return "", err
	}
	isRead := false
	unread, err := seller.ListNotificationsWithResponse(ctx, &tradepost.ListNotificationsParams{Read: &isRead})
	if err != nil {
		return "", err
	}
	if unread.JSON200 == nil || len(unread.JSON200.Data) == 0 {
		return "", unexpected(unread.Status(), unread.Body)
	}
	id := unread.JSON200.Data[0].Id
	response, err := seller.MarkNotificationReadWithResponse(ctx, id, nil, tradepost.UpdateNotification{Read: true})
	if err != nil {
		return "", err
	}
	if response.JSON200 == nil || !response.JSON200.Data.Read {
		return "", unexpected(response.Status(), response.Body)
	}
	return response.JSON200.Data.Message, nil
}

func readEvents() (string, error) {
	order, err := placeOrder()
	if err != nil {
		return "", err
	}
	if _, err := setStatus(order.Id, tradepost.OrderStatusConfirmed, nil); err != nil {
		return "", err
	}
	var createdId, changedId string
	count, limit := 0, 10
	params := tradepost.ListEventsParams{Limit: &limit}
	for {
		response, err := buyer.ListEventsWithResponse(ctx, &params)
		if err != nil {
			return "", err
		}
		if response.JSON200 == nil {
			return "", unexpected(response.Status(), response.Body)
		}
		if len(response.JSON200.Data) == 0 {
			break
		}
		for _, item := range response.JSON200.Data {
			count++
			event, err := item.ValueByDiscriminator()
			if err != nil {
				return "", err
			}
			switch event := event.(type) {
			case tradepost.OrderCreatedAccountEvent:
				if !strings.HasPrefix(event.Id, "evt_") {
					return "", fmt.Errorf("unexpected ID %s", event.Id)
				}
				createdId = event.Data.OrderId
			case tradepost.OrderStatusChangedAccountEvent:
				changedId = event.Data.OrderId
			}
		}
		params.After = &response.JSON200.NextCursor
	}
	if createdId != order.Id || changedId != order.Id {
		return "", fmt.Errorf("the last events are of %s and %s", createdId, changedId)
	}
	return fmt.Sprintf("%d events", count), nil
}

func rotateSecret() (string, error) {
	receiver := startReceiver()
	defer receiver.Close()
	webhook, err := register(receiver)
	if err != nil {
		return "", err
	}
	staged, err := buyer.StageWebhookSecretWithResponse(ctx, webhook.Id, nil)
	if err != nil {
		return "", err
	}
	if staged.JSON201 == nil {
		return "", unexpected(staged.Status(), staged.Body)
	}
	secret := staged.JSON201.Data.Secret
	if _, err := placeOrder(); err != nil {
		return "", err
	}
	between, err := receiver.next()
	if err != nil {
		return "", err
	}
	// One webhook-signature with each secret. Service-Signature still has the old one.
	if !signatures.HasWebhookSignature(webhook.Secret, between.headers, between.body) ||
		!signatures.HasWebhookSignature(secret, between.headers, between.body) {
		return "", fmt.Errorf("unexpected signatures %v", between.headers)
	}
	promoted, err := buyer.PromoteWebhookSecretWithResponse(ctx, webhook.Id, nil)
	if err != nil {
		return "", err
	}
	if promoted.JSON200 == nil || promoted.JSON200.Data.StagedSecretAt != nil {
		return "", unexpected(promoted.Status(), promoted.Body)
	}
	if _, err := placeOrder(); err != nil {
		return "", err
	}
	after, err := receiver.next()
	if err != nil {
		return "", err
	}
	if !signatures.HasServiceSignature(secret, after.headers, after.body) ||
		signatures.HasWebhookSignature(webhook.Secret, after.headers, after.body) {
		return "", fmt.Errorf("unexpected signatures %v", after.headers)
	}
	return "", nil
}

func testAndReplay() (string, error) {
	receiver := startReceiver()
	defer receiver.Close()
	webhook, err := register(receiver)
	if err != nil {
		return "", err
	}
	test := tradepost.SendTestEvent{Event: tradepost.EventTypeTaskCompleted}
	sent, err := buyer.SendTestEventWithResponse(ctx, webhook.Id, nil, test)
	if err != nil {
		return "", err
	}
	if sent.JSON202 == nil {
		return "", unexpected(sent.Status(), sent.Body)
	}
	first, err := receiver.next()
	if err != nil {
		return "", err
	}
	// The receiver has it; until the service has recorded that, the delivery is pending.
	id, state := sent.JSON202.Data.Id, tradepost.DeliveryStatePending
	for state == tradepost.DeliveryStatePending {
		details, err := buyer.GetDeliveryWithResponse(ctx, id, nil)
		if err != nil {
			return "", err
		}
		if details.JSON200 == nil {
			return "", unexpected(details.Status(), details.Body)
		}
		state = details.JSON200.Data.State
	}
	listed, err := buyer.ListDeliveriesWithResponse(ctx, &tradepost.ListDeliveriesParams{WebhookId: &webhook.Id})
	if err != nil {
		return "", err
	}
	if listed.JSON200 == nil || len(listed.JSON200.Data) != 1 || listed.JSON200.Data[0].Id != id {
		return "", unexpected(listed.Status(), listed.Body)
	}
	replayed, err := buyer.ReplayDeliveryWithResponse(ctx, id, nil)
	if err != nil {
		return "", err
	}
	if replayed.JSON202 == nil {
		return "", unexpected(replayed.Status(), replayed.Body)
	}
	second, err := receiver.next()
	if err != nil {
		return "", err
	}
	if first.headers.Get("Tradepost-Test") != "true" || first.headers.Get("webhook-id") != second.headers.Get("webhook-id") {
		return "", fmt.Errorf("unexpected headers %v", second.headers)
	}
	return string(state), nil
}

func notFound() (string, error) {
	response, err := buyer.GetOrderWithResponse(ctx, "ord_00000000000000000000000000", nil)
	if err != nil {
		return "", err
	}
	problem := response.ApplicationproblemJSON404
	if problem == nil || problem.Code != tradepost.OrderNotFound {
		return "", unexpected(response.Status(), response.Body)
	}
	return problem.Detail, nil
}

func invalid() (string, error) {
	response, err := buyer.CreateOrderWithResponse(ctx, nil, tradepost.CreateOrder{ListingId: listing, Quantity: 0})
	if err != nil {
		return "", err
	}
	problem, err := problemOf(response.Body)
	if err != nil {
		return "", err
	}
	if problem.Status != 422 || problem.Code != tradepost.ValidationFailed || problem.Errors == nil ||
		(*problem.Errors)[0].Path != "quantity" {
		return "", unexpected(response.Status(), response.Body)
	}
	return (*problem.Errors)[0].Message, nil
}

func main() {
	if os.Getenv("TRADEPOST_NEWER_BASE_URL") != "" {
		readNewer()
		return
	}
	report.Run("lists orders by status and follows the cursor", followCursor)
	report.Run("creates one order for two requests with one idempotency key", createOnce)
	report.Run("updates an order with If-Match", updateIfMatch)
	report.Run("gets a typed 412 for a stale ETag", updateIfStale)
	report.Run("verifies a delivery to a webhook that it registered", verifyDelivery)
	report.Run("lists notifications and marks one as read", markRead)
	report.Run("lists events with typed data", readEvents)
	report.Run("stages and promotes a secret", rotateSecret)
	report.Run("sends a test event, and lists, gets and replays its delivery", testAndReplay)
	report.Run("gets a typed 404", notFound)
	report.Run("gets a typed 422 with the invalid fields", invalid)
}
