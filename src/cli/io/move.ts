import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'

/** Renames a file, link or folder of the same disk so that a power cut does not undo it. */
export function move(from: string, to: string): void {
  renameSync(from, to)
  for (const folder of new Set([dirname(to), dirname(from)])) {
    const file = openSync(folder, 'r')
    try {
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  }
}
