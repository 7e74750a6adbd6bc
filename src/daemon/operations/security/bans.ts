import { z } from 'zod'
import {
  addressGroup,
  type Ban,
  type BanOrder,
  canonicalAddress,
  clientAddress,
  isLoopbackAddress,
} from '../../../core/security/index.js'
import type { TrafficLog } from '../../../core/telemetry/index.js'
import { istStamp } from '../../../core/time/index.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import { plainError } from '../../http/body/plain-error.js'
import type { SignedInCaller } from '../../http/caller.js'
import type { ActRequest } from '../audit-facts.js'
import { message, text } from '../common/answers.js'
import { signedIn } from '../running.js'
import { whole, YEAR_HOURS } from './ban-fields.js'
import { securityData, securityDataView, securityStats, securityStatsView } from './overview.js'

const reads = signedIn('Security', 'sixtyAMinute', 'read')
const changes = signedIn('Security', 'thirtyAMinute', 'admin')

const json = ['validation', 'too_large', 'unsupported_media'] as const
const NO_ADDRESS = 'IP address is required'
const NO_HOST = 'Host is required'
const DEFAULT_HOURS = 24

/** An address in any form, or a network as the list of bans shows it. */
const address = z
  .string(NO_ADDRESS)
  .trim()
  .min(1, NO_ADDRESS)
  .refine((text) => clientAddress(text) !== undefined, {
    error: 'Invalid IP address format',
    when: ({ issues }) => issues.length === 0,
  })

/** Host names: labels of letters, digits and hyphens, joined by dots. An address is a host, too. */
const HOST = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i

const host = z
  .string(NO_HOST)
  .trim()
  .min(1, NO_HOST)
  .refine((text) => HOST.test(text) || canonicalAddress(text) !== undefined, {
    error: 'Invalid hostname format',
    when: ({ issues }) => issues.length === 0,
  })

const ownAddress = z
  .boolean('Not a valid boolean.')
  .meta({
    description:
      'True to ban the address that the request comes from, which is refused otherwise: the caller is locked out.',
  })
  .optional()
const banPayload = z.strictObject({
  ip_address: address,
  reason: fields.text(150).optional(),
  duration_hours: whole(1, YEAR_HOURS, 'Ban duration must be between 1 hour and 1 year').optional(),
  permanent: z.boolean('Not a valid boolean.').optional(),
  own_address: ownAddress,
})
const addressPayload = z.strictObject({ ip_address: address })
const banHostPayload = z.strictObject({
  host,
  own_address: ownAddress,
  reason: fields.text(100).optional(),
  permanent: z.boolean('Not a valid boolean.').optional(),
})

const done = z.strictObject({ success: z.literal(true), message })
const banned = z.strictObject({
  success: z.literal(true),
  message,
  network: text
    .optional()
    .meta({ description: 'The network that is banned, if it is more than the address.' }),
})

/** The bans of client addresses. */
export const BAN_OPERATIONS = {
  'GET /security/api/data': reads('Returns the bans, the addresses under suspicion and the settings.', {
    answer: securityData,
    run: ({ security, settings }) => securityDataView(security, settings.get()),
  }),
  'GET /security/stats': reads('Returns the number of bans and of addresses under suspicion.', {
    answer: securityStats,
    run: ({ security, settings }) => securityStatsView(security, settings.get()),
  }),
  'POST /security/ban': changes('Bans an address at once; an IPv6 address stands for its /64 network.', {
    body: banPayload,
    plainErrors: true,
    example: { ip_address: '203.0.113.7', reason: 'scans paths', duration_hours: 24 },
    answer: banned,
    errors: ['refused', ...json],
    audit: { act: 'ban.add', values: banValues, emergency: true },
    run: async (service, { body }, caller) => {
      const { ip_address: address, reason, duration_hours, permanent } = body
      const hours = permanent ? null : (duration_hours ?? DEFAULT_HOURS)
      const order = { reason: reason || 'Manual ban', hours, source: 'manual' } as const
      const { address: banned } = await ban(service, address, order, banCaller(caller, body))
      const network = banned.includes('/') ? { network: banned } : {}
      return { success: true, message: `IP ${address} has been banned`, ...network }
    },
  }),
  'POST /security/unban': changes('Ends a ban.', {
    body: addressPayload,
    plainErrors: true,
    example: { ip_address: '203.0.113.7' },
    answer: done,
    errors: ['not_found', ...json],
    audit: { act: 'ban.remove', values: banValues },
    run: async ({ security }, { body: { ip_address: address } }) => {
      if (!(await security.unban(address))) throw plainError('not_found', 'IP not found in ban list')
      return { success: true, message: `IP ${address} has been unbanned` }
    },
  }),
  'POST /security/ban-host': changes('Bans the addresses that recently called the service by a host name.', {
    body: banHostPayload,
    plainErrors: true,
    example: { host: 'scanner.example', reason: 'not a name of this service' },
    answer: done,
    errors: ['refused', 'not_found', ...json],
    audit: { act: 'ban.add_host', values: banValues, emergency: true },
    run: async (service, { body }, caller) => ({
      success: true,
      message: await banHost(service, caller, body),
    }),
  }),
  'POST /security/clear-404': changes('Forgets the requests of an address for missing paths.', {
    limit: 'tenAMinute',
    body: addressPayload,
    plainErrors: true,
    example: { ip_address: '203.0.113.7' },
    answer: done,
    errors: ['not_found', ...json],
    audit: { act: 'ban.clear_404' },
    run: ({ security }, { body: { ip_address: address } }, caller) => {
      caller.note({ target: address })
      if (!security.clear404(address)) throw plainError('not_found', 'No tracker found for this IP')
      return { success: true, message: `404 tracker cleared for ${address}` }
    },
  }),
}

