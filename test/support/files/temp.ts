import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Creates a separate directory for the running test; the end of the test removes it. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-test-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Returns a file path in a separate directory. */
export function tempFile(name = 'test.db'): string {
  return join(tempDir(), name)
}
