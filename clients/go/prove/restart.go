package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	sudokuv1 "sudoku-validator/clients/go/gen/sudoku/v1"
)

const (
	callDeadline = 10 * time.Second
	// What the last stream may take after the end, to get its last answers.
	streamGrace = time.Minute
	// The wait of the loops that go on where the library's own retries end.
	unavailableWait = 50 * time.Millisecond
)

// load is what is called, until when, how long each loop rests after a call or a message, and which
// statuses a stream is resumed after.
type load struct {
	client sudokuv1.SudokuServiceClient
	end    time.Time
	pause  time.Duration
	broken []codes.Code
}

// restart calls a server for a while, as somebody else restarts it.
func restart(client sudokuv1.SudokuServiceClient, period time.Duration) tally {
	l := load{
		client: client, end: time.Now().Add(period), broken: []codes.Code{codes.Unavailable},
	}
	calls := make(chan tally)
	go func() { calls <- l.call(callAgain) }()
	messages, resumes := l.stream()
	unary := <-calls
	fmt.Printf("calls: %d, stream messages: %d, resumes: %d\n",
		unary.passed+unary.failed, messages.passed+messages.failed, resumes)
	return unary.plus(messages)
}

// caller makes one call, within a deadline that holds for all its tries.
type caller func(context.Context, sudokuv1.SudokuServiceClient, board) error

// call calls Validate again and again, until the end or the first failure.
func (l load) call(call caller) tally {
	var result tally
	for time.Now().Before(l.end) {
		b := []board{classic, conflicting}[result.passed%2]
		ctx, cancel := context.WithTimeout(context.Background(), callDeadline)
		err := call(ctx, l.client, b)
		cancel()
		if err != nil {
			fmt.Printf("call %d: %v\n", result.passed, err)
			result.failed++
			break
		}
		result.passed++
		time.Sleep(l.pause)
	}
	return result
}

// callAgain goes on where the library's own retries end.
func callAgain(ctx context.Context, client sudokuv1.SudokuServiceClient, b board) error {
	for {
		err := callOnce(ctx, client, b, grpc.WaitForReady(true))
		if status.Code(err) != codes.Unavailable || ctx.Err() != nil {
			return err
		}
		time.Sleep(unavailableWait)
	}
}

func callOnce(
	ctx context.Context, client sudokuv1.SudokuServiceClient, b board, options ...grpc.CallOption,
) error {
	request := &sudokuv1.ValidateRequest{Board: &sudokuv1.Board{Cells: b.cells}}
	expected := &sudokuv1.ValidateResponse{Verdict: b.verdict()}
	response, err := client.Validate(ctx, request, options...)
	if err == nil && !proto.Equal(response, expected) {
		err = fmt.Errorf("%v, expected %v", response, expected)
	}
	return err
}

// stream streams numbered messages until the end. It counts the messages, and how often the stream
// broke and was resumed.
func (l load) stream() (tally, int) {
	ctx, cancel := context.WithDeadline(context.Background(), l.end.Add(streamGrace))
	defer cancel()
	answered, sent, resumes := 0, 0, 0
	for {
		var err error
		answered, sent, err = l.resume(ctx, answered, sent)
		if slices.Contains(l.broken, status.Code(err)) && ctx.Err() == nil {
			resumes++
			time.Sleep(unavailableWait)
			continue
		}
		if err == nil && answered != sent {
			err = fmt.Errorf("the stream ended after %d answers to %d messages", answered, sent)
		}
		result := tally{passed: answered}
		if err != nil {
			fmt.Printf("message %d: %v\n", answered, err)
			result.failed = max(1, sent-answered)
		}
		return result, resumes
	}
}

// resume opens a stream that begins with the first unanswered message, and says how many messages
// were answered and sent when it is over.
func (l load) resume(ctx context.Context, answered, sent int) (int, int, error) {
	ctx, cancel := context.WithCancel(ctx)
	stream, err := l.client.ValidateMany(ctx, grpc.WaitForReady(true))
	if err != nil {
		cancel()
		return answered, sent, err
	}
	next := make(chan int)
	go func() { next <- l.sendFrom(stream, answered, sent) }()
	answered, err = receiveFrom(stream, answered)
	cancel() // Ends the sender too.
	return answered, max(sent, <-next), err
}

// sendFrom sends messages until the end, and always those that a broken stream had sent before. It
// returns the number of the first message that it did not send.
func (l load) sendFrom(
	stream sudokuv1.SudokuService_ValidateManyClient, first, sent int,
) int {
	k := first
	for ; k < sent || time.Now().Before(l.end); k++ {
		request, _ := numbered(k)
		if stream.Send(request) != nil {
			return k // The stream is over, and Recv says why.
		}
		time.Sleep(l.pause)
	}
	stream.CloseSend()
	return k
}

// receiveFrom checks answers, and returns the number of the first message without a right one.
func receiveFrom(stream sudokuv1.SudokuService_ValidateManyClient, first int) (int, error) {
	for k := first; ; k++ {
		response, err := stream.Recv()
		if err == io.EOF {
			return k, nil
		}
		if err != nil {
			return k, err
		}
		if _, expected := numbered(k); !proto.Equal(response, expected) {
			return k, fmt.Errorf("%v, expected %v", response, expected)
		}
	}
}

// numbered is message k and its answer: no answer to one of its neighbours is right for it.
func numbered(k int) (*sudokuv1.ValidateManyRequest, *sudokuv1.ValidateManyResponse) {
	boards := make([]board, 1+k%3)
	for i := range boards {
		boards[i] = []board{conflicting, classic}[(k+i)%2]
	}
	return ask(boards...)
}
