package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"time"
)

const timeLimit = 20 * time.Second

var errAborted = errors.New("the body ends half-way")

// recorder sends each request over one kept connection, and keeps the last response.
type recorder struct {
	transport   *http.Transport
	connections int
	writings    int
	response    *http.Response
	content     []byte
}

func newRecorder() *recorder {
	recorded := &recorder{}
	dialer := &net.Dialer{}
	recorded.transport = &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			recorded.connections++
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			return dialer.DialContext(ctx, network, net.JoinHostPort(os.Getenv("S3_ADDRESS"), port))
		},
		ForceAttemptHTTP2:     os.Getenv("S3_PROTOCOL") == "HTTP/2",
		DisableCompression:    true,
		ExpectContinueTimeout: timeLimit,
	}
	return recorded
}

// Do sends a request, as a client of S3 has it done. Go repeats some requests on its own, which would hide a lost connection.
func (r *recorder) Do(request *http.Request) (*http.Response, error) {
	r.writings = 0
	trace := &httptrace.ClientTrace{WroteHeaders: func() { r.writings++ }}
	response, err := r.transport.RoundTrip(request.WithContext(httptrace.WithClientTrace(request.Context(), trace)))
	if err != nil {
		return nil, err
	}
	if r.writings > 1 {
		return nil, errors.New("the connection was lost, and the request sent again")
	}
	defer response.Body.Close()
	r.response = response
	if r.content, err = io.ReadAll(response.Body); err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(r.content))
	return response, nil
}

// abortedBody fails after some bytes.
type abortedBody struct {
	content io.Reader
}

func (b *abortedBody) Read(into []byte) (int, error) {
	count, err := b.content.Read(into)
	if err == io.EOF {
		err = errAborted
	}
	return count, err
}

// streamedBody hides that its content could be read again.
type streamedBody struct {
	io.Reader
}
