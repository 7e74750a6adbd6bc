import { cpSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const FLOWS = fileURLToPath(new URL('../../../flows', import.meta.url))
const TESTED = 'webhook-order.test.yaml'

/**
 * Copies the sample workflows, with the scenarios of one of them only: test/e2e/samples.test.ts runs all, and a
 * scenario starts a whole service.
 */
export function copyFlows(folder: string): void {
  const filter = (path: string) => !path.endsWith('.test.yaml') || path.endsWith(TESTED)
  cpSync(FLOWS, folder, { recursive: true, filter })
}
