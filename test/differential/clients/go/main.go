// Client of the differential test: the AWS SDK for Go. Reads a command a line, and answers each with the outcome a line
// (../../protocol.ts).
package main

import (
	"bufio"
	"encoding/json"
	"os"
)

func main() {
	clients := newClients()
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	answers := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked command
		if err := json.Unmarshal(line, &asked); err != nil {
			panic(err)
		}
		if asked.Operation == "Reset" {
			clients.recorder.transport.CloseIdleConnections()
			clients = newClients()
			os.Stdout.WriteString("{}\n")
			continue
		}
		if err := answers.Encode(clients.outcomeOf(asked)); err != nil {
			panic(err)
		}
	}
}
