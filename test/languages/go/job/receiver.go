package main

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"time"
)

type delivery struct {
	headers http.Header
	body    []byte
}

// receiver is a receiver of deliveries on loopback. It queues each one and acknowledges it.
type receiver struct {
	*httptest.Server
	received chan delivery
}

func startReceiver() *receiver {
	received := make(chan delivery, 10)
	handler := func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		received <- delivery{request.Header, body}
		response.WriteHeader(http.StatusNoContent)
	}
	return &receiver{httptest.NewServer(http.HandlerFunc(handler)), received}
}

func (r *receiver) next() (delivery, error) {
	select {
	case delivery := <-r.received:
		return delivery, nil
	case <-time.After(20 * time.Second):
		return delivery{}, errors.New("no delivery arrived within 20 seconds")
	}
}
