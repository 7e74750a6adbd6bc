import { type RateWindow, rateLimitText, type Toolset } from '../../../core/config/index.js'
import { messageOf } from '../../../core/errors/index.js'
import type { McpOutcome, McpScope } from '../../../core/mcp/index.js'
import { sha256Hex } from '../../../core/secrets/index.js'
import type { RunningService } from '../../daemon.js'
import { MovingWindowLimiter } from '../../middleware/moving-window.js'
import type { PerformOf } from '../../routing/mount.js'
import { TOOLS, type Tool, type ToolContext } from '../tools/index.js'
import type { Arguments } from '../tools/tool.js'
import type { McpCaller, Narrowed } from './caller.js'
import { enveloped } from './envelope.js'
import { RpcError, type ToolError, toolErrorOf } from './errors.js'
import { leniently } from './lenient.js'
import { toolContext } from './tool-context.js'
import { UnansweredCalls } from './unanswered.js'

/** The longest arguments of a call, as JSON: far more than any tool needs. */
export const MAX_ARGUMENTS = 65_536
const HASHED = 16
const LOGGED = 200

/** Counts the calls of a caller in one scope. */
interface CallLimit {
  limiter: MovingWindowLimiter
  text: string
}

/** Adds the call to the audit. */
type Recorder = (scope: McpScope | null, outcome: McpOutcome) => void

/** The answer to a call that ran: a success, or an error that its caller can understand and correct. */
interface ToolResult {
  [member: string]: unknown
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
}

const BY_NAME: ReadonlyMap<string, Tool> = new Map(TOOLS.map((tool) => [tool.name, tool]))

/** Runs tools: each call is checked, counted, executed and recorded here, whatever transport it came by. */
export class ToolCalls {
  /** True if answers are put into their envelope. */
  readonly envelope: boolean
  readonly #service: RunningService
  readonly #performOf: PerformOf
  readonly #unanswered: UnansweredCalls
  readonly #limits: Readonly<Record<'read' | 'write', CallLimit>>
  /** What the configuration leaves of the tools. */
  readonly #narrowed: Narrowed

  constructor(service: RunningService, performOf: PerformOf) {
    const { clock, config } = service
    const limitOf = (windows: readonly RateWindow[]) => ({
      limiter: new MovingWindowLimiter(windows, clock),
      text: rateLimitText(windows),
    })
    this.#service = service
    this.#performOf = performOf
    this.#unanswered = new UnansweredCalls(clock)
    this.#limits = { read: limitOf(config.MCP_RATE_LIMIT_READ), write: limitOf(config.MCP_RATE_LIMIT_WRITE) }
    this.#narrowed = { readOnly: config.SVC_MCP_READ_ONLY, toolsets: config.SVC_MCP_TOOLSETS }
    this.envelope = config.SVC_MCP_TRUST_ENVELOPE
  }

  /** Returns the tools that a caller may use. */
  toolsOf(caller: McpCaller): Tool[] {
    return TOOLS.filter((tool) => caller.scopes.has(tool.scope) && this.#exists(tool, caller))
  }

  /**
   * Calls a tool. A tool that refuses its arguments or fails returns a result that says so.
   * @throws RpcError for a call that does not run: an unknown tool, a missing scope, too many calls
   */
  async call(caller: McpCaller, name: string, given: Readonly<Record<string, unknown>>): Promise<ToolResult> {
    const record = this.#recorder(caller, name, given)
    const tool = BY_NAME.get(name)
    if (!tool || !this.#exists(tool, caller)) {
      record(null, 'unknown_tool')
      throw new RpcError(-32601, `Unknown tool: ${name.slice(0, 100)}`)
    }
    this.#admit(caller, tool, record)
    const result = await this.#run(caller, tool, given)
    record(tool.scope, outcomeOf(result))
    return 'error' in result ? failure(tool, result.error) : this.#success(tool, result.data)
  }

  /**
   * Reads a resource, with the checks, the count and the record of a tool that reads.
   * @throws RpcError
   */
  async read(
    caller: McpCaller,
    resource: { uri: string; scope: McpScope; read(context: ToolContext): Promise<object> },
  ): Promise<string> {
    const name = `resource ${resource.uri}`
    const record = this.#recorder(caller, name, {})
    this.#admit(caller, { scope: resource.scope, changes: false }, record)
    try {
      const data = await resource.read(toolContext(this.#service, this.#performOf, caller))
      record(resource.scope, 'success')
      const marked = enveloped({ name, risk: 'external_text' }, { data })
      return JSON.stringify(this.envelope ? marked : data)
    } catch (error) {
      record(resource.scope, 'error')
      const refused = toolErrorOf(error, { name, changes: false })
      // The sentence of a broker comes from outside: it is data and not the message.
      const marked = enveloped({ name, risk: 'external_text' }, { error: refused })
      throw new RpcError(-32603, 'The resource could not be read.', marked)
    }
  }

  /** Refuses a caller without the scope, or with too many calls in it. @throws RpcError */
  #admit(caller: McpCaller, { changes, scope }: Pick<Tool, 'changes' | 'scope'>, record: Recorder): void {
    if (!caller.scopes.has(scope)) {
      record(scope, 'denied')
      throw new RpcError(-32000, 'insufficient_scope', { required_scope: scope })
    }
    const limit = this.#limits[changes ? 'write' : 'read']
    const wait = limit.limiter.take(`${caller.countedAs} ${scope}`)
    if (wait === 0) return
    record(scope, 'rate_limited')
    const retryAfter = Math.max(1, Math.ceil(wait / 1000))
    throw new RpcError(-32000, 'rate_limited', { scope, limit: limit.text, retry_after: retryAfter })
  }

  /** Returns whether neither the configuration nor the caller leaves out a group of tools. */
  offers({ narrowed }: McpCaller, toolset: Toolset): boolean {
    return [this.#narrowed, narrowed].every(
      ({ toolsets }) => toolsets === undefined || toolsets.includes(toolset),
    )
  }

  #exists(tool: Tool, caller: McpCaller): boolean {
    const isReadOnly = this.#narrowed.readOnly || caller.narrowed.readOnly
    return !(isReadOnly && tool.changes) && this.offers(caller, tool.toolset)
  }

  async #run(
    caller: McpCaller,
    tool: Tool,
    given: Readonly<Record<string, unknown>>,
  ): Promise<{ data: object } | { error: ToolError }> {
    const text = JSON.stringify(given)
    if (text.length > MAX_ARGUMENTS) return { error: tooLarge() }
    if (tool.changes) this.#announce(caller, tool, text)
    const read = readArguments(given, tool)
    if ('error' in read) return read
    const { args } = read
    if (!tool.takesKey || args.idempotency_key !== undefined) return this.#execute(caller, tool, args)
    const call = sha256Hex(JSON.stringify([assistantOf(caller), tool.name, sorted(args)]))
    const running = this.#unanswered.begin(call, () => hasLeft(caller))
    const result = await this.#execute(caller, tool, { ...args, idempotency_key: running.key })
    const isUnclear = 'error' in result && result.error.verify_first === true
    running.end(!isUnclear && !hasLeft(caller))
    return result
  }

