import { spawn } from 'node:child_process'
import { text as textOf } from 'node:stream/consumers'
import { isObject, type JsonObject, numberMember, parseJson, textMember } from '../../client/answers/json.js'
import { orderText, termsText } from '../../views/orders/order.js'
import { amountText, figureLines } from '../orders/place-review.js'
import type { Refusal } from '../question/use-question.js'
import type { CommandAccess, NamedCommand } from './access.js'

/** The result of the dry run of a command that places orders. */
export interface Rehearsal {
  /** The facts of a review. */
  lines: readonly string[]
  /** The money at stake in rupees: the value, or the margin if that is more; null if it is not known. */
  stake: number | null
}

/** The commands that place orders, and have a dry run. */
const PLACES: ReadonlySet<string> = new Set([
  ...['order place', 'order smart', 'order split', 'order basket', 'order options', 'order options-multi'],
  'do',
])

/** The words with which a command is no new request, or has no dry run of its own. */
const LEFT_ALONE = /^(?:--|-n|--dry-run|--retry-failed)$/

/**
 * Returns what a command that places orders would do, as its own dry run says, or why it would be refused. It sends nothing.
 * Undefined for other commands, and for a dry run without an answer.
 */
export async function rehearsalOf(
  access: CommandAccess,
  words: readonly string[],
  command: NamedCommand | undefined,
): Promise<Rehearsal | Refusal | undefined> {
  if (!PLACES.has(command?.path.join(' ') ?? '') || words.some((word) => LEFT_ALONE.test(word)))
    return undefined
  const { errors, exit, output } = await dryRun(access, [...plainWords(words), '--dry-run', '--json'])
  const answer = parseJson(output)
  if (Array.isArray(answer)) return severalOrders(answer.filter(isObject))
  if (isObject(answer)) return oneOrder(answer)
  return exit === 0 ? undefined : { refusal: reasonIn(errors) }
}

/** Returns the words of a command without the form of its output, and without what a dry run excludes. */
function plainWords(words: readonly string[]): readonly string[] {
  const isNamed = (word: string | undefined) => /^(?:-o|--output|--jq|--template)$/.test(word ?? '')
  return words.filter(
    (word, at) =>
      !isNamed(word) &&
      !isNamed(words[at - 1]) &&
      !/^(?:-q|--quiet|--jsonl?|-o.+|(?:--output|--jq|--template)=.*|--all-or-nothing)$/.test(word),
  )
}

async function dryRun({ env, program: [command, ...first] }: CommandAccess, words: readonly string[]) {
  const child = spawn(command, [...first, ...words], {
    env: { ...process.env, ...env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  const [output, errors, exit] = await Promise.all([textOf(child.stdout), textOf(child.stderr), ended])
  return { output, errors, exit }
}

function oneOrder(answer: JsonObject): Rehearsal {
  const { checks, order } = answer
  // A smart order whose position is there already.
  if (!isObject(order)) return { lines: [textMember(answer, 'message') ?? 'no order is needed.'], stake: 0 }
  const figures = {
    last_price: numberMember(answer, 'last_price') ?? null,
    value: numberMember(answer, 'value') ?? null,
    margin_required: numberMember(answer, 'margin_required') ?? null,
    checks: (Array.isArray(checks) ? checks : []).filter(isObject).map(checkOf),
  }
  return {
    lines: [orderLine(order), ...figureLines(figures)],
    stake: stakeOf([figures.value, figures.margin_required]),
  }
}

function checkOf(check: JsonObject) {
  const message = textMember(check, 'message')
  return {
    rule: textMember(check, 'rule') ?? 'a check',
    ok: check.ok === true,
    ...(message !== undefined && { message }),
  }
}

function severalOrders(rows: readonly JsonObject[]): Rehearsal {
  const values = rows.map((row) => numberMember(row, 'value') ?? null)
  const isKnown = values.every((value) => value !== null)
  const value = isKnown ? values.reduce((sum: number, one) => sum + (one ?? 0), 0) : null
  const lines = rows.map(
    (row) => `${orderLine(row)}${row.status === 'refused' ? `: ${refusedText(row)}` : ''}`,
  )
  return { lines: [...lines, `estimated value ${amountText(value)}`], stake: value }
}

const refusedText = (row: JsonObject) =>
  `REFUSED by ${textMember(row, 'rule') ?? 'a check'}: ${textMember(row, 'message') ?? 'no reason given'}`

function orderLine(order: JsonObject): string {
  const text = (name: string) => textMember(order, name) ?? ''
  const named = { action: text('action'), quantity: text('quantity') }
  const terms = {
    pricetype: textMember(order, 'pricetype') ?? 'MARKET',
    price: numberMember(order, 'price') ?? 0,
    trigger_price: numberMember(order, 'trigger_price') ?? 0,
  }
  const product = textMember(order, 'product')
  return [
    orderText({ ...named, exchange: text('exchange'), symbol: text('symbol') }),
    termsText(terms),
    ...(product === undefined ? [] : [product]),
  ].join(', ')
}

/** Returns the most of some amounts; null without any. */
function stakeOf(amounts: readonly (number | null)[]): number | null {
  const known = amounts.filter((amount) => amount !== null)
  return known.length === 0 ? null : Math.max(...known)
}

/** Returns the message of a failed command: its last line is an error as JSON. */
function reasonIn(errors: string): string {
  const last = errors.trim().split('\n').at(-1) ?? ''
  const error = parseJson(last)
  if (!isObject(error)) return last === '' ? 'The dry run of this command failed.' : last
  return [textMember(error, 'message'), textMember(error, 'hint')]
    .filter((part) => part !== undefined)
    .join(' ')
}
