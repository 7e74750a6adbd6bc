import { type Key, useInput } from 'ink'
import { useCallback, useRef } from 'react'

/**
 * Handles keys with the handler that was drawn last. Ink alone renews its listeners a little after it draws, so
 * that a quick key would meet the handler of the screen before.
 */
export function useKeyPress(handler: (input: string, key: Key) => void): void {
  const drawn = useRef(handler)
  drawn.current = handler
  useInput(useCallback((input: string, key: Key) => drawn.current(input, key), []))
}
