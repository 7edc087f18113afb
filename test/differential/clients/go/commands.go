package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"reflect"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

const longestBody = 100_000

type command struct {
	Operation  string          `json:"operation"`
	Parameters json.RawMessage `json:"parameters"`
	By         string          `json:"by"`
	Body       *body           `json:"body"`
	Streamed   bool            `json:"streamed"`
	Expect     bool            `json:"expect"`
	Presigned  bool            `json:"presigned"`
	Headers    [][2]string     `json:"headers"`
}

type body struct {
	Block  []byte `json:"block"`
	Size   int    `json:"size"`
	EndsAt *int   `json:"endsAt"`
}

type outcome struct {
	Status      int               `json:"status,omitempty"`
	Headers     map[string]string `json:"headers,omitempty"`
	Body        content           `json:"body"`
	Error       string            `json:"error,omitempty"`
	Detail      string            `json:"detail,omitempty"`
	Connections int               `json:"connections"`
}

type content struct {
	Size   int    `json:"size"`
	Sha256 string `json:"sha256"`
	Base64 []byte `json:"base64,omitempty"`
}

// clients differ in their credentials, and share a connection.
type clients struct {
	recorder *recorder
	by       map[string]*s3.Client
}

func newClients() *clients {
	key, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	made := &clients{recorder: newRecorder(), by: map[string]*s3.Client{}}
	for name, provider := range map[string]aws.CredentialsProvider{
		"owner":     credentials.NewStaticCredentialsProvider(key, secret, ""),
		"stranger":  credentials.NewStaticCredentialsProvider(key, "a-wrong-secret", ""),
		"anonymous": aws.AnonymousCredentials{},
	} {
		made.by[name] = s3.New(s3.Options{
			BaseEndpoint: aws.String(os.Getenv("S3_ENDPOINT")),
			Region:       "us-east-1",
			UsePathStyle: true,
			Credentials:  provider,
			HTTPClient:   made.recorder,
			Retryer:      aws.NopRetryer{},
		})
	}
	return made
}

func (c *clients) outcomeOf(asked command) outcome {
	c.recorder.response, c.recorder.content = nil, nil
	err := c.execute(asked)
	answered := c.recorder.content
	sum := sha256.Sum256(answered)
	result := outcome{
		Body:        content{Size: len(answered), Sha256: hex.EncodeToString(sum[:])},
		Connections: c.recorder.connections,
	}
	if len(answered) <= longestBody {
		result.Body.Base64 = answered
	}
	if response := c.recorder.response; response != nil {
		result.Status = response.StatusCode
		result.Headers = map[string]string{}
		for name, values := range response.Header {
			result.Headers[strings.ToLower(name)] = strings.Join(values, ", ")
		}
	}
	if err != nil {
		result.Error, result.Detail = errorOf(err), err.Error()
	}
	return result
}

func errorOf(err error) string {
	var ofStore smithy.APIError
	var ofNetwork net.Error
	var sending *smithyhttp.RequestSendError
	switch {
	case errors.Is(err, errAborted):
		return "aborted"
	case errors.As(err, &ofStore):
		return ofStore.ErrorCode()
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &ofNetwork) && ofNetwork.Timeout():
		return "timeout"
	case errors.As(err, &sending), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection"
	}
	return fmt.Sprintf("%T", err)
}

func (c *clients) execute(asked command) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	defer cancel()
	by := asked.By
	if by == "" {
		by = "owner"
	}
	if asked.Operation == "Request" {
		var plain struct{ Method, Target string }
		if err := json.Unmarshal(asked.Parameters, &plain); err != nil {
			return err
		}
		return c.send(ctx, asked, plain.Method, os.Getenv("S3_ENDPOINT")+plain.Target)
	}
	if asked.Presigned {
		method := reflect.ValueOf(s3.NewPresignClient(c.by[by])).MethodByName("Presign" + asked.Operation)
		input, err := inputOf(method, asked)
		if err != nil {
			return err
		}
		results := method.Call([]reflect.Value{reflect.ValueOf(ctx), input})
		if err, failed := results[1].Interface().(error); failed {
			return err
		}
		signed := results[0].Interface().(*v4.PresignedHTTPRequest)
		return c.send(ctx, asked, signed.Method, signed.URL)
	}
	method := reflect.ValueOf(c.by[by]).MethodByName(asked.Operation)
	input, err := inputOf(method, asked)
	if err != nil {
		return err
	}
	results := method.Call([]reflect.Value{reflect.ValueOf(ctx), input, reflect.ValueOf(optionsOf(asked))})
	err, _ = results[1].Interface().(error)
	return err
}

func optionsOf(asked command) func(*s3.Options) {
	return func(options *s3.Options) {
		options.ContinueHeaderThresholdBytes = -1
		if asked.Expect {
			options.ContinueHeaderThresholdBytes = 1
		}
		for _, header := range asked.Headers {
			options.APIOptions = append(options.APIOptions, smithyhttp.SetHeaderValue(header[0], header[1]))
		}
		if asked.Body != nil && (asked.Body.EndsAt != nil || asked.Streamed) {
			options.APIOptions = append(options.APIOptions, func(stack *middleware.Stack) error {
				return ignoreMissing(v4.SwapComputePayloadSHA256ForUnsignedPayloadMiddleware(stack))
			})
		}
	}
}

// Some operations have no payload hash to replace.
func ignoreMissing(error) error {
	return nil
}

// inputOf reads an operation's input from JSON: the fields are called as in AWS's API model.
func inputOf(method reflect.Value, asked command) (reflect.Value, error) {
	if !method.IsValid() {
		return reflect.Value{}, fmt.Errorf("the SDK has no %s", asked.Operation)
	}
	input := reflect.New(method.Type().In(1).Elem())
	if err := json.Unmarshal(asked.Parameters, input.Interface()); err != nil {
		return reflect.Value{}, err
	}
	if asked.Body != nil && !asked.Presigned {
		input.Elem().FieldByName("Body").Set(reflect.ValueOf(asked.Body.reader(asked.Streamed)))
		if length := input.Elem().FieldByName("ContentLength"); length.IsValid() && length.IsNil() {
			length.Set(reflect.ValueOf(aws.Int64(int64(asked.Body.Size))))
		}
	}
	return input, nil
}

func (b *body) bytes() []byte {
	if b == nil {
		return nil
	}
	return bytes.Repeat(b.Block, b.Size/max(len(b.Block), 1)+1)[:b.Size]
}

func (b *body) reader(streamed bool) io.Reader {
	switch {
	case b.EndsAt != nil:
		return &abortedBody{bytes.NewReader(b.bytes()[:*b.EndsAt])}
	case streamed:
		return streamedBody{bytes.NewReader(b.bytes())}
	}
	return bytes.NewReader(b.bytes())
}

// send sends a request that is no operation of the SDK.
func (c *clients) send(ctx context.Context, asked command, method, url string) error {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(asked.Body.bytes()))
	if err != nil {
		return err
	}
	if !asked.Presigned {
		for _, header := range asked.Headers {
			request.Header.Set(header[0], header[1])
		}
	}
	if asked.Expect {
		request.Header.Set("Expect", "100-continue")
	}
	if _, err = c.recorder.Do(request); err != nil {
		return &smithyhttp.RequestSendError{Err: err}
	}
	return nil
}
