import { z } from 'zod'
import { DEFAULT_RULES, riskRulesChange } from '../../../core/risk/index.js'
import { reservedText } from '../../../core/strategies/index.js'
import { fields } from '../../../core/validation/index.js'
import { killSwitchValues } from '../../audit/values.js'
import type { RunningService } from '../../daemon.js'
import type { ActRequest } from '../audit-facts.js'
import { count, instant, message, ok, text } from '../common/answers.js'
import { changing, control, json, reading } from './control-facts.js'

const NOT_STORED =
  'It is not stored yet, because the disk is full or failing: if the service ends before the disk accepts it, ' +
  'trading is on again after the restart. The service retries every second; svc risk show says whether it is stored.'

/**
 * The word that a person types to resume trading. To stop trading takes one key; to resume needs a decision.
 */
const RESUME_WORD = 'RESUME'

const killSwitchPayload = z
  .strictObject({
    on: z.boolean({ error: 'Not a valid boolean.' }),
    reason: fields.text(500).optional(),
    confirm: fields.text(20).optional(),
  })
  .refine((body) => body.on || body.confirm === RESUME_WORD, {
    path: ['confirm'],
    message: `Must be ${RESUME_WORD} to switch trading on again.`,
  })

const riskView = z.strictObject({
  rules: z.record(z.string(), z.unknown()),
  defaults: z.record(z.string(), z.unknown()),
  kill_switch: z.strictObject({
    on: z.boolean(),
    reason: text,
    by: text,
    since: instant.nullable(),
    stored: z.boolean(),
  }),
})
const riskShown = ok({ data: riskView })
const reservedRun = z.strictObject({ strategy_id: count, run_id: count, reason: text })
const killSwitchSet = ok({
  message,
  data: riskView,
  reserved_runs: z.array(reservedRun).meta({
    description: 'Runs of strategies that the service does not manage; a person must look at them.',
  }),
})

/** The pre-trade limits and the kill switch. */
export const RISK_OPERATIONS = {
  'GET /risk': control('Returns the rules of the risk gate and the state of the kill switch.', {
    ...reading,
    answer: riskShown,
    run: ({ risk }) => ({ status: 'success', data: viewOf(risk) }),
  }),
  'PUT /risk': control('Changes risk rules; null switches a rule off.', {
    live: 'change',
    ...changing,
    body: riskRulesChange,
    example: { max_order_value: 500000 },
    answer: riskShown,
    errors: json,
    audit: { act: 'risk.set', values: ({ service }) => service.risk.rules },
    run: async ({ risk }, { body: change }, { username }) => {
      await risk.change(change, username)
      return { status: 'success', data: viewOf(risk) }
    },
  }),
  'POST /risk/kill-switch': control(
    'Turns the kill switch on or off. While it is on, no new order is sent.',
    {
      ...changing,
      fresh: { on: [false] },
      body: killSwitchPayload,
      example: { on: false, confirm: 'RESUME' },
      answer: killSwitchSet,
      errors: json,
      audit: { act: 'kill_switch.set', values: killSwitchState, emergency: true },
      run: async ({ bus, risk, strategyRuns }, { body: { on, reason } }, { username: by }) => {
        const state = await risk.setKillSwitch(on, reason, by)
        bus.publish('kill_switch', { engaged: state.on, reason: state.reason, by })
        const reserved = strategyRuns.reserved()
        return {
          status: 'success',
          message: `${killSwitchMessage(on, risk.killSwitchStored)}${on ? reservedText(reserved) : ''}`,
          data: viewOf(risk),
          reserved_runs: reserved.map((run) => ({
            strategy_id: run.strategyId,
            run_id: run.runId,
            reason: run.reason,
          })),
        }
      },
    },
  ),
}

function viewOf(risk: RunningService['risk']) {
  const { since, ...state } = risk.killSwitch
  return {
    rules: risk.rules,
    defaults: { ...DEFAULT_RULES },
    kill_switch: {
      ...state,
      since: since ? new Date(since).toISOString() : null,
      stored: risk.killSwitchStored,
    },
  }
}

function killSwitchMessage(on: boolean, stored: boolean): string {
  if (!on) return 'Trading resumed.'
  const isOn = 'Kill switch on: no new order is sent. Cancels and closes still work.'
  return stored ? isOn : `${isOn} ${NOT_STORED}`
}

function killSwitchState({ service }: ActRequest<RunningService>) {
  return killSwitchValues(service.risk)
}
