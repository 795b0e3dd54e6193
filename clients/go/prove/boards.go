package main

import (
	"strings"

	"google.golang.org/protobuf/proto"

	sudokuv1 "sudoku-validator/clients/go/gen/sudoku/v1"
)

// board is a text and the verdict that the contract gives it.
type board struct {
	cells     string
	conflicts []*sudokuv1.Conflict
}

var (
	classic = board{
		cells: "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
	}
	solved = board{
		cells: "534678912672195348198342567859761423426853791713924856961537284287419635345286179",
	}
	empty = board{cells: strings.Repeat(".", 81)}

	// conflicting is the classic puzzle with 8 in its top left corner.
	conflicting = board{
		cells: "8" + classic.cells[1:],
		conflicts: []*sudokuv1.Conflict{
			conflict(sudokuv1.Unit_UNIT_COLUMN, 0, 8, cell(0, 0), cell(3, 0)),
			conflict(sudokuv1.Unit_UNIT_BOX, 0, 8, cell(0, 0), cell(2, 2)),
		},
	}
	pair = board{
		cells: "5...5" + empty.cells[5:],
		conflicts: []*sudokuv1.Conflict{
			conflict(sudokuv1.Unit_UNIT_ROW, 0, 5, cell(0, 0), cell(0, 4)),
		},
	}
)

func conflict(unit sudokuv1.Unit, index, digit uint32, cells ...*sudokuv1.Cell) *sudokuv1.Conflict {
	return &sudokuv1.Conflict{Unit: unit, Index: proto.Uint32(index), Digit: digit, Cells: cells}
}

func cell(row, column uint32) *sudokuv1.Cell {
	return &sudokuv1.Cell{Row: proto.Uint32(row), Column: proto.Uint32(column)}
}

func (b board) verdict() *sudokuv1.Verdict {
	return &sudokuv1.Verdict{Valid: proto.Bool(len(b.conflicts) == 0), Conflicts: b.conflicts}
}

// ask is one message of boards, and its right answer.
func ask(boards ...board) (*sudokuv1.ValidateManyRequest, *sudokuv1.ValidateManyResponse) {
	request, response := &sudokuv1.ValidateManyRequest{}, &sudokuv1.ValidateManyResponse{}
	for _, b := range boards {
		request.Boards = append(request.Boards, &sudokuv1.Board{Cells: b.cells})
		response.Outcomes = append(response.Outcomes, verdictOutcome(b.verdict()))
	}
	return request, response
}

func verdictOutcome(verdict *sudokuv1.Verdict) *sudokuv1.Outcome {
	return &sudokuv1.Outcome{Outcome: &sudokuv1.Outcome_Verdict{Verdict: verdict}}
}
