package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

const (
	runs           = 5
	messagesPerRun = 50_000
	pause          = 2 * time.Second
	runDeadline    = 2 * time.Minute
)

// smallMessages streams messages of one board to a reader that pauses, so that they pile up in every
// buffer on the way. An HTTP/2 library may take that for an attack and end the connection.
func smallMessages(address string) (tally, error) {
	var result tally
	for run := 1; run <= runs; run++ {
		answers, err := smallMessagesRun(address)
		fmt.Printf("run %d: %d right answers, %v\n", run, answers, status.Code(err))
		if err == nil && answers == messagesPerRun {
			result.passed++
			continue
		}
		result.failed++
		if err != nil {
			fmt.Println(err)
		}
	}
	return result, nil
}

// smallMessagesRun counts right answers until the stream ends.
func smallMessagesRun(address string) (int, error) {
	// A retry could hide a connection that was ended.
	client, conn, err := connect(address, grpc.WithDisableRetry())
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.Background(), runDeadline)
	defer cancel()
	stream, err := client.ValidateMany(ctx)
	if err != nil {
		return 0, err
	}
	request, expected := ask(conflicting)
	go func() {
		for range messagesPerRun {
			if stream.Send(request) != nil {
				return // The stream is over, and Recv says why.
			}
		}
		stream.CloseSend()
	}()
	for right := 0; ; right++ {
		response, err := stream.Recv()
		if err == io.EOF {
			return right, nil
		}
		if err == nil && !proto.Equal(response, expected) {
			err = fmt.Errorf("%v, expected %v", response, expected)
		}
		if err != nil {
			return right, err
		}
		if right == 0 {
			time.Sleep(pause)
		}
	}
}
