import type { Context } from 'hono'
import { type AuditTrail, type BegunAct, changesOf } from '../../core/audit/index.js'
import type { ActEnd, Actor, NewAct } from '../../core/audit/schema.js'
import { messageOf } from '../../core/errors/index.js'
import type { Principal } from '../../core/identity/index.js'
import type { Logger } from '../../core/logging/index.js'
import type { Daemon, RunningService } from '../daemon.js'
import { callerAddress, callOf, type TrustedProxies } from '../http/client.js'
import { CODE_HEADER } from '../http/response/errors.js'
import { Reply } from '../http/response/reply.js'
import type { ActRequest, Recorded } from '../operations/audit-facts.js'
import type { NamedOperation } from '../operations/named.js'
import type { AppEnv } from '../process/env.js'
import { changedNothing, failureOf } from './outcome.js'

type Run<T> = () => T | Promise<T>

/** Runs a handler and records it. */
export type Recording = <T>(c: Context<AppEnv>, run: Run<T>) => Promise<T>

/** Returns whether a request of an operation changes state. A GET does so only where another site leads a browser here. */
export function isChange({ audit, auth, changes, method }: NamedOperation): boolean {
  if (method === 'GET') return auth === 'none' && audit !== undefined
  return auth !== 'apikey' || changes === true
}

/**
 * The one place where requests enter the audit trail: it knows the operation, the caller and the address. Each
 * operation that changes state is recorded, by the table of acts or under its own name.
 */
export class RequestAudit {
  readonly #service: RunningService
  readonly #trail: AuditTrail
  readonly #log: Logger
  readonly #proxies: TrustedProxies

  constructor({ proxies, running: service }: Pick<Daemon, 'proxies' | 'running'>) {
    this.#service = service
    this.#trail = service.audit
    this.#log = service.log
    this.#proxies = proxies
  }

  /** Returns the function that records an operation; undefined for one that is not recorded. */
  of(operation: NamedOperation): Recording | undefined {
    const act = isChange(operation) ? recordOf(operation) : undefined
    if (!act) return undefined
    // A caller who is not known must not make the service write before the act.
    const isNoted = operation.auth !== 'none' && !act.emergency
    return (c, run) => {
      const record = () => (isNoted ? this.#recordNoted(c, act, run) : this.#recordAfter(c, act, run))
      const turn = turnOf(act)
      return turn === undefined ? record() : this.#service.actTurns.run(turn, record)
    }
  }

  /** Notes an act before it begins, so that a crash in the middle leaves a record. */
  async #recordNoted<T>(c: Context<AppEnv>, act: Act, run: Run<T>): Promise<T> {
    const request = this.#requestOf(c)
    const before = await act.values?.(request)
    const begun = await this.#trail.begin(this.#newAct(c, act, request))
    return this.#settled(run, (ended) => this.#end(c, act, { begun, before, ended }))
  }

  /**
   * Records an act when it has ended. Of a caller without a credential only the acts that their handlers note:
   * anything else changed nothing.
   */
  async #recordAfter<T>(c: Context<AppEnv>, act: Act, run: Run<T>): Promise<T> {
    const request = this.#requestOf(c)
    const at = this.#service.clock.now()
    const before = await act.values?.(request)
    return this.#settled(run, async (ended) => {
      const note = c.get('actNote')
      if (!principalOf(c) && note === undefined) return
      const { after, target, username = request.username } = note ?? {}
      const values = changesOf(before, await act.values?.(request))
      const begun = this.#newAct(c, act, { ...request, username })
      const entry = { ...begun, at, ...(target !== undefined && { target }) }
      const end = { ...ended, ...values, ...(after !== undefined && { after }) }
      await this.#trail.append(entry, end).catch(() => this.#trail.appendLater(entry, end))
    })
  }

  async #settled<T>(run: Run<T>, record: (end: ActEnd) => Promise<void>): Promise<T> {
    try {
      const result = await run()
      await record(endOf(result))
      return result
    } catch (error) {
      await record(failureOf(error))
      throw error
    }
  }

  /**
   * Adds the end of a noted act. The act took place, so its answer does not fail with the record: the note stays,
   * and the next start adds it.
   */
  async #end(
    c: Context<AppEnv>,
    act: Act,
    { begun, before, ended }: { begun: BegunAct; before: unknown; ended: ActEnd },
  ): Promise<void> {
    try {
      if (ended.outcome === 'refused' && MALFORMED.has(ended.code ?? ''))
        return await this.#trail.discard(begun)
      const { after, target } = c.get('actNote') ?? {}
      const values = changedNothing(ended) ? {} : changesOf(before, await act.values?.(this.#requestOf(c)))
      const end = { ...ended, ...values, ...(after !== undefined && { after }) }
      await this.#trail.end(target === undefined ? begun : { ...begun, act: { ...begun.act, target } }, end)
    } catch (error) {
      this.#log.error('audit.end_not_written', { act: act.act, reason: messageOf(error) })
    }
  }

  #requestOf(c: Context<AppEnv>): ActRequest<RunningService> {
    return { service: this.#service, username: principalOf(c)?.username ?? ANYBODY, params: c.req.param() }
  }

  #newAct(c: Context<AppEnv>, { act }: Act, { params, username: name }: ActRequest<RunningService>): NewAct {
    const target = Object.values(params).join(' ') || null
    const actor = { ...actorOf(principalOf(c), callerAddress(callOf(c), this.#proxies)), name }
    return { act, actor, at: this.#service.clock.now(), target, requestId: c.get('requestId') }
  }
}

type Act = Recorded<RunningService>

/** Returns how an operation is recorded; undefined for one that is not. */
function recordOf({ audit, name }: NamedOperation): Act | undefined {
  if (audit && 'unrecorded' in audit) return undefined
  return (audit as Act | undefined) ?? { act: name }
}

/** Returns the key of the turn of an act; undefined for one that waits for no other. */
export function turnOf({ emergency, ofTarget: isOfTarget, turn, values }: Act): unknown {
  if (emergency || isOfTarget || !values) return undefined
  return turn ?? values
}

/** The name of a caller who is not signed in. */
const ANYBODY = 'anonymous'

/** Refusals of requests that could not be read: typing mistakes, not acts. */
const MALFORMED: ReadonlySet<string> = new Set(['validation', 'too_large', 'unsupported_media'])

/** The caller; undefined in front of the guard. */
function principalOf(c: Context<AppEnv>): Principal | undefined {
  return c.get('principal') as Principal | undefined
}

/** Returns the actor of a request. */
export function actorOf(principal: Principal | undefined, address: string): Actor {
  return principal
    ? {
        name: principal.username,
        credential: principal.credential,
        credentialId: principal.credentialId,
        address,
      }
    : { name: ANYBODY, credential: 'none', credentialId: null, address }
}

const SERVER_ERROR = 500

/** Returns how an act ended, by its answer: a response, an answer with a status, or the body of a success. */
function endOf(result: unknown): ActEnd {
  if (result instanceof Response) return endWith(result.status, result.headers.get(CODE_HEADER))
  return result instanceof Reply ? endWith(result.status, result.code ?? null) : {}
}

function endWith(status: number, code: string | null): ActEnd {
  if (code === 'outcome_unknown') return { outcome: 'unknown', code }
  if (status < 400) return { code }
  return { outcome: status < SERVER_ERROR ? 'refused' : 'failed', code }
}
