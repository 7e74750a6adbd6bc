import type { Context } from 'hono'
import { type Config, parseRateLimit, type RateWindow, rateLimitText } from '../../core/config/index.js'
import { ServiceError } from '../../core/errors/index.js'
import type { McpAccess, McpGrant } from '../../core/mcp/index.js'
import { sha256Hex } from '../../core/secrets/index.js'
import type { Clock } from '../../core/time/index.js'
import type { RunningService } from '../daemon.js'
import { MovingWindowLimiter } from '../middleware/moving-window.js'
import type { AppEnv } from '../process/env.js'
import type { McpCaller } from './calls/caller.js'
import type { ToolCallParts } from './calls/tool-calls.js'
import type { ResourceParts } from './server/resources.js'
import type { ServerParts } from './server/server.js'
import { GrantedStreams } from './server/streams.js'

type AssistantConfig = Pick<
  Config,
  | 'MCP_RATE_LIMIT'
  | 'MCP_RATE_LIMIT_READ'
  | 'MCP_RATE_LIMIT_WRITE'
  | 'SVC_MCP_READ_ONLY'
  | 'SVC_MCP_TOOLSETS'
  | 'SVC_MCP_TRUST_ENVELOPE'
>

export interface AssistantParts
  extends Omit<ToolCallParts, 'access' | 'narrowed' | 'envelope' | 'limits' | 'settings'>,
    ResourceParts {
  access: McpAccess
  config: AssistantConfig
  clock: Clock
  /** Aborted when the service stops. */
  stopping: AbortSignal
}

/** The arguments of a request with a wrong token are not read. */
const HASH_OF_NOTHING = sha256Hex('').slice(0, 16)
/** Calls with a wrong token, by address. */
const REFUSALS = '30 per minute'

/**
 * Everything that answers assistants, whichever endpoint they use. The code of the protocol loads with the first
 * message, because most daemons never get one.
 */
export class Assistants {
  readonly #parts: AssistantParts
  readonly #pace: MovingWindowLimiter
  readonly #refusals: MovingWindowLimiter
  readonly #streams: GrantedStreams
  #loading: Promise<Loaded> | undefined

  constructor(parts: AssistantParts) {
    const { access, clock, config, stopping } = parts
    this.#parts = parts
    this.#pace = new MovingWindowLimiter(config.MCP_RATE_LIMIT, clock)
    this.#refusals = new MovingWindowLimiter(parseRateLimit(REFUSALS), clock)
    this.#streams = new GrantedStreams(access, clock, stopping)
  }

  /** Answers a message of a caller. */
  async answer(request: Request, message: unknown, caller: McpCaller): Promise<Response> {
    const { server, transport } = await this.#loaded()
    return transport.answerMessage(request, message, caller, server)
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
    this.#parts.access.record({
      tool: request,
      scope: null,
      outcome: 'unauthorized',
      address,
      paramsHash: HASH_OF_NOTHING,
      durationMs: 0,
    })
  }

  #loaded(): Promise<Loaded> {
    this.#loading ??= load(this.#parts)
    return this.#loading
  }
}

/** The service and the tools that run its operations. The routes for assistants take this. */
export type AssistantService = RunningService & { readonly assistants: Assistants }

interface Loaded {
  server: ServerParts
  transport: typeof import('./server/transport.js')
}

async function load(parts: AssistantParts): Promise<Loaded> {
  const [{ ToolCalls }, { Resources }, transport] = await Promise.all([
    import('./calls/tool-calls.js'),
    import('./server/resources.js'),
    import('./server/transport.js'),
  ])
  const { access, clock, config } = parts
  const limitOf = (windows: readonly RateWindow[]) => ({
    limiter: new MovingWindowLimiter(windows, clock),
    text: rateLimitText(windows),
  })
  const calls = new ToolCalls({
    ...parts,
    access,
    settings: () => access.settings(),
    narrowed: { readOnly: config.SVC_MCP_READ_ONLY, toolsets: config.SVC_MCP_TOOLSETS },
    envelope: config.SVC_MCP_TRUST_ENVELOPE,
    limits: { read: limitOf(config.MCP_RATE_LIMIT_READ), write: limitOf(config.MCP_RATE_LIMIT_WRITE) },
  })
  return { server: { calls, resources: new Resources(parts, calls) }, transport }
}

/** @throws ServiceError `rate_limited` for any wait above 0 */
function refuseFor(waitMs: number): void {
  if (waitMs === 0) return
  throw new ServiceError('rate_limited', 'Rate limit exceeded. Please slow down your requests.', {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  })
}
