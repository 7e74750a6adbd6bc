import { join } from 'node:path'
import { orderOperation } from '../../src/core/orders/index.js'
import { ALL_OPERATION_LIST } from '../../src/daemon/operations/all.js'
import type { LiveEffect } from '../../src/daemon/operations/facts.js'
import { ROOT } from './documents.js'

const API = '/api/v1/'

/** The file of the client that lists the endpoints whose rows say that they change something, and what they change. */
export const CLIENT_CHANGES = join(ROOT, 'src/client/changes.ts')

type Row = (typeof ALL_OPERATION_LIST)[number]

/** Returns the text of {@link CLIENT_CHANGES}. The client loads no schemas, so it cannot read the table itself. */
export function clientChanges(): string {
  const names = ALL_OPERATION_LIST.filter(({ changes }) => changes).map(({ path }) => path.slice(API.length))
  const lines = names.toSorted().map((name) => `  '${name}',\n`)
  const effects = ALL_OPERATION_LIST.flatMap((row) => {
    const effect = liveEffect(row)
    return effect === undefined ? [] : [`  '${row.method} ${row.path}': '${effect}',\n`]
  })
  return `/* Generated from the table of operations by \`npm run docs\`. */

/** The endpoints that change something. */
export const CHANGES: ReadonlySet<string> = new Set([
${lines.join('')}])

/** Every route that touches live trading, and what it does to it. All other changes are announced nowhere. */
export const LIVE_EFFECTS = {
${effects.toSorted().join('')}} as const
`
}

function liveEffect({ live, path }: Row): LiveEffect | undefined {
  const order = path.startsWith(API) ? orderOperation(path.slice(API.length)) : undefined
  if (!order) return live
  return order.lowersRisk === 'always' ? 'end' : 'order'
}
