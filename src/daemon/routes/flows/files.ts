import type { Context } from 'hono'
import { PublicError, ServiceError } from '../../../core/errors/index.js'
import { type ApplyRequest, Cancellation, logView, runnableContent } from '../../../core/flows/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { streamLines } from '../../http/body/ndjson.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { applyBody, MAX_SYMBOLS, runBody, secretBody } from '../../operations/flows/payloads.js'
import type { AppEnv } from '../../process/env.js'
import { type FlowParts, flowCaller, readContent } from './request.js'

interface FlowFileRoutesParts extends FlowParts {
  /** Returns the lot size of a symbol, or undefined when the symbol is not listed. */
  lotSizeOf(symbol: string, exchange: string): number | undefined
  /** Returns the lot sizes of contracts on index underlyings, as far as they are known. */
  indexSymbols(): { value: string; label: string; exchange: string; lotSize: number }[]
}

/** One request may carry hundreds of files. It is parsed at once, so it must not be longer. */
const MAX_FILES_BYTES = 4 * 1_048_576

/** Returns the handlers below `/flow/api` for workflow files, single runs, secrets and lot sizes. */
export function flowFileHandlers({ flows, ...parts }: FlowFileRoutesParts) {
  return {
    'POST /flow/api/plan': httpHandler(async (c) =>
      c.json({ status: 'success', data: await flows.plan(await applyRequest(c), flowCaller(c, parts)) }),
    ),
    'POST /flow/api/apply': httpHandler(async (c) => {
      const request = await applyRequest(c)
      return c.json({ status: 'success', data: await flows.apply(request, flowCaller(c, parts)) })
    }),
    'POST /flow/api/run': httpHandler(async (c) => {
      const { nodes, edges, name, payload, variables, ...body } = parseWith(runBody, await readContent(c))
      const content = runnableContent({ name, nodes, edges })
      const caller = flowCaller(c, parts)
      const cancellation = new Cancellation()
      return streamLines(c, ({ send, end }) => {
        const run = flows.runOnce(
          {
            content,
            dryRun: body.dry_run,
            payload,
            variables,
            cancellation,
            onLog: (entry) => send({ type: 'log', ...logView(entry) }),
          },
          caller,
        )
        void run.then(({ status, error, failures, variables, visited }) => {
          send({ type: 'result', status, error: error ?? null, failures, variables, visited })
          end()
        })
        return () => cancellation.cancel(new PublicError('Cancelled: the client disconnected'))
      })
    }),
    'GET /flow/api/secrets': httpHandler((c) => c.json({ status: 'success', data: flows.secrets.list() })),
    'PUT /flow/api/secrets/:name': httpHandler(async (c) => {
      const { value } = parseWith(secretBody, await readContent(c))
      await flows.secrets.set(secretName(c), value, flowCaller(c, parts).username)
      return c.json({ status: 'success', message: 'Secret stored' })
    }),
    'DELETE /flow/api/secrets/:name': httpHandler(async (c) => {
      await flows.secrets.remove(secretName(c))
      return c.json({ status: 'success', message: 'Secret removed' })
    }),
    'GET /flow/api/index-symbols': httpHandler((c) =>
      c.json({ status: 'success', data: parts.indexSymbols() }),
    ),
    'POST /flow/api/symbol-lotsizes': httpHandler(async (c) => {
      const asked = symbolsIn(await readContent(c))
      const sizes = asked.map(({ symbol, exchange }) => [
        `${exchange}:${symbol}`,
        parts.lotSizeOf(symbol, exchange) ?? null,
      ])
      return c.json({ status: 'success', lotSizes: Object.fromEntries(sizes) })
    }),
  } satisfies Partial<Handlers>
}

const secretName = (c: Context<AppEnv>): string => c.req.param('name') ?? ''

async function applyRequest(c: Context<AppEnv>): Promise<ApplyRequest> {
  return parseWith(applyBody, await readContent(c, MAX_FILES_BYTES))
}

/**
 * Reads the symbols of the body by hand: clients of the public API expect these exact messages.
 * @throws ServiceError `validation`
 */
function symbolsIn(body: object): { symbol: string; exchange: string }[] {
  const symbols: unknown = 'symbols' in body ? body.symbols : undefined
  if (!Array.isArray(symbols) || symbols.length === 0) throw refused('symbols must be a non-empty array')
  if (symbols.length > MAX_SYMBOLS) throw refused(`at most ${MAX_SYMBOLS} symbols per request`)
  return symbols.map((one: unknown) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) {
      throw refused('each symbol must be an object')
    }
    const { symbol, exchange } = { symbol: undefined, exchange: undefined, ...one }
    if (typeof symbol !== 'string' || typeof exchange !== 'string' || symbol === '' || exchange === '') {
      throw refused('symbol and exchange are required')
    }
    return { symbol, exchange }
  })
}

function refused(message: string): ServiceError {
  return new ServiceError('validation', message)
}
