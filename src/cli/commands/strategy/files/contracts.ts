import type {
  Finding,
  NamedContract,
  StrategyFile,
  StrategyPatch,
} from '../../../../core/strategies/files/index.js'
import type { Context } from '../../../framework/context.js'
import { CliError } from '../../../framework/errors.js'
import { listedSymbols } from '../../flow/files/symbols.js'

/** The findings, or the reason why nothing was looked up. */
interface Looked {
  findings: readonly Finding[]
  unchecked?: string
}

/** The longest wait for an answer that is optional. */
const PATIENCE_MS = 3000

/** Looks up what strategies name: with names that are near, because a start would fail, or trade something else. */
async function contractFindings(context: Context, strategies: readonly StrategyFile[]): Promise<Finding[]> {
  const { contractsIn, didYouMean } = await import('../../../../core/strategies/files/index.js')
  const named = strategies.map((strategy) => ({ strategy, contracts: contractsIn(strategy.config) }))
  const all = named.flatMap(({ contracts }) => contracts)
  const roots = await rootsOf(context, all)
  const symbols = all.flatMap(({ exchange, kind, name }) =>
    kind === 'symbol' ? [{ symbol: name, exchange }] : [],
  )
  const isListed = await listedSymbols(context, symbols, PATIENCE_MS)
  return named.flatMap(({ contracts, strategy }) =>
    contracts.flatMap(({ exchange, kind, name, path }) => {
      const known = roots.get(exchange) ?? []
      // An exchange without instruments is not loaded: nothing is known of its names.
      const isUnknown =
        kind === 'underlying'
          ? known.length > 0 && !known.includes(name)
          : isListed?.(name, exchange) === false
      if (!isUnknown) return []
      const message =
        kind === 'underlying'
          ? `${name} has no options or futures on ${exchange}.${didYouMean(name, known)}`
          : `There is no ${name} on ${exchange}.`
      return [strategy.finding(path, 'unknown_symbol', message)]
    }),
  )
}

/** Like {@link contractFindings} with a session at a running daemon; otherwise the reason why nothing was looked up. */
export async function contractFindingsIfAny(
  context: Context,
  strategies: readonly StrategyFile[],
): Promise<Looked> {
  if (strategies.length === 0) return { findings: [] }
  return lookedUp(context, async () => contractFindings(context, strategies))
}

/** Looks up what a change of a strategy names, as {@link contractFindingsIfAny}. */
export async function patchFindingsIfAny(
  context: Context,
  id: string,
  patch: StrategyPatch,
): Promise<Looked> {
  return lookedUp(context, async () => {
    const { data } = (await context.read('GET /strategy/api/strategies/:id', { params: { id } })).body
    const changed = patch.over(data)
    return changed === undefined ? [] : contractFindings(context, [changed])
  })
}

async function lookedUp(context: Context, look: () => Promise<Finding[]>): Promise<Looked> {
  if (!context.hasSession) return { findings: [], unchecked: 'nobody is signed in (svc login)' }
  try {
    return { findings: await look() }
  } catch (thrown) {
    if (!(thrown instanceof CliError)) throw thrown
    return { findings: [], unchecked: thrown.message.replace(/[.]$/, '') }
  }
}

/** Says that names were not looked up, and why. */
export function noteUnchecked(context: Context, { unchecked }: { unchecked?: string }): void {
  if (unchecked === undefined) return
  context.out.note(`Underlyings and symbols of strategies were not looked up: ${unchecked}.`)
}

/** Returns the roots of the contracts that each exchange lists. */
async function rootsOf(
  context: Context,
  contracts: readonly NamedContract[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const venues = new Set(contracts.flatMap(({ exchange, kind }) => (kind === 'underlying' ? [exchange] : [])))
  const roots = new Map<string, readonly string[]>()
  for (const exchange of venues) {
    const query = { exchange, include_futures: 'true' }
    const { body } = await context.callRoute(
      'GET /search/api/underlyings',
      { query },
      { timeoutMs: PATIENCE_MS },
    )
    roots.set(exchange, body.underlyings)
  }
  return roots
}
