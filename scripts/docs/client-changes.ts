import { join } from 'node:path'
import { ALL_OPERATION_LIST } from '../../src/daemon/operations/all.js'
import { ROOT } from './documents.js'

const API = '/api/v1/'

/** The file of the client that lists the endpoints whose rows say that they change something. */
export const CLIENT_CHANGES = join(ROOT, 'src/client/changes.ts')

/** Returns the text of {@link CLIENT_CHANGES}. The client loads no schemas, so it cannot read the table itself. */
export function clientChanges(): string {
  const names = ALL_OPERATION_LIST.filter(({ changes }) => changes).map(({ path }) => path.slice(API.length))
  const lines = names.toSorted().map((name) => `  '${name}',\n`)
  return `/* Generated from the table of operations by \`npm run docs\`. */

/** The endpoints that change something. */
export const CHANGES: ReadonlySet<string> = new Set([
${lines.join('')}])
`
}
