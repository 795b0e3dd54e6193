package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"google.golang.org/protobuf/proto"

	sudokuv1 "sudoku-validator/clients/go/gen/sudoku/v1"
)

const (
	// How long messages are sent; the last answers come a moment later.
	sendFor       = 4 * time.Second
	speedDeadline = time.Minute
)

// speed measures what one stream carries, with one board a message and with a thousand.
func speed(client sudokuv1.SudokuServiceClient) tally {
	var result tally
	measure := func(perMessage int) float64 {
		rate, err := boardsPerSecond(client, perMessage)
		if err != nil {
			fmt.Println(err)
			result.failed++
			return 0
		}
		result.passed++
		return rate
	}
	fmt.Printf("one by one: %.0f boards/s, by the thousand: %.0f boards/s\n",
		measure(1), measure(1000))
	return result
}

func boardsPerSecond(client sudokuv1.SudokuServiceClient, perMessage int) (float64, error) {
	requests, answers := mixed(perMessage)
	ctx, cancel := context.WithTimeout(context.Background(), speedDeadline)
	defer cancel()
	stream, err := client.ValidateMany(ctx)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	sent := make(chan int, 1)
	go func() {
		k := 0
		for time.Since(start) < sendFor && stream.Send(requests[k%len(requests)]) == nil {
			k++
		}
		sent <- k
		stream.CloseSend()
	}()
	for k := 0; ; k++ {
		response, err := stream.Recv()
		if err == io.EOF {
			if total := <-sent; k != total {
				return 0, fmt.Errorf("%d answers to %d messages", k, total)
			}
			return float64(k*perMessage) / time.Since(start).Seconds(), nil
		}
		if err == nil && !proto.Equal(response, answers[k%len(answers)]) {
			err = fmt.Errorf("message %d has a wrong answer: %v", k, response)
		}
		if err != nil {
			return 0, err
		}
	}
}

// mixed makes messages of valid and invalid boards, each message in another order than the one
// before, and their answers.
func mixed(perMessage int) ([]*sudokuv1.ValidateManyRequest, []*sudokuv1.ValidateManyResponse) {
	samples := []board{classic, solved, conflicting, empty, classic, pair, solved}
	var requests []*sudokuv1.ValidateManyRequest
	var answers []*sudokuv1.ValidateManyResponse
	for k := range samples {
		boards := make([]board, perMessage)
		for i := range boards {
			boards[i] = samples[(k+i)%len(samples)]
		}
		request, answer := ask(boards...)
		requests, answers = append(requests, request), append(answers, answer)
	}
	return requests, answers
}
