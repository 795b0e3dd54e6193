// Proves a server from outside, as CI runs it:
//
//	prove conformance ADDRESS FILE...
//	prove small-messages ADDRESS
//	prove restart ADDRESS SECONDS
//	prove replicas ADDRESS[,ADDRESS...] SECONDS
//	prove speed ADDRESS
package main

import (
	"fmt"
	"log"
	"os"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"

	sudokuv1 "sudoku-validator/clients/go/gen/sudoku/v1"
)

const serviceConfig = `{"methodConfig": [{
	"name": [{"service": "sudoku.v1.SudokuService"}],
	"retryPolicy": {
		"maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2,
		"retryableStatusCodes": ["UNAVAILABLE"]
	}
}]}`

// tally counts what was proved. It prints as the line that closes a run.
type tally struct{ passed, failed int }

func (t tally) String() string { return fmt.Sprintf("%d passed, %d failed", t.passed, t.failed) }

func (t tally) plus(other tally) tally {
	return tally{t.passed + other.passed, t.failed + other.failed}
}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 {
		log.Fatal("usage: prove conformance|small-messages|restart|replicas|speed ADDRESS ...")
	}
	result, err := prove(os.Args[1], os.Args[2], os.Args[3:])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result)
	if result.failed > 0 || result.passed == 0 {
		os.Exit(1)
	}
}

func prove(subcommand, address string, rest []string) (tally, error) {
	switch subcommand {
	case "small-messages":
		return smallMessages(address)
	case "replicas":
		period, err := seconds(rest)
		if err != nil {
			return tally{}, err
		}
		return replicas(address, period)
	}
	client, conn, err := connect(address)
	if err != nil {
		return tally{}, err
	}
	defer conn.Close()
	switch subcommand {
	case "conformance":
		return conformance(client, rest)
	case "speed":
		return speed(client), nil
	case "restart":
		period, err := seconds(rest)
		if err != nil {
			return tally{}, err
		}
		return restart(client, period), nil
	}
	return tally{}, fmt.Errorf("no subcommand %q", subcommand)
}

func seconds(arguments []string) (time.Duration, error) {
	if len(arguments) != 1 {
		return 0, fmt.Errorf("a number of seconds is missing")
	}
	number, err := strconv.Atoi(arguments[0])
	return time.Duration(number) * time.Second, err
}

func connect(address string, more ...grpc.DialOption) (
	sudokuv1.SudokuServiceClient, *grpc.ClientConn, error,
) {
	options := append([]grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(serviceConfig),
		// By default the wait before a new connection grows to two minutes, longer than any call here.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff: backoff.Config{
				BaseDelay: 100 * time.Millisecond, Multiplier: 2, Jitter: 0.2, MaxDelay: time.Second,
			},
			MinConnectTimeout: 5 * time.Second,
		}),
	}, more...)
	conn, err := grpc.NewClient(address, options...)
	if err != nil {
		return nil, nil, err
	}
	return sudokuv1.NewSudokuServiceClient(conn), conn, nil
}
