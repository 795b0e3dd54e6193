package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	sudokuv1 "sudoku-validator/clients/go/gen/sudoku/v1"
)

// testCase is a text and its outcome, as tests/cases holds them.
type testCase struct {
	Name, Cells string
	Outcome     json.RawMessage

	expected *sudokuv1.Outcome
}

// conformance sends every case of the files through both RPCs and compares whole messages.
func conformance(client sudokuv1.SudokuServiceClient, paths []string) (tally, error) {
	var one, many tally
	for _, path := range paths {
		cases, err := readCases(path)
		if err != nil {
			return tally{}, fmt.Errorf("%s: %w", path, err)
		}
		outcomes, err := validateMany(client, cases)
		for i, c := range cases {
			var outcome *sudokuv1.Outcome
			if err == nil {
				outcome = outcomes[i]
			}
			many.judge("ValidateMany", c, outcome, err)
		}
		for _, c := range cases {
			outcome, err := validate(client, c.Cells)
			one.judge("Validate", c, outcome, err)
		}
	}
	fmt.Println("Validate:", one)
	fmt.Println("ValidateMany:", many)
	return one.plus(many), nil
}

func readCases(path string) ([]testCase, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var cases []testCase
	if err := json.Unmarshal(text, &cases); err != nil {
		return nil, err
	}
	for i := range cases {
		cases[i].expected = &sudokuv1.Outcome{}
		if err := protojson.Unmarshal(cases[i].Outcome, cases[i].expected); err != nil {
			return nil, fmt.Errorf("%s: %w", cases[i].Name, err)
		}
	}
	return cases, nil
}

func (t *tally) judge(rpc string, c testCase, found *sudokuv1.Outcome, err error) {
	switch {
	case err != nil:
		fmt.Printf("%s, %s: %v\n", c.Name, rpc, err)
	case !proto.Equal(found, c.expected):
		fmt.Printf("%s, %s: %v, expected %v\n", c.Name, rpc, found, c.expected)
	default:
		t.passed++
		return
	}
	t.failed++
}

// validateMany sends all cases in one message.
func validateMany(
	client sudokuv1.SudokuServiceClient, cases []testCase,
) ([]*sudokuv1.Outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	stream, err := client.ValidateMany(ctx)
	if err != nil {
		return nil, err
	}
	request := &sudokuv1.ValidateManyRequest{}
	for _, c := range cases {
		request.Boards = append(request.Boards, &sudokuv1.Board{Cells: c.Cells})
	}
	// An error of Send is only that the stream is over; Recv says why.
	if stream.Send(request) == nil {
		stream.CloseSend()
	}
	response, err := stream.Recv()
	if err != nil {
		return nil, err
	}
	if _, err := stream.Recv(); err != io.EOF {
		return nil, fmt.Errorf("instead of the end after the only answer: %v", err)
	}
	if len(response.Outcomes) != len(cases) {
		return nil, fmt.Errorf("%d outcomes for %d boards", len(response.Outcomes), len(cases))
	}
	return response.Outcomes, nil
}

// validate sends one text, and turns the answer into what ValidateMany would have said.
func validate(client sudokuv1.SudokuServiceClient, cells string) (*sudokuv1.Outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	response, err := client.Validate(ctx,
		&sudokuv1.ValidateRequest{Board: &sudokuv1.Board{Cells: cells}})
	switch status.Code(err) {
	case codes.OK:
		return verdictOutcome(response.Verdict), nil
	case codes.InvalidArgument:
		malformed, err := malformedBoard(status.Convert(err))
		return &sudokuv1.Outcome{Outcome: &sudokuv1.Outcome_Malformed{Malformed: malformed}}, err
	}
	return nil, err
}

// malformedBoard is what an error tells of a text, once its details are found to agree.
func malformedBoard(fault *status.Status) (*sudokuv1.MalformedBoard, error) {
	var info *errdetails.ErrorInfo
	var violations []*errdetails.BadRequest_FieldViolation
	for _, detail := range fault.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			info = detail
		case *errdetails.BadRequest:
			violations = append(violations, detail.FieldViolations...)
		}
	}
	reason, known := sudokuv1.MalformedReason_value["MALFORMED_REASON_"+info.GetReason()]
	switch {
	case !known || info.GetDomain() != "sudoku.v1":
		return nil, fmt.Errorf("unexpected ErrorInfo: %v", info)
	case len(violations) != 1 || violations[0].Field != "board.cells" ||
		violations[0].Description != fault.Message():
		return nil, fmt.Errorf("unexpected BadRequest: %v, under %q", violations, fault.Message())
	}
	row, rowErr := index(info, "row")
	column, columnErr := index(info, "column")
	return &sudokuv1.MalformedBoard{
		Reason:      sudokuv1.MalformedReason(reason),
		Description: fault.Message(),
		Row:         row,
		Column:      column,
	}, errors.Join(rowErr, columnErr)
}

// index is nil where the metadata have no such key.
func index(info *errdetails.ErrorInfo, key string) (*uint32, error) {
	text, set := info.Metadata[key]
	if !set {
		return nil, nil
	}
	number, err := strconv.ParseUint(text, 10, 32)
	return proto.Uint32(uint32(number)), err
}
