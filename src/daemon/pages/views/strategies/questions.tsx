/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import { entryAhead } from '../../../../core/strategies/index.js'
import { cell, number, rupees } from '../../components/format.js'
import { ActionForm, Field, Tick } from '../../components/forms.js'
import { NoticeBox } from '../../components/notice.js'
import { Tiles } from '../../components/table.js'
import { LIVE_WORD } from '../../strategy-forms.js'
import { ConfiguredLegs, sideName } from './legs.js'
import { apiOf, type Props, pathOf } from './parts.js'

/** The question of `?confirm=`; undefined if there is none, or if it does not fit the state any more. */
export function questionOf({ data, request }: Props): Child | undefined {
  const { confirm, run_id } = request.query
  // The questions are about the current run.
  if (run_id !== undefined) return undefined
  const isReserved = data.strategy.run_state === 'reserved'
  if (isReserved) return confirm === 'release' ? <Release data={data} request={request} /> : undefined
  const isRunning = data.strategy.current_run_id !== null
  if (isRunning && confirm === 'stop') return <Stop data={data} request={request} />
  if (isRunning && confirm === 'kill') return <Kill data={data} request={request} />
  if (isRunning && confirm === 'close') return <CloseLeg data={data} request={request} />
  if (!isRunning && confirm === 'live') return <StartLive data={data} request={request} />
  if (!isRunning && confirm === 'allow-live') return <AllowLive data={data} request={request} />
  return undefined
}

interface QuestionProps extends Props {
  title: string
  /** The path of the request below the strategy. */
  to: string
  label: string
  fields?: Readonly<Record<string, string>>
  /** The content of the form, for a word to type. */
  typed?: Child
  children?: Child
}

/** One question: what happens, to what, and the way out. */
function Question({ data, request, title, to, label, fields = {}, typed, children }: QuestionProps) {
  const { strategy } = data
  const { csrf, path, query } = request
  return (
    <section>
      <h1>{title}</h1>
      {children}
      <div class="actions">
        <ActionForm
          to={`${apiOf(strategy)}/${to}`}
          csrf={csrf}
          back={pathOf(strategy)}
          fields={{ ...fields, retry: `${path}?${new URLSearchParams(query)}` }}
          label={label}
          tone="danger"
        >
          {typed}
        </ActionForm>
        <Back data={data} />
      </div>
    </section>
  )
}

function Back({ data: { strategy } }: Pick<Props, 'data'>) {
  return (
    <a class="button" href={pathOf(strategy)}>
      Change nothing
    </a>
  )
}

function Stop(props: Props) {
  const { name } = props.data.strategy
  return (
    <Question {...props} title={`Stop ${cell(name)}?`} to="stop" label="Stop and close">
      <Held {...props} />
    </Question>
  )
}

function Kill(props: Props) {
  const { name } = props.data.strategy
  return (
    <Question
      {...props}
      title={`Lock the webhook of ${cell(name)}, and stop its run?`}
      to="kill_switch"
      label="Lock and stop"
    >
      <p>No alert starts it until you unlock it.</p>
      <Held {...props} />
    </Question>
  )
}

function CloseLeg(props: Props) {
  const { live, strategy } = props.data
  const leg = live?.legs.find(({ leg_id }) => String(leg_id) === props.request.query.leg)
  if (!leg) {
    return (
      <section>
        <NoticeBox tone="warning">This leg is not open any more.</NoticeBox>
        <Back data={props.data} />
      </section>
    )
  }
  return (
    <Question
      {...props}
      title={`Close leg ${leg.leg_id} of ${cell(strategy.name)}?`}
      to={`legs/${leg.leg_id}/close`}
      label="Close the leg"
    >
      <p>
        {sideName(leg.position)} {number(leg.qty)} <b>{cell(leg.symbol)}</b> {leg.exchange}. The other legs
        stay open.
      </p>
    </Question>
  )
}

