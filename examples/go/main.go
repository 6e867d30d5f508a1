// Command dueday reads a Dueday service with Go's standard library alone (1.19 or later).
//
//	go run main.go readiness http://localhost:8790
//	go run main.go events http://localhost:8790 [after-seq]
//	WEBHOOK_SECRET=whsec_... PORT=4000 go run main.go webhooks
//
// With the library of Standard Webhooks (github.com/standard-webhooks/standard-webhooks/libraries/go), verify below is
// NewWebhook(secret) and its Verify(body, headers).
package main

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	toleranceSeconds = 300
	mostSilence      = 45 * time.Second
)

// Event has what all events have; Data depends on Type.
type Event struct {
	Seq  int64           `json:"seq"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// readiness is what remit() would settle now.
func readiness(api string) (json.RawMessage, error) {
	client := http.Client{Timeout: 15 * time.Second}
	answer, err := client.Get(api + "/remit/readiness")
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", answer.Status, body)
	}
	return body, err
}

// follow calls handle with each event, oldest first, until the stream ends, and returns the last seq. Call it again with that seq.
func follow(api string, after string, handle func(Event)) (string, error) {
	url := api + "/events"
	if after != "" {
		url += "?after=" + after
	}
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return after, err
	}
	request.Header.Set("Accept", "text/event-stream")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return after, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return after, fmt.Errorf("the stream could not be opened: %s", answer.Status)
	}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	var data []string
	// The service sends a comment every 15 s, so silence for longer is a broken connection.
	silence := time.AfterFunc(mostSilence, func() { answer.Body.Close() })
	defer silence.Stop()
	for ; lines.Scan(); silence.Reset(mostSilence) {
		silence.Stop()
		line := lines.Text()
		if strings.HasPrefix(line, "data:") {
			data = append(data, strings.TrimPrefix(line[len("data:"):], " "))
			continue
		}
		if line != "" || len(data) == 0 {
			continue
		}
		var event Event
		if err := json.Unmarshal([]byte(strings.Join(data, "\n")), &event); err != nil {
			return after, err
		}
		data = nil
		after = strconv.FormatInt(event.Seq, 10)
		handle(event)
	}
	return after, lines.Err()
}

// verify returns the event of a webhook after its signature and time were verified. body are the bytes that arrived.
func verify(body []byte, header http.Header, secret string, now time.Time) (Event, error) {
	var event Event
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	sentAt, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || id == "" {
		return event, errors.New("a webhook-* header is missing or malformed")
	}
	if age := now.Unix() - sentAt; age > toleranceSeconds || age < -toleranceSeconds {
		return event, errors.New("the time of the request is too far from this machine's")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return event, err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// There are two while a secret is being replaced.
	for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(expected), []byte(given)) {
			err := json.Unmarshal(body, &event)
			return event, err
		}
	}
	return event, errors.New("the request was not signed with this secret, or was changed on the way")
}

// receive prints the type of each event once. A receiver of your own stores the webhook-id together with what it does.
func receive(secret string) http.HandlerFunc {
	var mutex sync.Mutex
	handled := map[string]bool{}
	return func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(io.LimitReader(request.Body, 1<<20))
		if err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		event, err := verify(body, request.Header, secret, time.Now())
		if err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		if event.Type == "webhook.challenge" {
			var data struct{ Challenge string }
			if err := json.Unmarshal(event.Data, &data); err != nil {
				http.Error(response, err.Error(), http.StatusBadRequest)
				return
			}
			fmt.Fprint(response, data.Challenge)
			return
		}
		mutex.Lock()
		defer mutex.Unlock()
		if id := request.Header.Get("webhook-id"); !handled[id] {
			handled[id] = true
			fmt.Println(event.Type)
		}
		response.WriteHeader(http.StatusNoContent)
	}
}

func main() {
	arguments := append(os.Args[1:], "", "", "")
	switch what, api, after := arguments[0], arguments[1], arguments[2]; what {
	case "readiness":
		answer, err := readiness(api)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(answer))
	case "events":
		for {
			last, err := follow(api, after, func(event Event) { fmt.Println(event.Seq, event.Type) })
			if err != nil {
				log.Print(err)
			}
			after = last
			time.Sleep(time.Second)
		}
	case "webhooks":
		port := os.Getenv("PORT")
		if port == "" {
			port = "4000"
		}
		log.Fatal(http.ListenAndServe("127.0.0.1:"+port, receive(os.Getenv("WEBHOOK_SECRET"))))
	default:
		log.Fatal("usage: readiness URL | events URL [after-seq] | webhooks")
	}
}
