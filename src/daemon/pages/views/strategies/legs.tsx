/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import { Amount } from '../../components/amount.js'
import { cell, number, rupees } from '../../components/format.js'
import { type Column, Table } from '../../components/table.js'
import { type Data, type Props, pathOf, type Strategy } from './parts.js'

type LiveLeg = NonNullable<Data['live']>['legs'][number]
type Leg = Strategy['legs'][number]

const price = (value: number | null): string => (value === null ? '–' : rupees(value))

/** The legs of the run as they are now. */
export function LiveLegs({ data: { live, strategy } }: Props) {
  return (
    <Table
      caption="Legs now"
      columns={liveColumns(strategy)}
      rows={live?.legs ?? []}
      empty="The run has no legs."
    />
  )
}

const liveColumns = (strategy: Strategy): readonly Column<LiveLeg>[] => [
  {
    title: 'Leg',
    cell: ({ exchange, leg_id, symbol }) => (
      <>
        {leg_id}: <b>{cell(symbol)}</b> {exchange}
      </>
    ),
  },
  {
    title: 'Holds',
    cell: ({ outgoing_qty, position, qty, status }) => (
      <>
        {qty === 0 ? status : `${sideName(position)} ${number(qty)}`}
        {outgoing_qty > 0 && <span class="sub">closing {number(outgoing_qty)}</span>}
      </>
    ),
    look: 'tight',
  },
  {
    title: 'Entry, last',
    cell: ({ entry_avg, ltp }) => (
      <>
        {price(entry_avg)}
        <span class="sub">{price(ltp)}</span>
      </>
    ),
    look: 'num',
  },
  {
    title: 'Stop, target',
    cell: ({ effective_sl, effective_target, trail_active }) => (
      <>
        {price(effective_sl)}
        {trail_active && ' trailing'}
        <span class="sub">{price(effective_target)}</span>
      </>
    ),
    look: 'num',
  },
  {
    title: 'P&L',
    cell: ({ mtm, realized_pnl }) => <Amount value={paise(mtm + realized_pnl)} />,
    look: 'num',
  },
  {
    title: 'Feed',
    cell: ({ qty, tick_source, waiting_to_reenter }) =>
      waiting_to_reenter ? 'waits to enter again' : qty === 0 ? '–' : tick_source,
  },
  {
    title: 'Close',
    cell: (leg) =>
      leg.status === 'open' ? (
        <a
          class="button"
          href={`${pathOf(strategy)}?confirm=close&leg=${leg.leg_id}`}
          aria-label={`Close leg ${leg.leg_id}, ${leg.symbol}`}
        >
          Close…
        </a>
      ) : (
        '–'
      ),
  },
]

/** Removes what adding two amounts of paise leaves behind the second decimal. */
const paise = (amount: number): number => Math.round(amount * 100) / 100

export const sideName = (position: LiveLeg['position']): string =>
  position === 'B' ? 'long' : position === 'S' ? 'short' : ''

/** The legs as they are configured. */
export function ConfiguredLegs({ strategy }: { strategy: Strategy }) {
  return <Table caption="Legs" columns={CONFIGURED} rows={strategy.legs} empty="It has no legs." />
}

const CONFIGURED: readonly Column<Leg>[] = [
  { title: 'Leg', cell: ({ id }) => id },
  {
    title: 'Side',
    cell: (leg) => ('side' in leg ? leg.side : leg.position === 'B' ? 'BUY' : 'SELL'),
    look: 'tight',
  },
  { title: 'Contract', cell: contractOf },
  {
    title: 'Quantity',
    cell: (leg) =>
      'qty' in leg ? `${number(leg.qty)} ${leg.qty_mode}` : `${number(leg.lots)} ${unitOf(leg)}`,
    look: 'num',
  },
  { title: 'Stop', cell: (leg) => distance(leg.sl_pts, leg), look: 'num' },
  { title: 'Target', cell: (leg) => distance(leg.target_pts, leg), look: 'num' },
  {
    title: 'Trail',
    cell: ({ trail }) => (trail === null ? '–' : `${number(trail.x)} / ${number(trail.y)}`),
    look: 'num',
  },
]

const unitOf = (leg: { segment: string }): string => (leg.segment === 'cash' ? 'shares' : 'lots')

function contractOf(leg: Leg): Child {
  if ('symbol' in leg) return `${leg.symbol} ${leg.exchange}`
  const strike = leg.strike_mode === 'strike' ? leg.strike : leg.atm_offset
  const parts = [leg.segment, leg.expiry, leg.option_type === null ? null : strike, leg.option_type]
  return parts.filter((part) => part !== null).join(' ')
}

function distance(points: number | null, { risk_unit }: Leg): string {
  return points === null || points === 0
    ? '–'
    : `${number(points)} ${risk_unit === 'percent' ? '%' : 'points'}`
}