/** The word of a person who has closed the positions of a reserved run. */
function Release(props: Props) {
  const { run, strategy } = props.data
  return (
    <Question
      {...props}
      title={`Release run ${strategy.current_run_id} of ${cell(strategy.name)}?`}
      to={`runs/${strategy.current_run_id}/release`}
      label="Release the run"
      typed={
        <>
          <Field name="reason" label="What you found and did" autocomplete="off" maxlength={500} required />
          <Tick name="closed_by_hand" label="The run holds nothing any more" required />
          <Tick name="positions_checked" label="Positions that the account shows belong to somebody else" />
        </>
      }
    >
      <NoticeBox tone="bad">
        {cell(run?.row.reserved_reason ?? 'The service could not restore the run')}.
      </NoticeBox>
      <p>
        The run ends and the strategy is free again. Nothing is sent: close its positions at the broker first.
        The release is refused while an order of the run may still trade, and while the account shows a
        position in its contracts, unless you have checked these positions.
      </p>
    </Question>
  )
}

/** The positions that a stop closes at the market. */
function Held({ data: { live, run } }: Props) {
  const held = (live?.legs ?? []).filter(({ qty }) => qty > 0)
  const where = run?.mode === 'live' ? 'at the broker, with live orders' : 'in the sandbox'
  if (held.length === 0) return <p>The run holds no position now.</p>
  return (
    <>
      <p>It closes at the market, {where}:</p>
      <ul>
        {held.map(({ exchange, leg_id, position, qty, symbol }) => (
          <li>
            leg {leg_id}: {sideName(position)} {number(qty)} <b>{cell(symbol)}</b> {exchange}
          </li>
        ))}
      </ul>
    </>
  )
}

function AllowLive(props: Props) {
  const { name, strategy_kind } = props.data.strategy
  return (
    <Question
      {...props}
      title={`Allow live runs of ${cell(name)}?`}
      to="live"
      label="Allow live runs"
      fields={{ enabled: 'true' }}
    >
      <p>
        {strategy_kind === 'signal'
          ? 'From then on its signals open live runs, whose orders go to the broker, while the service is in Live mode.'
          : 'Then a start from here, the API, its webhook or its schedule may send live orders to the broker, while the service is in Live mode.'}
      </p>
    </Question>
  )
}

/** The review before live orders: where they go, what they are, and what limits them. */
function StartLive(props: Props) {
  const { data, request } = props
  const { strategy } = data
  const { around } = request
  const obstacle = obstacleOf(props)
  const early = entryAhead(strategy, request.now)
  const review = (
    <>
      <Tiles
        facts={[
          ['Orders go to', cell(around?.broker)],
          ['Product', strategy.product],
          ['Overall stop', limit(strategy.overall_sl_mtm)],
          ['Overall target', limit(strategy.overall_target_mtm)],
          ['Loss limit of the day', limit(strategy.daily_loss_limit_inr)],
          ['Enters', early === undefined ? 'now' : `now, before its entry time ${early}`],
          ['Closes at', strategy.exit_time ?? 'not by itself'],
        ]}
      />
      <ConfiguredLegs strategy={strategy} />
      {around?.orderMode === 'semi_auto' && (
        <p>The order mode is semi-auto: each entry waits for your approval. Exits are sent at once.</p>
      )}
    </>
  )
  const title = `Start ${cell(strategy.name)} with live orders?`
  if (obstacle !== undefined) {
    return (
      <section>
        <h1>{title}</h1>
        <NoticeBox tone="warning">{obstacle}</NoticeBox>
        {review}
        <Back data={data} />
      </section>
    )
  }
  return (
    <Question
      {...props}
      title={title}
      to="start"
      label="Start with live orders"
      fields={{ mode: 'live', broker: around?.broker ?? '', updated_at: strategy.updated_at }}
      typed={
        <Field
          name="word"
          label={`Type ${LIVE_WORD} to confirm`}
          autocomplete="off"
          maxlength={20}
          required
        />
      }
    >
      {review}
    </Question>
  )
}

/** Returns why a live start would be refused now. */
function obstacleOf({ data: { strategy }, request: { around } }: Props): string | undefined {
  if (strategy.strategy_kind === 'signal')
    return 'A signal strategy has no start: its first entry signal opens the run.'
  if (!strategy.live_enabled) return 'Live runs of this strategy are not allowed.'
  if (around?.analyzeMode) return 'The service is in Analyzer mode, where no live run starts.'
  if (around?.killSwitch) return 'The kill switch is on: every entry would be refused.'
  if (!around?.brokerConnected) return 'The broker is not connected.'
  return undefined
}

const limit = (amount: number | null): string => (amount === null || amount === 0 ? 'none' : rupees(amount))
