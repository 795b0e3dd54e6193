// Asks a sudoku-validator server about one board, about a text that is no board, and about a file
// with a board of 81 cells on each line: example ADDRESS [FILE]
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	sudokuv1 "sudoku-validator/clients/go/gen/sudoku/v1"
)

// No call has a side effect, so a server that goes away is no reason to fail: try again. A stream
// is tried again only until its first answer; after that, resume it as prove/restart.go does.
const serviceConfig = `{"methodConfig": [{
	"name": [{"service": "sudoku.v1.SudokuService"}, {"service": "grpc.health.v1.Health"}],
	"retryPolicy": {
		"maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2,
		"retryableStatusCodes": ["UNAVAILABLE"]
	}
}]}`

// As many as a server takes, unless its operator chose another limit. One message of a thousand
// boards is far cheaper than a thousand messages of one.
const boardsPerMessage = 1000

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 || len(os.Args) > 3 {
		log.Fatal("usage: example ADDRESS [FILE]")
	}
	// One connection is enough for a whole program, however many goroutines it has.
	conn, err := grpc.NewClient(os.Args[1],
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(serviceConfig))
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	checkHealth(conn)

	client := sudokuv1.NewSudokuServiceClient(conn)
	validate(client, "83..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")
	validate(client, "53--7----")
	for _, path := range os.Args[2:] {
		validateFile(client, path)
	}
}

func checkHealth(conn *grpc.ClientConn) {
	// Without a deadline, a call to a server that hangs would hang too.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	service := sudokuv1.SudokuService_ServiceDesc.ServiceName
	response, err := grpc_health_v1.NewHealthClient(conn).Check(ctx,
		&grpc_health_v1.HealthCheckRequest{Service: service})
	if err != nil {
		log.Fatal(err)
	}
	if response.Status != grpc_health_v1.HealthCheckResponse_SERVING {
		log.Fatalf("%s is %v", service, response.Status)
	}
}

// validate prints every conflict on a board, or why the text is no board.
func validate(client sudokuv1.SudokuServiceClient, cells string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	response, err := client.Validate(ctx,
		&sudokuv1.ValidateRequest{Board: &sudokuv1.Board{Cells: cells}})
	switch status.Code(err) {
	case codes.OK:
		for _, conflict := range response.Verdict.Conflicts {
			printConflict(conflict)
		}
	case codes.InvalidArgument:
		printFault(status.Convert(err))
	default:
		log.Fatal(err)
	}
}

func printConflict(conflict *sudokuv1.Conflict) {
	unit := strings.ToLower(strings.TrimPrefix(conflict.Unit.String(), "UNIT_"))
	var places []string
	for _, cell := range conflict.Cells {
		places = append(places, fmt.Sprintf("(%d, %d)", cell.GetRow(), cell.GetColumn()))
	}
	fmt.Printf("%s %d has digit %d at %s\n",
		unit, conflict.GetIndex(), conflict.Digit, strings.Join(places, ", "))
}

// printFault prints the message, which is for people, and the details, which are for programs.
func printFault(fault *status.Status) {
	fmt.Println(fault.Message())
	for _, detail := range fault.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo: // A wrong shape has no column, and may have no row.
			fmt.Printf("reason %s, row %s, column %s\n",
				detail.Reason, detail.Metadata["row"], detail.Metadata["column"])
		case *errdetails.BadRequest:
			for _, violation := range detail.FieldViolations {
				fmt.Println("field", violation.Field)
			}
		}
	}
}

// validateFile streams the lines of a file and counts the outcomes.
func validateFile(client sudokuv1.SudokuServiceClient, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	stream, err := client.ValidateMany(ctx)
	if err != nil {
		log.Fatal(err)
	}
	// Sends while the answers are read. One after the other, both sides would wait for ever as soon
	// as the answers that nobody reads fill the flow-control window.
	go send(stream, slices.Collect(strings.Lines(string(text))))

	var valid, invalid, malformed int
	for {
		response, err := stream.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		for _, outcome := range response.Outcomes {
			switch {
			case outcome.GetMalformed() != nil:
				malformed++
			case outcome.GetVerdict().GetValid():
				valid++
			default:
				invalid++
			}
		}
	}
	fmt.Printf("%d boards, %d valid, %d invalid, %d malformed\n",
		valid+invalid+malformed, valid, invalid, malformed)
}

// send sends lines as boards: a board may end in a line break.
func send(stream sudokuv1.SudokuService_ValidateManyClient, lines []string) {
	for chunk := range slices.Chunk(lines, boardsPerMessage) {
		request := &sudokuv1.ValidateManyRequest{}
		for _, line := range chunk {
			request.Boards = append(request.Boards, &sudokuv1.Board{Cells: line})
		}
		if stream.Send(request) != nil {
			return // The stream is over, and Recv says why.
		}
	}
	stream.CloseSend()
}
