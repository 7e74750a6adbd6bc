import type { Context } from 'hono'
import { parseRateLimit } from '../../core/config/index.js'
import { ServiceError } from '../../core/errors/index.js'
import type { McpGrant } from '../../core/mcp/index.js'
import { sha256Hex } from '../../core/secrets/index.js'
import type { RunningService } from '../daemon.js'
import { MovingWindowLimiter } from '../middleware/moving-window.js'
import type { AppEnv } from '../process/env.js'
import type { PerformOf } from '../routing/mount.js'
import type { McpCaller } from './calls/caller.js'
import { GrantedStreams } from './server/streams.js'

/** The arguments of a request with a wrong token are not read. */
const HASH_OF_NOTHING = sha256Hex('').slice(0, 16)
/** Calls with a wrong token, by address. */
const REFUSALS = '30 per minute'

/**
 * Everything that answers assistants, whichever endpoint they use. The code of the protocol loads with the first
 * message, because most daemons never get one.
 */
export class Assistants {
  readonly #service: RunningService
  readonly #performOf: PerformOf
  readonly #pace: MovingWindowLimiter
  readonly #refusals: MovingWindowLimiter
  readonly #streams: GrantedStreams
  #loading: ReturnType<typeof load> | undefined

  constructor(service: RunningService, performOf: PerformOf) {
    const { clock, config, mcp, stop } = service
    this.#service = service
    this.#performOf = performOf
    this.#pace = new MovingWindowLimiter(config.MCP_RATE_LIMIT, clock)
    this.#refusals = new MovingWindowLimiter(parseRateLimit(REFUSALS), clock)
    this.#streams = new GrantedStreams(mcp, clock, stop.signal)
  }

  /** Answers a message of a caller. */
  async answer(request: Request, message: unknown, caller: McpCaller): Promise<Response> {
    const { serverOf, transport } = await this.#loaded()
    return transport.answerMessage(request, message, serverOf(caller))
  }

  /** Opens a stream, which ends with the grant. */
  async stream(c: Context<AppEnv>, grant: McpGrant, request: Request): Promise<Response> {
    const { transport } = await this.#loaded()
    const { answer, close } = await transport.openStream(request)
    if (answer.status !== 200) return answer
    const forget = this.#streams.add(grant, close)
    c.env.outgoing?.once('close', () => {
      forget()
      close()
    })
    return answer
  }

  /** Returns the number of open streams. */
  get streams(): number {
    return this.#streams.size
  }

  /** Counts a request of a grant: a new token is no fresh start. @throws ServiceError `rate_limited` */
  requirePace({ grantId }: McpGrant): void {
    refuseFor(this.#pace.take(grantId))
  }

  /**
   * Records a request with a wrong token. Only wrong ones are counted by address: the programs of a hosted assistant
   * share it, and one of them must not lock out the others.
   * @throws ServiceError `rate_limited` for an address with many wrong tokens
   */
  refuse(address: string, request: string): void {
    refuseFor(this.#refusals.take(address))
    this.#service.mcp.record({
      tool: request,
      scope: null,
      outcome: 'unauthorized',
      address,
      paramsHash: HASH_OF_NOTHING,
      durationMs: 0,
    })
  }

  #loaded(): ReturnType<typeof load> {
    this.#loading ??= load(this.#service, this.#performOf)
    return this.#loading
  }
}

/** The service and the tools that run its operations. The routes for assistants take this. */
export type AssistantService = RunningService & { readonly assistants: Assistants }

/** Returns what makes the server of the protocol for a request of a caller, and its transport. */
async function load(service: RunningService, performOf: PerformOf) {
  const [{ ToolCalls }, { Resources }, { serverFor }, transport] = await Promise.all([
    import('./calls/tool-calls.js'),
    import('./server/resources.js'),
    import('./server/server.js'),
    import('./server/transport.js'),
  ])
  const calls = new ToolCalls(service, performOf)
  const resources = new Resources(service, calls)
  return { serverOf: (caller: McpCaller) => serverFor(caller, calls, resources), transport }
}

/** @throws ServiceError `rate_limited` for any wait above 0 */
function refuseFor(waitMs: number): void {
  if (waitMs === 0) return
  throw new ServiceError('rate_limited', 'Rate limit exceeded. Please slow down your requests.', {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  })
}
