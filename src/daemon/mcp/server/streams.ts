import type { McpAccess, McpGrant } from '../../../core/mcp/index.js'
import type { Clock, Timer } from '../../../core/time/index.js'

interface OpenStream {
  grant: McpGrant
  expiry: Timer
  close(): void
}

/** The longest wait of a timer; no access token lives as long. */
const MAX_WAIT_MS = 86_400_000

/** The open streams of assistants. Each ends with its grant: at once when it is revoked, or when it expires. */
export class GrantedStreams {
  readonly #open = new Set<OpenStream>()

  constructor(
    private readonly access: Pick<McpAccess, 'isLive' | 'onEnded'>,
    private readonly clock: Clock,
    stopping: AbortSignal,
  ) {
    access.onEnded(() => this.#closeEnded())
    stopping.addEventListener('abort', () => this.#closeAll(), { once: true })
  }

  get size(): number {
    return this.#open.size
  }

  /** Keeps a stream until its grant ends. @returns forgets a stream that its client closed */
  add(grant: McpGrant, close: () => void): () => void {
    const wait = Math.min(Math.max(0, grant.expiresAt - this.clock.now()), MAX_WAIT_MS)
    const stream: OpenStream = { grant, close, expiry: this.clock.setTimeout(() => this.#end(stream), wait) }
    this.#open.add(stream)
    return () => this.#forget(stream)
  }

  #closeEnded(): void {
    for (const stream of this.#open) if (!this.access.isLive(stream.grant)) this.#end(stream)
  }

  #closeAll(): void {
    for (const stream of this.#open) this.#end(stream)
  }

  #end(stream: OpenStream): void {
    this.#forget(stream)
    stream.close()
  }

  #forget(stream: OpenStream): void {
    this.clock.clear(stream.expiry)
    this.#open.delete(stream)
  }
}
