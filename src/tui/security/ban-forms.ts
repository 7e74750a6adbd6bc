import { isIP, isIPv6 } from 'node:net'
import type { SvcError } from '../../client/index.js'
import { hoursIn, PERMANENT } from '../../views/security/hours.js'
import { BAN_WORD, consequencesOfOwnBan } from '../../views/security/own-ban.js'
import { type FormField, type FormValues, shorterThan } from '../components/form/Form.js'
import type { Change } from '../live/changes/changes.js'
import type { FormDialog } from '../question/use-dialogs.js'
import type { ChangeQuestion } from '../question/use-question.js'
import type { Shown, ViewKey } from '../screen/record.js'
import { BanFeed } from './ban-feed.js'

const USUAL_BAN = '24h'
/** The command that shows what became of a ban. */
export const CHECK = 'svc ban list'

/** The key that bans an address or a network: in a list, that of the row. */
export function banKey<Row>(
  first: (row: Row) => { address: string; reason: string },
): ViewKey<BanState<Row>> {
  return {
    id: 'security.ban',
    keys: ['b'],
    does: 'ban',
    explained: 'ban an address or a network; on a row, its address',
    command: 'svc ban add <address>',
    act({ row, daemon, dialogs }) {
      const { address, reason } = row === undefined ? NOBODY : first(row)
      dialogs.open(banForm(address, reason, () => void daemon.part(BanFeed).refresh()))
    },
  }
}

interface BanState<Row> extends Shown {
  row: Row | undefined
}

const NOBODY = { address: '', reason: '' }

/** The key that bans an address which is not in the list. */
export const BAN_KEY = banKey<object>(() => NOBODY)

/** The key that bans the addresses that called a host name. */
export const HOST_KEY: ViewKey<Shown> = {
  id: 'security.ban-host',
  keys: ['h'],
  does: 'ban host',
  explained: 'ban the addresses that called a host name',
  command: 'svc ban add-host <host>',
  act: ({ daemon, dialogs }) => dialogs.open(hostForm(() => void daemon.part(BanFeed).refresh())),
}

const BAN_FIELDS: readonly FormField[] = [
  { name: 'ip_address', label: 'Address', problem: addressProblem },
  { name: 'duration_hours', label: 'For', problem: durationProblem },
  { name: 'reason', label: 'Reason', problem: shorterThan(150) },
]

/** The form that bans an address. */
function banForm(address: string, reason: string, onAnswer: () => void): FormDialog {
  return {
    kind: 'form',
    title: 'Ban an address, and close its connections',
    fields: BAN_FIELDS,
    first: { ip_address: address, duration_hours: USUAL_BAN, reason },
    changeOf: (values) => ({ ...banChange(values), onAnswer }),
    questionAfter: (refusal, values) => ownBanQuestion(refusal, { ...banChange(values, OWN), onAnswer }),
  }
}

const OWN = { own_address: true } as const

/** Asks before a ban of the own address, which the daemon refuses without a confirmation. */
function ownBanQuestion({ body }: SvcError, change: Change): ChangeQuestion | undefined {
  const lines = consequencesOfOwnBan(body)
  return lines && { title: 'Ban your own address?', lines, word: BAN_WORD, change }
}

function banChange(values: FormValues, own: Partial<typeof OWN> = {}): Change {
  const address = values.ip_address?.trim() ?? ''
  return {
    name: `Ban of ${address}`,
    check: CHECK,
    async send(client) {
      const body = { ip_address: address, ...reasonIn(values), ...durationIn(values.duration_hours), ...own }
      const { network } = await client.request('POST /security/ban', { body })
      return network ? `done, with its network ${network}.` : 'done.'
    },
  }
}

const reasonIn = ({ reason = '' }: FormValues) => (reason.trim() === '' ? {} : { reason: reason.trim() })

function durationIn(text = ''): { permanent: true } | { duration_hours?: number } {
  if (text === PERMANENT) return { permanent: true }
  const hours = hoursIn(text)
  return hours === undefined ? {} : { duration_hours: hours }
}

const HOST_FIELDS: readonly FormField[] = [
  { name: 'host', label: 'Host', problem: hostProblem },
  { name: 'permanent', label: 'For', choices: [USUAL_BAN, PERMANENT] },
  { name: 'reason', label: 'Reason', problem: shorterThan(100) },
]

/** The form that bans the addresses that called the service by a host name. */
function hostForm(onAnswer: () => void): FormDialog {
  return {
    kind: 'form',
    title: 'Ban the addresses that called a host name in the last 24 hours, but no one who signed in',
    fields: HOST_FIELDS,
    first: { host: '', permanent: USUAL_BAN, reason: '' },
    changeOf: (values) => ({ ...hostChange(values), onAnswer }),
    questionAfter: (refusal, values) => ownBanQuestion(refusal, { ...hostChange(values, OWN), onAnswer }),
  }
}

function hostChange(values: FormValues, own: Partial<typeof OWN> = {}): Change {
  const host = values.host?.trim() ?? ''
  return {
    name: `Ban of host ${host}`,
    check: CHECK,
    async send(client) {
      const permanent = values.permanent === PERMANENT ? { permanent: true } : {}
      const body = { host, ...reasonIn(values), ...permanent, ...own }
      return `${(await client.request('POST /security/ban-host', { body })).message}.`
    },
  }
}

const YEAR_HOURS = 8760

/** Returns the rule that an address breaks: an address in any form, or a /64 network of IPv6. */
function addressProblem(text: string): string | undefined {
  const address = text.trim()
  const [, network] = /^([^%:]*:[^%]*)\/64$/.exec(address) ?? []
  const isGood = network === undefined ? isIP(address) !== 0 : isIPv6(network)
  return isGood ? undefined : 'an address, or a network such as 2001:db8:1:2::/64'
}

/** Returns the rule that the duration of a ban breaks. */
export function durationProblem(text: string): string | undefined {
  if (text === PERMANENT) return undefined
  const hours = hoursIn(text)
  if (hours === undefined) return `whole hours or days: 24h, 7d, or ${PERMANENT}`
  return hours >= 1 && hours <= YEAR_HOURS ? undefined : 'from 1 hour to 1 year'
}

/** Host names: labels of letters, digits and hyphens, joined by dots. */
const HOST = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i

function hostProblem(text: string): string | undefined {
  const host = text.trim()
  return HOST.test(host) || isIP(host) !== 0 ? undefined : 'a host name, such as scanner.example'
}
