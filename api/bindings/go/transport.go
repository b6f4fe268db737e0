package dynolith

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// endpoint names no host: should a client of Config be given another transport, its calls reach nobody.
const endpoint = "http://dynolith.invalid"

// Config is for dynamodb.NewFromConfig and dynamodbstreams.NewFromConfig: this database behind the SDK, in its region and with
// credentials that mean nothing.
func (d *Database) Config() aws.Config {
	credentials := aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local", Source: "dynolith"}
	return aws.Config{
		Region:       d.region,
		BaseEndpoint: aws.String(endpoint),
		HTTPClient:   d.Transport(),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return credentials, nil
		}),
	}
}

// Transport is this database in place of a connection: for http.Client, and for aws.Config.HTTPClient as it is.
func (d *Database) Transport() *Transport { return &Transport{database: d} }

// Transport is an http.RoundTripper and an aws.HTTPClient. Where a request goes does not matter.
type Transport struct {
	database *Database
}

// Do is RoundTrip.
func (t *Transport) Do(request *http.Request) (*http.Response, error) { return t.RoundTrip(request) }

// RoundTrip returns when the context ends; the call itself goes on then, as it would on a server.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := bodyOf(request)
	if err != nil {
		return nil, err
	}
	ctx := request.Context()
	found, err := t.wait(ctx, request, body)
	if err != nil {
		return nil, err
	}
	if err := sleep(ctx, found.delay); err != nil {
		return nil, err
	}
	if found.isDropped {
		return nil, &net.OpError{Op: "read", Net: "dynolith", Err: syscall.ECONNRESET}
	}
	return responseOf(request, found), nil
}

// ofOneItem are calls of microseconds while nobody waits for a disk: less than it takes to watch a context beside them.
var ofOneItem = map[string]bool{
	"DynamoDB_20120810.GetItem":    true,
	"DynamoDB_20120810.PutItem":    true,
	"DynamoDB_20120810.UpdateItem": true,
	"DynamoDB_20120810.DeleteItem": true,
}

// wait calls; beside it, the context is watched if it can end first.
func (t *Transport) wait(ctx context.Context, request *http.Request, body []byte) (answer, error) {
	target, accessKey, host := request.Header.Get("X-Amz-Target"), accessKeyOf(request), hostOf(request)
	if err := ctx.Err(); err != nil {
		return answer{}, err
	}
	if ctx.Done() == nil || (t.database.isInMemory && ofOneItem[target]) {
		return t.call(target, body, accessKey, host)
	}
	type result struct {
		found answer
		err   error
	}
	results := make(chan result, 1)
	go func() {
		found, err := t.call(target, body, accessKey, host)
		results <- result{found, err}
	}()
	select {
	case called := <-results:
		return called.found, called.err
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
}

func (t *Transport) call(target string, body []byte, accessKey, host string) (found answer, err error) {
	err = t.database.whileOpen(func(opened handle) (err error) {
		found, err = opened.call(target, body, accessKey, host)
		return err
	})
	return found, err
}

func bodyOf(request *http.Request) ([]byte, error) {
	if request.Body == nil {
		return nil, nil
	}
	defer request.Body.Close()
	var body bytes.Buffer
	if request.ContentLength > 0 {
		body.Grow(int(request.ContentLength) + bytes.MinRead)
	}
	_, err := body.ReadFrom(request.Body)
	return body.Bytes(), err
}

// accessKeyOf is who signed: "AWS4-HMAC-SHA256 Credential=KEY/20260131/…".
func accessKeyOf(request *http.Request) string {
	_, credential, _ := strings.Cut(request.Header.Get("Authorization"), "Credential=")
	key, _, _ := strings.Cut(credential, "/")
	return key
}

func hostOf(request *http.Request) string {
	if request.Host != "" {
		return request.Host
	}
	return request.URL.Host
}

// sleep ends early with the context's error.
func sleep(ctx context.Context, delay time.Duration) error {
	if delay <= 0 {
		return nil
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func responseOf(request *http.Request, found answer) *http.Response {
	header := http.Header{
		"X-Amzn-Requestid": {found.requestID},
		"X-Amz-Crc32":      {strconv.FormatUint(uint64(found.crc32), 10)},
	}
	if found.contentType != "" {
		header["Content-Type"] = []string{found.contentType}
	}
	return &http.Response{
		Status:        strconv.Itoa(found.status) + " " + http.StatusText(found.status),
		StatusCode:    found.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        header,
		Body:          io.NopCloser(bytes.NewReader(found.body)),
		ContentLength: int64(len(found.body)),
		Request:       request,
	}
}
