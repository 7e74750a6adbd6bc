import type { Context } from 'hono'
import type { Config } from '../../core/config/index.js'
import type { Identity, Principal, Session } from '../../core/identity/index.js'
import { addressGroup } from '../../core/security/index.js'
import type { Clock } from '../../core/time/index.js'
import type { TradingMode } from '../../core/trading/index.js'
import { noteAct } from '../audit/note.js'
import { callerOf, sessionOptions } from '../middleware/session.js'
import type { ActNote, AppEnv } from '../process/env.js'
import {
  callerAddress,
  callOf,
  isLocalCall,
  isOverTls,
  isOwnersCall,
  ownAddress,
  type TrustedProxies,
} from './client.js'
import { deadlineOf } from './orders/deadline.js'
import { onlyModeOf } from './orders/order-request.js'

/** The user for whom an operation acts. */
export interface Caller {
  readonly username: string
}

/** The sender of a request. The name is empty if the request has no credential. */
export interface Visitor extends Caller {
  /** Where the request comes from, for the record of attempts and the delay after failures. */
  readonly sender: Sender
  /** The user whose session or token the request has, where no guard asks for one. */
  readonly user: string | undefined
  /** Whether the caller is on this machine, and no proxy forwards the call. */
  readonly isLocal: boolean
  /** Whether the connection is encrypted, to this service or to a trusted proxy. */
  readonly isOverTls: boolean
  /** Returns a header of the request by its lower-case name. */
  header(name: string): string | undefined
  /** Adds to the record of the current act in the audit trail. */
  note(facts: ActNote): void
  /** Returns the caller's deadline as {@link deadlineOf}. @throws ServiceError `validation`, `request_expired` */
  deadline(): number
  /** Returns the only mode in which the caller wants orders to be sent. @throws ServiceError `validation` */
  onlyMode(): TradingMode | undefined
}

/** A caller with a session or a personal access token. */
export interface SignedInCaller extends Visitor {
  readonly principal: Principal
  /** The session of a caller who signed in with a password. */
  readonly session: Session | undefined
}

export type Sender = ReturnType<typeof senderOf>

/** Returns the sender of a request. */
export function senderOf(c: Context<AppEnv>, proxies: TrustedProxies) {
  const call = callOf(c)
  return {
    ipAddress: callerAddress(call, proxies),
    deviceInfo: c.req.header('user-agent'),
    // As a limit counts it: IPv6 addresses of one network change from day to day.
    ownAddress: networkOf(ownAddress(call, proxies)),
    isOwners: isLocalCall(c) || isOwnersCall(call, proxies),
  }
}

function networkOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : addressGroup(address)
}

interface CallerParts {
  proxies: TrustedProxies
  clock: Pick<Clock, 'monotonic'>
  config: Pick<Config, 'SESSION_COOKIE_NAME'>
  identity: Identity
}

/** The caller of a request, behind the session guard or without one. */
export class RequestCaller implements SignedInCaller {
  readonly #context: Context<AppEnv>
  readonly #parts: CallerParts

  constructor(context: Context<AppEnv>, parts: CallerParts) {
    this.#context = context
    this.#parts = parts
  }

  get principal(): Principal {
    return this.#context.get('principal')
  }

  get session(): Session | undefined {
    return this.#context.get('session')
  }

  get username(): string {
    // In front of the guard there is no principal, whatever the type of the context says.
    const principal: Principal | undefined = this.principal
    return principal?.username ?? ''
  }

  get sender(): Sender {
    return senderOf(this.#context, this.#parts.proxies)
  }

  get user(): string | undefined {
    return callerOf(this.#context, sessionOptions(this.#parts))?.principal.username
  }

  get isLocal(): boolean {
    return isLocalCall(this.#context)
  }

  get isOverTls(): boolean {
    return isOverTls(this.#context, this.#parts.proxies)
  }

  header(name: string): string | undefined {
    return this.#context.req.header(name)
  }

  note(facts: ActNote): void {
    noteAct(this.#context, facts)
  }

  deadline(): number {
    return deadlineOf(this.#context, this.#parts.clock)
  }

  onlyMode(): TradingMode | undefined {
    return onlyModeOf(this.#context)
  }
}
