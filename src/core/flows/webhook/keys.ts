import { ServiceError } from '../../errors/index.js'
import { KEY_LIFETIME_MS } from '../../orders/index.js'
import { sha256Hex } from '../../secrets/index.js'
import { type Clock, HOUR_MS, type Timer } from '../../time/index.js'
import { isObject } from '../../validation/index.js'
import type { RunReply } from '../engine/executor.js'
import type { RunOutcome } from '../engine/walk.js'
import type { Body } from '../ports.js'
import type { OpenWebhookKey, WebhookKeyRow, WebhookKeyStore } from './key-store.js'

const PURGE_INTERVAL_MS = HOUR_MS
/** Above this number the oldest keys are deleted early. */
const MAX_KEYS = 100_000
/** No key is deleted earlier: a signed call that was recorded could run again while its time is still accepted. */
const MIN_LIFETIME_MS = HOUR_MS

/** The parts of an outcome that the answer to a webhook call needs. */
type StoredResult = Pick<RunOutcome, 'status' | 'error' | 'failures' | 'aborted' | 'cancelled'> & {
  workflowName: string
}

/** The result of a webhook call, and the name the workflow had when it ran. */
export interface WebhookReply {
  workflowName: string
  reply: RunReply
}

/** A webhook call, and the key of its caller. */
interface WebhookRun {
  workflowId: number
  workflowName: string
  key: string | undefined
  payload: Body
}

type KeyedCall = WebhookRun & { key: string }

/** Runs a workflow. It calls `claim` with the id of the run before the run does anything. */
export type StartRun = (claim: (executionId: number) => Promise<void>) => Promise<RunReply>

/**
 * Runs a workflow once per key of a webhook call (its `Idempotency-Key`, or the id of a signed call), for 24 hours. A repeat gets the first result and starts no
 * run; another payload under the same key is a conflict. A call that starts no run stores no key.
 */
export class WebhookKeys {
  readonly #running = new Map<string, { requestHash: string; reply: Promise<WebhookReply> }>()
  /** Results that the disk did not store, by key. They are few: no run begins while the disk fails. */
  readonly #unstored = new Map<string, { call: KeyedCall; result: StoredResult }>()
  readonly #purge: Timer

  private constructor(
    private readonly store: WebhookKeyStore,
    private readonly clock: Clock,
  ) {
    this.#purge = clock.setInterval(() => void this.purge().catch(() => undefined), PURGE_INTERVAL_MS)
  }

  /** Settles the keys that a crash left without a result. */
  static async open(store: WebhookKeyStore, clock: Clock): Promise<WebhookKeys> {
    await settle(store, await store.open())
    return new WebhookKeys(store, clock)
  }

  stop(): void {
    this.clock.clear(this.#purge)
  }

  /** @throws ServiceError `conflict` if the key was used for another payload */
  async run(run: WebhookRun, start: StartRun): Promise<WebhookReply> {
    const { key, workflowName } = run
    if (key === undefined) return { workflowName, reply: await start(async () => undefined) }
    const call = { ...run, key }
    const id = idOf(call)
    const requestHash = sha256Hex(JSON.stringify(sorted(call.payload)))
    const running = this.#running.get(id)
    if (running) {
      requireSameRequest(running.requestHash, requestHash)
      return running.reply
    }
    const reply = this.#runOnce(call, requestHash, start)
    this.#running.set(id, { requestHash, reply })
    try {
      return await reply
    } finally {
      this.#running.delete(id)
    }
  }

  /** Stores the results that the disk refused, and deletes keys past their lifetime, or too many of them. */
  async purge(maxKeys = MAX_KEYS): Promise<void> {
    for (const { call, result } of [...this.#unstored.values()]) await this.#save(call, result)
    const excess = (await this.store.timeOfNewest(maxKeys)) ?? 0
    await this.store.removeBefore(
      Math.max(this.clock.ago(KEY_LIFETIME_MS), Math.min(excess, this.clock.ago(MIN_LIFETIME_MS))),
    )
  }

  async #runOnce(call: KeyedCall, requestHash: string, start: StartRun): Promise<WebhookReply> {
    const { workflowId, workflowName, key } = call
    const stored = await this.store.find(workflowId, key)
    if (stored && this.clock.since(stored.createdAt) < KEY_LIFETIME_MS) {
      requireSameRequest(stored.requestHash, requestHash)
      return this.#repeat(call, stored)
    }
    const createdAt = this.clock.now()
    const reply = await start((executionId) =>
      this.store.claim({ workflowId, key, requestHash, executionId, result: null, createdAt }),
    ).catch(async (error: unknown) => {
      // Without this the key would have no result until the next start, and every retry would fail.
      await this.store
        .open(call)
        .then((rows) => settle(this.store, rows))
        .catch(() => undefined)
      throw error
    })
    if (reply.kind === 'finished') await this.#complete(call, reply.outcome)
    return { workflowName, reply }
  }

  #repeat(call: KeyedCall, { executionId, result }: WebhookKeyRow): WebhookReply {
    const kept: StoredResult | undefined =
      result === null ? this.#unstored.get(idOf(call))?.result : JSON.parse(result)
    // The disk and a restart lost the result; the row of the run was lost too.
    if (!kept) throw new ServiceError('unavailable', 'The result of this Idempotency-Key is not known.')
    const { workflowName, ...facts } = kept
    const outcome = { ...facts, logs: [], variables: {}, visited: [] }
    return { workflowName, reply: { kind: 'finished', executionId, outcome } }
  }

  #complete(call: KeyedCall, outcome: RunOutcome): Promise<void> {
    const { status, error, failures, aborted, cancelled } = outcome
    const { workflowName } = call
    return this.#save(call, { workflowName, status, error, failures, aborted, cancelled })
  }

  /** Stores a result, or keeps it in memory: the caller gets the result of its run even if the disk fails. */
  async #save(call: KeyedCall, result: StoredResult): Promise<void> {
    const id = idOf(call)
    try {
      await this.store.saveResult(call.workflowId, call.key, JSON.stringify(result))
      this.#unstored.delete(id)
    } catch {
      this.#unstored.set(id, { call, result })
    }
  }
}

/**
 * Settles keys without a result. A run with a row may have acted, so its key gets the end of that row. A run without
 * a row did nothing, so its key is free again.
 */
async function settle(store: WebhookKeyStore, rows: readonly OpenWebhookKey[]): Promise<void> {
  for (const row of rows) {
    const result = resultOf(row)
    if (result) await store.saveResult(row.workflowId, row.key, JSON.stringify(result))
    else await store.remove(row.workflowId, row.key)
  }
}

function idOf({ workflowId, key }: KeyedCall): string {
  return JSON.stringify([workflowId, key])
}

function requireSameRequest(stored: string, requestHash: string): void {
  if (stored === requestHash) return
  const error = 'This Idempotency-Key was used for another request.'
  throw new ServiceError('conflict', error, { extra: { error } })
}

/** Returns how the run of a key ended, from its row; undefined if it has none. */
function resultOf({ workflowName, status, error }: OpenWebhookKey): StoredResult | undefined {
  if (status === null) return undefined
  const completed = status === 'completed'
  return {
    workflowName: workflowName ?? '',
    status: completed ? 'completed' : 'failed',
    error: error ?? undefined,
    failures: [],
    aborted: !completed,
    cancelled: false,
  }
}

/** Returns a JSON value with the members of its objects sorted, so that equal payloads are equal texts. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]))
}
