// Package report prints the result of each check as a line of JSON, which the tests read.
package report

import (
	"encoding/json"
	"os"
)

// Check prints the result of a check.
func Check(check string, ok bool, detail string) {
	line := map[string]any{"check": check, "ok": ok, "detail": detail}
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		panic(err)
	}
}

// Run runs a check. It fails if steps returns an error; otherwise what it returns is the detail.
func Run(check string, steps func() (string, error)) {
	detail, err := steps()
	if err != nil {
		Check(check, false, err.Error())
		return
	}
	Check(check, true, detail)
}
