package main

import (
	"context"
	"fmt"
	"io"
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

// restart calls a server for a while, as somebody else restarts it.
func restart(client sudokuv1.SudokuServiceClient, period time.Duration) tally {
	end := time.Now().Add(period)
	calls := make(chan tally)
	go func() { calls <- callUntil(client, end) }()
	messages, resumes := streamUntil(client, end)
	unary := <-calls
	fmt.Printf("calls: %d, stream messages: %d, resumes: %d\n",
		unary.passed+unary.failed, messages.passed+messages.failed, resumes)
	return unary.plus(messages)
}

// callUntil calls Validate again and again, until the end or the first failure.
func callUntil(client sudokuv1.SudokuServiceClient, end time.Time) tally {
	var result tally
	for time.Now().Before(end) {
		b := []board{classic, conflicting}[result.passed%2]
		if err := call(client, b); err != nil {
			fmt.Printf("call %d: %v\n", result.passed, err)
			result.failed++
			break
		}
		result.passed++
	}
	return result
}

// call makes one call, whose deadline holds for all its tries.
func call(client sudokuv1.SudokuServiceClient, b board) error {
	ctx, cancel := context.WithTimeout(context.Background(), callDeadline)
	defer cancel()
	request := &sudokuv1.ValidateRequest{Board: &sudokuv1.Board{Cells: b.cells}}
	expected := &sudokuv1.ValidateResponse{Verdict: b.verdict()}
	for {
		response, err := client.Validate(ctx, request, grpc.WaitForReady(true))
		if status.Code(err) == codes.Unavailable && ctx.Err() == nil {
			time.Sleep(unavailableWait)
			continue
		}
		if err == nil && !proto.Equal(response, expected) {
			err = fmt.Errorf("%v, expected %v", response, expected)
		}
		return err
	}
}

// streamUntil streams numbered messages until the end. It counts the messages, and how often the
// stream broke and was resumed.
func streamUntil(client sudokuv1.SudokuServiceClient, end time.Time) (tally, int) {
	ctx, cancel := context.WithDeadline(context.Background(), end.Add(streamGrace))
	defer cancel()
	answered, sent, resumes := 0, 0, 0
	for {
		var err error
		answered, sent, err = resume(ctx, client, answered, sent, end)
		if status.Code(err) == codes.Unavailable && ctx.Err() == nil {
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
func resume(
	ctx context.Context, client sudokuv1.SudokuServiceClient, answered, sent int, end time.Time,
) (int, int, error) {
	ctx, cancel := context.WithCancel(ctx)
	stream, err := client.ValidateMany(ctx, grpc.WaitForReady(true))
	if err != nil {
		cancel()
		return answered, sent, err
	}
	next := make(chan int)
	go func() { next <- sendFrom(stream, answered, sent, end) }()
	answered, err = receiveFrom(stream, answered)
	cancel() // Ends the sender too.
	return answered, max(sent, <-next), err
}

// sendFrom sends messages until the end, and always those that a broken stream had sent before. It
// returns the number of the first message that it did not send.
func sendFrom(
	stream sudokuv1.SudokuService_ValidateManyClient, first, sent int, end time.Time,
) int {
	k := first
	for ; k < sent || time.Now().Before(end); k++ {
		request, _ := numbered(k)
		if stream.Send(request) != nil {
			return k // The stream is over, and Recv says why.
		}
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
