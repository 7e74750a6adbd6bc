import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import type { Database } from '../../storage/index.js'
import { RowBuffer } from '../../telemetry/index.js'
import { type Clock, DAY_MS } from '../../time/index.js'
import type { McpAuditFilter, McpAuditRow, McpCall } from '../schema.js'
import { McpAuditStore } from './store.js'

const MAX_TOOL = 100
const MAX_ADDRESS = 50
const HASH_DIGITS = 16

interface McpAuditParts {
  db: Database
  clock: Clock
  log: Logger
  /** 0: forever. */
  retentionDays: number
}

/** The calls of assistants, also the refused ones. Recording one returns at once and never fails the call. */
export class McpAudit {
  readonly #parts: McpAuditParts
  readonly #store: McpAuditStore
  readonly #buffer: RowBuffer<Omit<McpAuditRow, 'id'>>

  constructor(parts: McpAuditParts) {
    this.#parts = parts
    this.#store = new McpAuditStore(parts.db)
    const { clock, log } = parts
    this.#buffer = new RowBuffer({ write: (rows) => this.#store.insert(rows), clock, log, name: 'mcp_audit' })
  }

  record({ address, durationMs, grant, outcome, paramsHash, scope, tool }: McpCall): void {
    this.#buffer.add({
      timestamp: this.#parts.clock.now(),
      jti: grant?.tokenId ?? null,
      clientId: grant?.clientId ?? null,
      tool: tool.slice(0, MAX_TOOL),
      scope,
      outcome,
      paramsHash: paramsHash.slice(0, HASH_DIGITS),
      durationMs: Math.round(durationMs),
      requestIp: address?.slice(0, MAX_ADDRESS) ?? null,
    })
  }

  /**
   * Returns the newest calls that match, the oldest of them first, with the number of all that match and of all that
   * are kept. All calls recorded before are included.
   */
  async list(
    filter: McpAuditFilter,
    limit: number,
  ): Promise<{ calls: McpAuditRow[]; matching: number; kept: number }> {
    await this.#buffer.flush()
    const [newest, matching, kept] = await Promise.all([
      this.#store.list(filter, limit),
      this.#store.count(filter),
      this.#store.count({}),
    ])
    return { calls: newest.reverse(), matching, kept }
  }

  /** Deletes the calls that are older than their retention period. A failure is logged. */
  async purge(): Promise<void> {
    const { clock, log, retentionDays } = this.#parts
    if (retentionDays === 0) return
    try {
      const removed = await this.#store.purge(clock.ago(retentionDays * DAY_MS))
      if (removed > 0) log.info('logs.purged', { rows: 'mcp_audit', removed })
    } catch (error) {
      log.error('logs.purge_failed', { rows: 'mcp_audit', message: messageOf(error) })
    }
  }

  flush(): Promise<void> {
    return this.#buffer.flush()
  }
}
