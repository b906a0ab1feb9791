package main

import (
	"fmt"
	"os"

	"tradepost.example/languages/generated/tradepost"
	"tradepost.example/languages/report"
)

// readNewer reports what the client does with values that its document does not list. Enumerations are text, and an
// event of an unknown type is an error only when its value is asked for.
func readNewer() {
	client := connect("TRADEPOST_NEWER_BASE_URL", "TRADEPOST_BUYER_KEY")
	report.Run("reads an order with a new field", func() (string, error) {
		response, err := client.GetOrderWithResponse(ctx, os.Getenv("TRADEPOST_ORDER_ID"), nil)
		if err != nil {
			return "", err
		}
		return string(response.JSON200.Data.Status), nil
	})
	report.Run("lists orders of which one has an unknown status", func() (string, error) {
		response, err := client.ListOrdersWithResponse(ctx, &tradepost.ListOrdersParams{})
		if err != nil {
			return "", err
		}
		status := response.JSON200.Data[0].Status
		return fmt.Sprintf("%s, valid: %t", status, status.Valid()), nil
	})
	report.Run("lists events of which one has an unknown type", func() (string, error) {
		response, err := client.ListEventsWithResponse(ctx, &tradepost.ListEventsParams{})
		if err != nil {
			return "", err
		}
		event := response.JSON200.Data[0]
		name, err := event.Discriminator()
		if err != nil {
			return "", err
		}
		_, err = event.ValueByDiscriminator()
		return fmt.Sprintf("%s, value: %v", name, err), nil
	})
}
