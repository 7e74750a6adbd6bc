import { Text } from 'ink'
import { useKeyLayer } from '../keys/KeysProvider.js'
import type { Size } from '../terminal/size.js'

/** In less room a question would be cut, and an order confirmed unseen. */
const LEAST = { columns: 60, rows: 14 }

export function isTooSmall({ columns, rows }: Size): boolean {
  return columns < LEAST.columns || rows < LEAST.rows
}

/** Covers everything in a terminal in which a question would be cut, and takes its keys. */
export function TooSmall() {
  useKeyLayer('overlay', () => true)
  return <Text>svc needs 80 by 24. Make the terminal larger.</Text>
}