  async #execute(
    caller: McpCaller,
    tool: Tool,
    given: Readonly<Record<string, unknown>>,
  ): Promise<{ data: object } | { error: ToolError }> {
    try {
      return { data: await tool.run(given, toolContext(this.#service, this.#performOf, caller)) }
    } catch (error) {
      const known = toolErrorOf(error, tool)
      if (known.error_type === 'internal') {
        const stack = error instanceof Error ? error.stack : undefined
        this.#service.log.error('mcp.tool_failed', { tool: tool.name, error: messageOf(error), stack })
      }
      return { error: known }
    }
  }

  #success(tool: Tool, data: object): ToolResult {
    const answer: Record<string, unknown> = this.envelope ? enveloped(tool, { data }) : { ...data }
    return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer }
  }

  /** Writes what an assistant is about to change to the log of the service. */
  #announce({ grant, principal }: McpCaller, { name }: Tool, given: string): void {
    this.#service.log.warn('mcp.write', {
      tool: name,
      user: principal.username,
      client: grant?.clientId ?? 'stdio',
      jti: grant?.tokenId ?? null,
      arguments: given.slice(0, LOGGED),
    })
  }

  #recorder({ address, grant }: McpCaller, tool: string, given: object): Recorder {
    const { clock, mcp } = this.#service
    const startedAt = clock.monotonic()
    return (scope, outcome) =>
      mcp.record({
        grant,
        scope,
        outcome,
        address,
        tool: tool.slice(0, 100),
        paramsHash: hashOf(given),
        durationMs: Math.round(clock.monotonic() - startedAt),
      })
  }
}

/** Returns the name of an assistant, which outlives its tokens. */
function assistantOf({ grant, principal }: McpCaller): string {
  return `${principal.username} ${grant?.clientId ?? 'stdio'}`
}

/** Returns whether the connection of a caller is gone: it will not read the answer. */
function hasLeft({ context }: McpCaller): boolean {
  return context.env.outgoing?.destroyed === true
}

/** Returns the arguments of a call as its tool wants them. */
function readArguments(given: Arguments, tool: Tool): { args: Arguments } | { error: ToolError } {
  try {
    return { args: leniently(given, tool.input()) }
  } catch (error) {
    return { error: toolErrorOf(error, tool) }
  }
}

function tooLarge(): ToolError {
  return {
    message: `The arguments are longer than ${MAX_ARGUMENTS} characters.`,
    error_type: 'too_large',
    retry_safe: true,
  }
}

/** The text is marked as well: the sentence of a broker's refusal comes from outside. */
function failure(tool: Tool, error: ToolError): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(enveloped(tool, { error })) }], isError: true }
}

function outcomeOf(result: { data: object } | { error: ToolError }): McpOutcome {
  if (!('error' in result)) return 'success'
  const { error_type: type } = result.error
  return type === 'validation' || type === 'too_large' ? 'bad_arguments' : 'error'
}

function hashOf(given: object): string {
  return sha256Hex(JSON.stringify(sorted(given))).slice(0, HASHED)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]))
}
