// Client-go and controller-runtime against the embedded server. Prints what `Session.runReporter` reads.
package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// claim runs one check, with a limit of three minutes, and prints its verdict.
func claim(text string, check func(ctx context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	err := check(ctx)
	if err == nil {
		fmt.Printf("ok %s\n", text)
		return
	}
	fmt.Printf("not ok %s\n  %s\n", text, strings.ReplaceAll(err.Error(), "\n", "\n  "))
}

// eventually repeats a check until it holds, for a minute.
func eventually(ctx context.Context, check func() error) error {
	end := time.Now().Add(time.Minute)
	for {
		err := check()
		if err == nil || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func expect[T comparable](what string, found, expected T) error {
	if found != expected {
		return fmt.Errorf("%s: expected %v, found %v", what, expected, found)
	}
	return nil
}
