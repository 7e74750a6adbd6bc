import type { Context } from 'hono'
import type { z } from 'zod'
import type { Identity } from '../../../core/identity/index.js'
import {
  addressGroup,
  type Ban,
  type BanOrder,
  type BanRules,
  canonicalAddress,
  clientAddress,
  type IpSecurity,
  isLoopbackAddress,
} from '../../../core/security/index.js'
import { istStamp } from '../../../core/time/index.js'
import { noteAct } from '../../audit/note.js'
import { readJson } from '../../http/body/body.js'
import { parsePlain, plainError } from '../../http/body/plain-error.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { addressPayload, banHostPayload, banPayload } from '../../operations/security/payloads.js'
import type { AppEnv } from '../../process/env.js'
import { bannableClients, type HostClients } from './host-clients.js'
import { securityData, securityStats } from './overview.js'

const DEFAULT_HOURS = 24

export interface BanParts extends HostClients {
  security: IpSecurity
  rules: () => BanRules
  /** Returns the newest attempts to sign in. */
  attempts: () => ReturnType<Identity['attempts']['list']>
  /** Returns whether an address is that of a trusted proxy. */
  isProxy(address: string): boolean
  /** Returns the addresses from which a user is signed in. */
  signedInFrom(username: string): string[]
  /** Returns the address that a request comes from. */
  callerOf(c: Context<AppEnv>): string
}

/**
 * Returns the handlers for the bans of client addresses. They read their bodies themselves, because their
 * refusals have a member of their own.
 */
export function banHandlers(parts: BanParts) {
  const { attempts, security, rules } = parts
  const page = async () => ({
    ...securityData(security, rules()),
    stats: securityStats(security, rules()),
    login_activity: await attempts(),
  })
  return {
    'GET /security': page,
    'GET /logs/security': page,
    'GET /security/api/data': () => securityData(security, rules()),
    'GET /security/stats': () => securityStats(security, rules()),
    'POST /security/ban': httpHandler(async (c) => {
      const body = await bodyOf(banPayload, c)
      const { ip_address: address, reason, duration_hours, permanent } = body
      const hours = permanent ? null : (duration_hours ?? DEFAULT_HOURS)
      const order = { reason: reason || 'Manual ban', hours, source: 'manual' } as const
      const { address: banned } = await ban(parts, address, order, callerIn(parts, c, body))
      const network = banned.includes('/') ? { network: banned } : {}
      return c.json({ success: true, message: `IP ${address} has been banned`, ...network })
    }),
    'POST /security/unban': httpHandler(async (c) => {
      const { ip_address: address } = await bodyOf(addressPayload, c)
      if (!(await security.unban(address))) throw plainError('not_found', 'IP not found in ban list')
      return done(c, `IP ${address} has been unbanned`)
    }),
    'POST /security/ban-host': httpHandler(async (c) => {
      const order = await bodyOf(banHostPayload, c)
      return done(c, await banHost(parts, c, order))
    }),
    'POST /security/clear-404': httpHandler(async (c) => {
      const { ip_address: address } = await bodyOf(addressPayload, c)
      noteAct(c, { target: address })
      if (!security.clear404(address)) throw plainError('not_found', 'No tracker found for this IP')
      return done(c, `404 tracker cleared for ${address}`)
    }),
  } satisfies Partial<Handlers>
}

/** The caller's own address, and whether the caller has confirmed to be locked out. */
interface BanCaller {
  address: string
  mayBanOwn: boolean
}

const callerIn = (
  parts: BanParts,
  c: Context<AppEnv>,
  { own_address = false }: { own_address?: boolean | undefined },
): BanCaller => ({ address: parts.callerOf(c), mayBanOwn: own_address })

/** Refuses to ban the address from which the request comes, until the caller confirms to be locked out. */
function refuseOwn(address: string, caller: BanCaller, expiresAt: number | null): void {
  const network = addressGroup(address)
  if (caller.mayBanOwn || network !== addressGroup(caller.address)) return
  const consequences = [
    `${network} is your own address: this request comes from it.`,
    expiresAt === null
      ? 'You will be locked out until somebody lifts the ban.'
      : `You will be locked out until ${istStamp(expiresAt)}.`,
    'On the machine of the daemon, svc ban remove lifts it.',
  ]
  const text = `${consequences.join(' ')} To ban it all the same, send own_address: true.`
  throw plainError('refused', text, { own_address: true, consequences })
}

async function bodyOf<S extends z.ZodType>(schema: S, c: Context<AppEnv>): Promise<z.output<S>> {
  return parsePlain(schema, await readJson(c))
}

const done = (c: Context<AppEnv>, message: string) => c.json({ success: true, message })

/** Bans an address. The address of a trusted proxy is that of all its clients. */
async function ban(
  { isProxy, security }: BanParts,
  address: string,
  order: BanOrder,
  caller: BanCaller,
): Promise<Ban> {
  const canonical = clientAddress(address) ?? address
  if (isLoopbackAddress(canonical)) throw plainError('refused', 'Cannot ban localhost')
  if (isProxy(canonical))
    throw plainError('refused', 'Cannot ban a trusted proxy: all its clients would be banned')
  if (security.isOwners(canonical)) throw plainError('refused', 'Cannot ban an address of OWNER_ADDRESSES')
  refuseOwn(canonical, caller, security.endOf(order))
  return security.ban(address, order)
}

/** Bans the clients that called the service by a host name, or the one address that the host is. */
async function banHost(
  parts: BanParts,
  c: Context<AppEnv>,
  { host, reason, permanent, own_address }: z.output<typeof banHostPayload>,
): Promise<string> {
  const hours = permanent ? null : DEFAULT_HOURS
  const caller = callerIn(parts, c, { own_address })
  if (canonicalAddress(host) !== undefined) {
    const order = { reason: `Manual ban: ${reason || `Host ban: ${host}`}`, hours, source: 'manual' } as const
    await ban(parts, host, order, caller)
    return `Banned IP: ${host}`
  }
  const { username } = c.get('principal')
  const clients = (
    await bannableClients(parts, host, [caller.address, ...parts.signedInFrom(username)])
  ).filter((address) => !parts.isProxy(address) && !parts.security.isOwners(address))
  if (clients.length === 0) {
    throw plainError(
      'not_found',
      `No traffic found from host: ${host}. To ban specific IPs, use the IP ban form instead.`,
      { suggestion: 'Use the Manual IP Ban form above to ban specific IP addresses directly.' },
    )
  }
  const text = reason ? `Host ban: ${host} - ${reason}` : `Host ban: ${host}`
  await parts.security.banAll(clients, { reason: text, hours, source: 'host_ban' })
  return `Banned ${clients.length} IPs associated with host: ${host}`
}
