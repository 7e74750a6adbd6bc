/** @jsxImportSource hono/jsx */
import type { AnswerOf } from '../../../operations/types.js'
import { Amount } from '../../components/amount.js'
import { rupees } from '../../components/format.js'
import type { PageRequest } from '../../page.js'

export type Data = AnswerOf<'GET /strategies/:id'>['data']
export type Strategy = Data['strategy']
export type ShownRun = NonNullable<AnswerOf<'GET /strategies'>['data']['strategies'][number]['run']>

/** The input of the views of one strategy. */
export interface Props {
  data: Data
  request: PageRequest
}

/** How often the page of a strategy renews its prices. */
export const PRICE_SECONDS = 5

export const pathOf = ({ id }: { id: number }): string => `/strategies/${id}`
export const apiOf = ({ id }: { id: number }): string => `/strategy/api/strategies/${id}`

/** How far the profit is below its highest value. */
export function Drawdown({ run }: { run: Pick<ShownRun, 'drawdown'> }) {
  return run.drawdown === 0 ? rupees(0) : <Amount value={-run.drawdown} />
}

const STATES: Readonly<Record<ShownRun['state'], readonly [text: string, tone: string]>> = {
  running: ['running', 'good'],
  stop_pending: ['stopping', 'warning'],
  reserved: ['reserved', 'bad'],
  finished: ['finished', ''],
}

/** The status of a strategy, with the state of its run where that says more. */
export function State({ status, run }: { status: Strategy['status']; run: ShownRun | null }) {
  const isOver = run === null || run.state === 'finished'
  const [text, tone] = isOver ? [status, status === 'errored' ? 'bad' : ''] : STATES[run.state]
  return <span class={`badge ${tone}`}>{text}</span>
}

/** The mode of a run. Live is the one that a person must not overlook. */
export function Mode({ mode }: { mode: 'live' | 'sandbox' }) {
  return <span class={mode === 'live' ? 'badge bad' : 'badge'}>{mode}</span>
}

/** Whether the webhook takes alerts, and whether live runs are allowed. */
export function Switches({
  webhook_locked,
  live_enabled,
}: Pick<Strategy, 'webhook_locked' | 'live_enabled'>) {
  return (
    <>
      <span class={webhook_locked ? 'badge warning' : 'badge'}>
        {webhook_locked ? 'webhook locked' : 'webhook open'}
      </span>{' '}
      <span class={live_enabled ? 'badge bad' : 'badge'}>
        {live_enabled ? 'live runs allowed' : 'sandbox only'}
      </span>
    </>
  )
}
