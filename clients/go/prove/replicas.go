package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/health" // Has the library ask for health, as the service config says.
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"

	sudokuv1 "sudoku-validator/clients/go/gen/sudoku/v1"
)

const (
	replicaClients = 4
	// Steady, and well under what two cores can do.
	replicaPause = 4 * time.Millisecond
	// A call on a frozen server may wait until a try is given up, but not until the connection is.
	replicaDeadline = 5 * time.Second
)

// roundRobin is what takes the place of a proxy: the same service config would do with
// dns:///NAME:PORT as the address, where NAME has the addresses of all replicas.
const roundRobin = `"loadBalancingConfig": [{"round_robin": {}}],
	"healthCheckConfig": {"serviceName": "sudoku.v1.SudokuService"}`

// What a stream ends with whose replica drains, and whose replica is killed: a proxy that has passed on
// an answer can only reset the stream then, which is INTERNAL to gRPC.
var brokenReplica = []codes.Code{codes.Unavailable, codes.Internal}

// replicas calls several servers for a while, as somebody else stops and starts them: through a
// proxy, whose address is one, or by round robin over several. No call may fail, and a call that does
// is not made again here: by the proxy, or by the library as the service config has it.
func replicas(list string, period time.Duration) (tally, error) {
	addresses := strings.Split(list, ",")
	end := time.Now().Add(period)
	result := counts{byPeer: map[string]int{}}
	var loops sync.WaitGroup
	for range replicaClients {
		client, conn, err := connectReplicas(addresses)
		if err != nil {
			return tally{}, err
		}
		defer conn.Close()
		l := load{client: client, end: end, pause: replicaPause, broken: brokenReplica}
		loops.Go(func() { result.addCalls(l.call(result.call)) })
		loops.Go(func() { result.addStream(l.stream()) })
	}
	loops.Wait()
	for _, address := range slices.Sorted(maps.Keys(result.byPeer)) {
		fmt.Printf("%s: %d calls\n", address, result.byPeer[address])
	}
	fmt.Printf("calls: %d, stream messages: %d, resumes: %d\n", result.calls.passed+result.calls.failed,
		result.messages.passed+result.messages.failed, result.resumes)
	return result.calls.plus(result.messages), nil
}

func connectReplicas(addresses []string) (
	sudokuv1.SudokuServiceClient, *grpc.ClientConn, error,
) {
	if len(addresses) == 1 {
		return connect(addresses[0], grpc.WithDisableRetry())
	}
	var state resolver.State
	for _, address := range addresses {
		state.Addresses = append(state.Addresses, resolver.Address{Addr: address})
	}
	list := manual.NewBuilderWithScheme("list")
	list.InitialState(state)
	config := "{" + roundRobin + "," + strings.TrimPrefix(serviceConfig, "{")
	return connect("list:///replicas", grpc.WithResolvers(list),
		grpc.WithDefaultServiceConfig(config))
}

// counts is what all loops came to.
type counts struct {
	sync.Mutex
	calls, messages tally
	resumes         int
	byPeer          map[string]int
}

func (c *counts) addCalls(calls tally) {
	c.Lock()
	defer c.Unlock()
	c.calls = c.calls.plus(calls)
}

func (c *counts) addStream(messages tally, resumes int) {
	c.Lock()
	defer c.Unlock()
	c.messages = c.messages.plus(messages)
	c.resumes += resumes
}

// call makes one call, and takes note of who answered it.
func (c *counts) call(ctx context.Context, client sudokuv1.SudokuServiceClient, b board) error {
	ctx, cancel := context.WithTimeout(ctx, replicaDeadline)
	defer cancel()
	var from peer.Peer
	err := callOnce(ctx, client, b, grpc.Peer(&from), grpc.WaitForReady(true))
	if err == nil {
		c.Lock()
		defer c.Unlock()
		c.byPeer[from.Addr.String()]++
	}
	return err
}
