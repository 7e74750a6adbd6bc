import type { SvcError } from '../../client/index.js'
import { hoursIn, PERMANENT } from '../../views/security/hours.js'
import { BAN_WORD, consequencesOfOwnBan } from '../../views/security/own-ban.js'
import { shorterThan } from '../components/form/checks.js'
import type { FormField, FormValues } from '../components/form/Form.js'
import type { FormDialog } from '../dialog/dialog.js'
import type { Change } from '../live/changes/changes.js'
import type { ChangeQuestion } from '../question/use-question.js'
import { addressProblem, durationProblem, hostProblem } from './checks.js'
import type { BanRow, SuspectRow } from './feeds.js'

const USUAL_BAN = '24h'
const CHECK = 'svc ban list'

const BAN_FIELDS: readonly FormField[] = [
  { name: 'ip_address', label: 'Address', problem: addressProblem },
  { name: 'duration_hours', label: 'For', problem: durationProblem },
  { name: 'reason', label: 'Reason', problem: shorterThan(150) },
]

/** The form that bans an address. */
export function banForm(address: string, reason: string, onAnswer: () => void): FormDialog {
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
export function hostForm(onAnswer: () => void): FormDialog {
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

export function liftQuestion({ ip_address, ban_reason }: BanRow, onAnswer: () => void): ChangeQuestion {
  return {
    title: `Lift the ban of ${ip_address}?`,
    lines: [`It was banned for: ${ban_reason}`],
    change: {
      name: `End of the ban of ${ip_address}`,
      check: CHECK,
      onAnswer,
      async send(client) {
        await client.request('POST /security/unban', { body: { ip_address } })
        return `${ip_address} is no longer banned.`
      },
    },
  }
}

/** Forgets the 404s of an address. */
export function clearChange({ ip_address }: SuspectRow, onAnswer: () => void): Change {
  return {
    name: `404s of ${ip_address}`,
    check: 'svc ban list --suspicious',
    onAnswer,
    async send(client) {
      await client.request('POST /security/clear-404', { body: { ip_address } })
      return 'forgotten.'
    },
  }
}
