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
      if (!body.own_address) refuseOwn(address, parts.callerOf(c))
      const hours = permanent ? null : (duration_hours ?? DEFAULT_HOURS)
      const { address: banned } = await ban(parts, address, {
        reason: reason || 'Manual ban',
        hours,
        source: 'manual',
      })
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
      if (!order.own_address) refuseOwn(order.host, parts.callerOf(c))
      return done(c, await banHost(parts, c.get('principal').username, order))
    }),
    'POST /security/clear-404': httpHandler(async (c) => {
      const { ip_address: address } = await bodyOf(addressPayload, c)
      noteAct(c, { target: address })
      if (!security.clear404(address)) throw plainError('not_found', 'No tracker found for this IP')
      return done(c, `404 tracker cleared for ${address}`)
    }),
  } satisfies Partial<Handlers>
}

/** Refuses to ban the address from which the request comes: the caller would lock themselves out. */
function refuseOwn(address: string, caller: string): void {
  const banned = clientAddress(address)
  if (banned === undefined || isLoopbackAddress(banned)) return
  if (addressGroup(banned) !== addressGroup(caller)) return
  throw plainError(
    'refused',
    `${address} is the address that this request comes from: the ban locks you out. To ban it all the same: svc ban add, or own_address: true in the request.`,
    { own_address: true },
  )
}

async function bodyOf<S extends z.ZodType>(schema: S, c: Context<AppEnv>): Promise<z.output<S>> {
  return parsePlain(schema, await readJson(c))
}

const done = (c: Context<AppEnv>, message: string) => c.json({ success: true, message })

/** Bans an address. The address of a trusted proxy is that of all its clients. */
async function ban({ isProxy, security }: BanParts, address: string, order: BanOrder): Promise<Ban> {
  const canonical = clientAddress(address) ?? address
  if (isLoopbackAddress(canonical)) throw plainError('refused', 'Cannot ban localhost')
  if (isProxy(canonical))
    throw plainError('refused', 'Cannot ban a trusted proxy: all its clients would be banned')
  if (security.isOwners(canonical)) throw plainError('refused', 'Cannot ban an address of OWNER_ADDRESSES')
  return security.ban(address, order)
}

/** Bans the clients that called the service by a host name, or the one address that the host is. */
async function banHost(
  parts: BanParts,
  username: string,
  { host, reason, permanent }: z.output<typeof banHostPayload>,
): Promise<string> {
  const hours = permanent ? null : DEFAULT_HOURS
  if (canonicalAddress(host) !== undefined) {
    await ban(parts, host, {
      reason: `Manual ban: ${reason || `Host ban: ${host}`}`,
      hours,
      source: 'manual',
    })
    return `Banned IP: ${host}`
  }
  const clients = (await bannableClients(parts, host, username)).filter(
    (address) => !parts.isProxy(address) && !parts.security.isOwners(address),
  )
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
