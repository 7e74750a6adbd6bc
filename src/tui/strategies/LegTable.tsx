import { Text } from 'ink'
import { visible } from '../../views/table/cells.js'
import { ageText } from '../../views/text/age.js'
import { Table } from '../components/list/Table.js'
import { cut } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'
import { LEGS } from './columns.js'
import type { Details } from './feed.js'

export const NONE: ReadonlySet<number> = new Set()
/** Prices are stored every 5 seconds; older ones are dimmed. */
const PRICES_OLD_MS = 15_000

export interface LiveArea extends Area {
  now: number
  /** True while the daemon does not answer. */
  isStale: boolean
}

/** The legs of a strategy, dimmed when their prices are old. */
export function LegTable(props: LiveArea & { details: Details; selected: number | undefined }) {
  const { details, now, isStale, ...rest } = props
  const isOld = details.pricedAt !== undefined && now - details.pricedAt > PRICES_OLD_MS
  return (
    <Table {...rest} now={now} rows={details.legs} columns={LEGS} marked={NONE} isStale={isStale || isOld} />
  )
}

/** The name of the strategy, its run, and the age of the prices. */
export function RunLine({ details, width, now }: { details: Details; width: number; now: number }) {
  const { strategy, run, pricedAt } = details
  const isRunning = strategy.current_run_id !== null && run !== undefined
  const state =
    run === undefined
      ? 'has never run'
      : isRunning
        ? runningText(run)
        : `last run ${run.id}: ${run.stop_reason}`
  const age =
    isRunning && pricedAt !== undefined ? `, prices ${ageText(Math.max(0, now - pricedAt))} old` : ''
  return <Text bold>{cut(visible(`${strategy.id} ${strategy.name}: ${state}${age}`), width)}</Text>
}

function runningText({
  id,
  mode,
  reserved_at,
  stop_requested_reason: stop,
}: NonNullable<Details['run']>): string {
  if (reserved_at !== null) return `run ${id} in ${mode} mode, RESERVED: nobody manages it (see its events)`
  return stop === null ? `run ${id} in ${mode} mode` : `run ${id} in ${mode} mode, stopping (${stop})`
}
