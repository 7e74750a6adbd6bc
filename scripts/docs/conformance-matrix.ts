import { GAPS, type Gaps } from '../../test/core/brokers/conformance/gaps.js'
import { CASES, PROMISES } from '../../test/core/brokers/conformance/promises.js'
import { code, table } from './table.js'

const PLUGINS: readonly (readonly [string, Gaps])[] = Object.entries(GAPS)

/** The cases of the conformance suite and the plugins that keep them; a gap has its reason. */
export function conformanceMatrix(): string {
  return table(
    ['', 'Promise', ...PLUGINS.map(([plugin]) => code(plugin))],
    CASES.map((id) => [id, PROMISES[id], ...PLUGINS.map(([, gaps]) => gaps[id] ?? 'kept')]),
  )
}
