import type { RouteAnswer } from '../../../client/endpoints.js'
import { RISK_COLUMNS, riskRows } from '../../../views/system/risk.js'
import { cellText, visible } from '../../../views/table/cells.js'
import type { Column } from '../../../views/table/column.js'
import { everywhere, reportFailures } from '../../contexts/everywhere.js'
import { LOCAL } from '../../contexts/words.js'
import { asksAgain } from '../../framework/asks-again.js'
import { splitAssignment } from '../../framework/assignments.js'
import type { CommandSpec, Input, NounSpec } from '../../framework/command/command.js'
import { called, declared, either } from '../../framework/command/declared.js'
import type { Context } from '../../framework/context.js'
import { asSentence, usageError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import type { GlobalSettings } from '../../framework/globals.js'
import { inContext } from '../../http/credentials.js'
import { tellLook } from '../../io/confirm.js'
import { waitingOrders } from '../order/change.js'
import { openPositions } from '../trade/position.js'

type Risk = RouteAnswer<'GET /risk' | 'PUT /risk'>

const riskTable = ({ data }: Risk) =>
  ({ rows: riskRows(data), columns: RISK_COLUMNS, id: 'rule', empty: 'No rules.' }) as const
const riskDocument = ({ data }: Risk) => ({ record: data, fields: [], id: 'kill_switch' }) as const
const isDocument = (_: Input, { format }: GlobalSettings) => format !== undefined && format !== 'name'

const show: CommandSpec = {
  name: 'show',
  summary: 'Shows the limits of the risk gate and the kill switch.',
  examples: ['risk show', 'risk show --json'],
  run: either(
    isDocument,
    called({ calls: 'GET /risk', record: riskDocument }),
    called({ calls: 'GET /risk', list: riskTable }),
  ),
}

/** The value that restores the default of a rule. */
const DEFAULT = 'default'

const set: CommandSpec = {
  name: 'set',
  summary: 'Sets limits. `off` removes one, `default` restores its default. svc risk show lists the names.',
  examples: [
    'risk set max_order_value=500000',
    'risk set max_orders_per_day=200 allowed_exchanges=NSE,NFO',
    'risk set max_order_value=off',
    'risk set max_order_value=default',
  ],
  arguments: [{ syntax: '<rule=value...>', summary: 'a limit and its value', complete: 'rules' }],
  run: either(
    isDocument,
    called({ calls: 'PUT /risk', request: changedRules, record: riskDocument }),
    called({ calls: 'PUT /risk', request: changedRules, list: riskTable }),
  ),
}

/** Returns the rules to store. The daemon refuses one that it does not know. */
async function changedRules(input: Input, context: Context) {
  const given = input.words(0).map(parseRule)
  const hasDefault = given.some(([, value]) => value === DEFAULT)
  const defaults = hasDefault ? (await context.read('GET /risk')).body.data.defaults : {}
  const rules = given.map(([rule, value]) => [
    rule,
    value === DEFAULT && rule in defaults ? defaults[rule] : value,
  ])
  return { body: Object.fromEntries(rules) }
}

/** Parses a rule: `off` removes it, digits are a number, a comma separates a list. */
function parseRule(text: string): [string, unknown] {
  const [rule, given] = splitAssignment(text, 'rule=value', 'Example: svc risk set max_order_value=500000')
  const value = given.trim()
  // An unset variable of a script is no wish to trade without a limit.
  if (value === '') throw usageError(`${rule} has no value.`, '`off` removes a limit, `default` restores it.')
  if (['off', 'none', 'null'].includes(value)) return [rule, null]
  if (/^-?\d+(\.\d+)?$/.test(value)) return [rule, Number(value)]
  if (value === 'true' || value === 'false') return [rule, value === 'true']
  const isList = value.includes(',') || rule.startsWith('allowed_')
  return [rule, isList ? value.split(',').map((part) => part.trim()) : value]
}

const kill: CommandSpec = {
  name: 'kill',
  summary: 'Turns the kill switch on: no new order is sent. Cancels and closes still work.',
  details:
    '--all-contexts does it at all daemons at once: svc context list. Each is reported, and none waits for another. The exit status is that of the most severe failure.',
  examples: ['risk kill --reason "bad feed"', 'risk kill --all-contexts --reason "bad feed"'],
  options: [
    { flags: '--reason <text>', summary: 'reason; shown with each refusal' },
    { flags: '--all-contexts', summary: 'at the daemons of all contexts' },
  ],
  async run(context, input) {
    const reason = input.text('reason')
    if (input.flag('allContexts')) return killEverywhere(context, reason)
    const { body } = await context.change('POST /risk/kill-switch', killBody(reason))
    await context.out.acted(body, 'The kill switch is ON: no new order is sent. Lift it: svc risk resume')
    const isPlain = body.data.kill_switch.stored && body.reserved_runs.length === 0
    if (!isPlain) await context.out.warn(body.message)
    await tellWhatStays(context)
    return EXIT.done
  },
}

const killBody = (reason: string | undefined) => ({
  body: { on: true, ...(reason !== undefined && { reason }) },
})

/** How long each daemon may take; an emergency does not wait half a minute for one that hangs. */
const KILLED_WITHIN_MS = 10_000

/** Turns the kill switch on at all daemons. A person sees each as it answers, and all of them at the end. */
async function killEverywhere(context: Context, reason: string | undefined): Promise<ExitStatus> {
  const outcomes = await everywhere(context, KILLED_WITHIN_MS, async (one) => {
    const followUp = `It may be on. Check: ${inContext(one.target, 'svc risk show')}`
    const { body } = await one.change('POST /risk/kill-switch', killBody(reason), { followUp })
    if (context.out.isHuman) context.out.note(`${one.target.context?.name ?? LOCAL}: the kill switch is ON`)
    return body.data.kill_switch
  })
  const rows = outcomes.map(({ answer, failure, name }) => ({
    context: name,
    kill_switch: answer?.on ?? null,
    stored: answer?.stored ?? null,
    outcome: failure?.code ?? 'on',
    problem: failure?.message ?? null,
  }))
  await context.out.list({ rows, columns: EVERYWHERE, id: 'context', empty: '' })
  for (const { context: name } of rows.filter(({ stored }) => stored === false)) {
    await context.out.warn(`${name}: the kill switch is on, and could not be stored; a restart forgets it`)
  }
  reportFailures(context, outcomes)
  return EXIT.done
}

const EVERYWHERE = [
  { key: 'context' },
  { key: 'kill_switch', title: 'KILL SWITCH' },
  { key: 'stored', leaves: 1 },
  { key: 'outcome', kind: 'status' },
  { key: 'problem', leaves: 2 },
] as const satisfies readonly Column[]

/**
 * Shows a person what the kill switch does not touch. It is on already: a question before it would cost the
 * seconds that it is for.
 */
async function tellWhatStays(context: Context): Promise<void> {
  if (!context.settings.interactive) return
  await tellLook(
    context,
    () => waitingOrders(context),
    'They may still fill. Cancel them: svc order cancel-all',
  )
  await tellLook(context, () => openPositions(context), 'They stay open. Close them: svc position close-all')
}

const resume = declared({
  name: 'resume',
  summary: 'Turns the kill switch off. Asks for the word RESUME, or takes it from --confirm.',
  details: asksAgain(),
  examples: ['risk resume', 'risk resume --confirm RESUME'],
  options: [{ flags: '--confirm <word>', summary: 'RESUME, for scripts' }],
  calls: 'POST /risk/kill-switch',
  request: () => ({ body: { on: false, confirm: 'RESUME' } }),
  async confirms({ context, input }) {
    await tellWhyOn(context)
    await context.prompts.confirmWord('New orders will be sent again', 'RESUME', input.text('confirm'))
  },
  acted: () => 'The kill switch is off.',
})

/** Says why the kill switch is on: a restore, for example, leaves work to do first. A failed read does not keep it on. */
async function tellWhyOn(context: Context): Promise<void> {
  const seen = await context.read('GET /risk').catch(() => undefined)
  const state = seen?.body.data.kill_switch
  if (!state?.on) return
  const { by, reason, since } = state
  const at = cellText(since, 'time', { human: true, utc: context.settings.utc, now: context.io.now() })
  context.out.note(`The kill switch is on since ${at}, by ${by}: ${visible(asSentence(reason))}`)
}

export const risk: NounSpec = {
  summary: 'The pre-trade risk gate: the limits that every order is checked against, and the kill switch.',
  examples: ['risk show', 'risk set max_order_value=500000', 'risk kill --reason "bad feed"', 'risk resume'],
  verbs: [show, set, kill, resume],
}