function banValues({ service: { security } }: ActRequest<RunningService>) {
  return Object.fromEntries(
    security.bans
      .active()
      .map(({ address, expiresAt, reason, source }) => [address, { expiresAt, reason, source }]),
  )
}

/** The caller's own address, and whether the caller has confirmed to be locked out. */
interface BanCaller {
  address: string
  mayBanOwn: boolean
}

function banCaller(
  { sender }: SignedInCaller,
  { own_address = false }: { own_address?: boolean | undefined },
): BanCaller {
  return { address: sender.ipAddress, mayBanOwn: own_address }
}

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

/** Bans an address. The address of a trusted proxy is that of all its clients. */
async function ban(
  { daemon: { proxies }, security }: Pick<RunningService, 'daemon' | 'security'>,
  address: string,
  order: BanOrder,
  caller: BanCaller,
): Promise<Ban> {
  const canonical = clientAddress(address) ?? address
  if (isLoopbackAddress(canonical)) throw plainError('refused', 'Cannot ban localhost')
  if (proxies.has(canonical))
    throw plainError('refused', 'Cannot ban a trusted proxy: all its clients would be banned')
  if (security.isOwners(canonical)) throw plainError('refused', 'Cannot ban an address of OWNER_ADDRESSES')
  refuseOwn(canonical, caller, security.endOf(order))
  return security.ban(address, order)
}

/** Bans the clients that called the service by a host name, or the one address that the host is. */
async function banHost(
  service: RunningService,
  caller: SignedInCaller,
  { host, reason, permanent, own_address }: z.output<typeof banHostPayload>,
): Promise<string> {
  const { daemon, identity, security, traffic } = service
  const hours = permanent ? null : DEFAULT_HOURS
  const from = banCaller(caller, { own_address })
  if (canonicalAddress(host) !== undefined) {
    const order = { reason: `Manual ban: ${reason || `Host ban: ${host}`}`, hours, source: 'manual' } as const
    await ban(service, host, order, from)
    return `Banned IP: ${host}`
  }
  const signedInFrom = identity.sessions
    .list(caller.username)
    .flatMap(({ ip_address: address }) => address ?? [])
  const clients = (await bannableClients(traffic, host, [from.address, ...signedInFrom])).filter(
    (address) => !daemon.proxies.has(address) && !security.isOwners(address),
  )
  if (clients.length === 0) {
    throw plainError(
      'not_found',
      `No traffic found from host: ${host}. To ban specific IPs, use the IP ban form instead.`,
      { suggestion: 'Use the Manual IP Ban form above to ban specific IP addresses directly.' },
    )
  }
  const text = reason ? `Host ban: ${host} - ${reason}` : `Host ban: ${host}`
  await security.banAll(clients, { reason: text, hours, source: 'host_ban' })
  return `Banned ${clients.length} IPs associated with host: ${host}`
}

/**
 * Returns the clients of a host name that may be banned, one address for each client. This machine and the
 * networks from which the owner or a bot calls are not among them: the host name is that of the service, and they
 * use it, too.
 * @param callersOwn the addresses of the person who bans
 */
async function bannableClients(
  traffic: Pick<TrafficLog, 'clientsOf' | 'knownClients'>,
  host: string,
  callersOwn: readonly string[],
): Promise<string[]> {
  const known = [...callersOwn, ...(await traffic.knownClients())]
  const owners = new Set(known.map((address) => groupOf(address)))
  const clients = new Map<string, string>()
  for (const address of await traffic.clientsOf(host)) {
    const group = groupOf(address)
    if (group === undefined || isLoopbackAddress(address) || owners.has(group)) continue
    clients.set(group, address)
  }
  return [...clients.values()]
}

function groupOf(text: string): string | undefined {
  const address = canonicalAddress(text)
  return address && addressGroup(address)
}
