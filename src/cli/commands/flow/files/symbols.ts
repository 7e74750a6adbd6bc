import type { WorkflowFile } from '../../../../core/flows/files/index.js'
import type { Context } from '../../../framework/context.js'
import { CliError } from '../../../framework/errors.js'

/** The number of symbols per request: the daemon's limit. */
const AT_A_TIME = 50
/** The longest wait for an answer that is optional. */
const PATIENCE_MS = 3000

export type KnownSymbol = (symbol: string, exchange: string) => boolean

/** Returns which of the workflows' symbols the daemon lists; undefined when it has no instruments at all. */
export async function knownSymbols(
  context: Context,
  workflows: readonly WorkflowFile[],
  timeoutMs?: number,
): Promise<KnownSymbol | undefined> {
  const { symbolsIn } = await import('../../../../core/flows/files/index.js')
  return listedSymbols(
    context,
    workflows.flatMap(({ graph }) => symbolsIn(graph)),
    timeoutMs,
  )
}

/** Returns which of some symbols the daemon lists; undefined when it has no instruments at all. */
export async function listedSymbols(
  context: Context,
  symbols: readonly { symbol: string; exchange: string }[],
  timeoutMs?: number,
): Promise<KnownSymbol | undefined> {
  const named = new Map(
    symbols.map(({ symbol, exchange }) => [`${exchange}:${symbol}`, { symbol, exchange }]),
  )
  const asked = [...named.values()]
  const sizes = new Map<string, unknown>()
  for (let from = 0; from < asked.length; from += AT_A_TIME) {
    const body = { symbols: asked.slice(from, from + AT_A_TIME) }
    const rest = { changes: false, ...(timeoutMs === undefined ? {} : { timeoutMs }) }
    const answer = await context.change('POST /flow/api/symbol-lotsizes', { body }, rest)
    for (const [name, size] of Object.entries(answer.body.lotSizes)) sizes.set(name, size)
  }
  const none = asked.length > 0 && [...sizes.values()].every((size) => size === null)
  if (none && (await instrumentCount(context)) === 0) {
    await context.out.warn('symbols were not checked: the daemon has no instruments (svc broker sync)')
    return undefined
  }
  return (symbol, exchange) => sizes.get(`${exchange}:${symbol}`) !== null
}

/** Like {@link knownSymbols} with a session at a running daemon; otherwise undefined. */
export async function knownSymbolsIfAny(
  context: Context,
  workflows: readonly WorkflowFile[],
): Promise<KnownSymbol | undefined> {
  if (!context.hasSession) return undefined
  try {
    return await knownSymbols(context, workflows, PATIENCE_MS)
  } catch (thrown) {
    if (thrown instanceof CliError) return undefined
    throw thrown
  }
}

async function instrumentCount(context: Context): Promise<number | undefined> {
  const answer = await context.read('GET /broker/status').catch(() => undefined)
  return answer?.body.data.instruments.count
}
