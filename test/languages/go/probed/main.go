// Command probed is a receiver by hand on loopback. It verifies Service-Signature, and prints its port.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20))
	mac := hmac.New(sha256.New, []byte(os.Getenv("TRADEPOST_WEBHOOK_SECRET")))
	mac.Write(body)
	expected := hex.EncodeToString(mac.Sum(nil))
	var event struct {
		Event string `json:"event"`
	}
	isGenuine := err == nil && hmac.Equal([]byte(expected), []byte(request.Header.Get("Service-Signature")))
	if !isGenuine || json.Unmarshal(body, &event) != nil || event.Event == "" {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	response.WriteHeader(http.StatusNoContent)
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(listener, http.HandlerFunc(receive)))
}
