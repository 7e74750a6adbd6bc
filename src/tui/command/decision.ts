import { messageOf } from '../../core/errors/index.js'
import { type Account, requireSame } from '../live/account.js'
import type { LiveDaemon } from '../live/daemon.js'
import type { QuestionText } from '../question/Question.js'
import { placeText } from '../question/review.js'
import type { Refusal } from '../question/use-question.js'
import { LIVE_WORD, orderWord } from '../question/weight.js'
import type { CommandAccess, NamedCommand } from './access.js'
import {
  checkOf,
  lowersRisk,
  mayChange,
  mayReachBrokerInAnalyze,
  otherDaemonRefusal,
  refusalOf,
  withTable,
} from './reads.js'
import { rehearsalOf } from './rehearsal.js'
import { parsedLine, quoted } from './words.js'

/** A line that may run, the question that comes first, and the mode and the broker that it names. */
export interface Accepted {
  /** The line as it was typed. */
  text: string
  /** The line as it runs, without `svc`: an alias is replaced. */
  line: string
  /** The words of the program that runs. */
  words: readonly string[]
  /** The command that shows what became of one that may change something. */
  check?: string
  question?: QuestionText
  account?: Account
}

export type Decision = Accepted | Refusal

/** Decides whether a line runs, and what is asked before. */
export async function decisionOn(text: string, access: CommandAccess, daemon: LiveDaemon): Promise<Decision> {
  const { words: all, isOpen } = parsedLine(text)
  const typed = all[0] === 'svc' ? all.slice(1) : all
  if (isOpen) return { refusal: 'A quote is not closed.' }
  if (typed.every((word) => word === '')) return { refusal: 'Type a command of svc, such as: order list' }
  try {
    const words = await access.expanded(typed)
    const command = await access.commandOf(words).catch(() => undefined)
    const refusal = otherDaemonRefusal(words) ?? refusalOf(command)
    if (refusal !== undefined) return { refusal }
    const line = words.map(quoted).join(' ')
    const accepted = { text, line, words: withTable(words, command) }
    if (!mayChange(command)) return accepted
    return await asked({ ...accepted, check: checkOf(line, command) }, command, { access, daemon })
  } catch (thrown) {
    return { refusal: messageOf(thrown) }
  }
}

/**
 * Returns a line that may change something, with its question; where all is simulated it has none. In LIVE mode the
 * question needs the word, as the orders of the screens do, and that of orders says what they are, with their value.
 */
async function asked(
  accepted: Accepted,
  command: NamedCommand | undefined,
  { access, daemon }: { access: CommandAccess; daemon: LiveDaemon },
): Promise<Decision> {
  const lines = [`svc ${accepted.line}`]
  const live = { lines, ...(lowersRisk(command) ? {} : { word: LIVE_WORD }) }
  const account = await daemon.accountNow().catch(() => undefined)
  if (account === undefined) {
    const title = 'Run this? The daemon did not say its mode: it may be LIVE.'
    return { ...accepted, question: { title, ...live } }
  }
  const { analyze_mode, broker } = account
  if (!analyze_mode) {
    const rehearsal = await rehearsalOf(access, accepted.words, command)
    if (rehearsal !== undefined && 'refusal' in rehearsal) return rehearsal
    const facts = rehearsal && {
      lines: [...lines, placeText(account), ...rehearsal.lines],
      ...orderWord(account, rehearsal.stake),
    }
    return {
      ...accepted,
      account,
      question: { title: `Run this in LIVE mode at ${broker}?`, ...live, ...facts },
    }
  }
  if (!mayReachBrokerInAnalyze(command)) return accepted
  const title = `Run this? In ANALYZE mode, too, the exits of a live run reach ${broker}.`
  return { ...accepted, account, question: { title, lines } }
}

/** Decides again about a line after the yes: it is for the mode and the broker that the question named. */
export async function confirmed(accepted: Accepted, daemon: LiveDaemon): Promise<Decision> {
  try {
    if (accepted.account !== undefined) await requireSame(daemon.accountNow(), accepted.account)
    return accepted
  } catch (thrown) {
    return { refusal: `Not run: ${messageOf(thrown)}` }
  }
}
