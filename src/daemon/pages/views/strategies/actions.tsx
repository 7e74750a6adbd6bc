/** @jsxImportSource hono/jsx */
import { entryAhead } from '../../../../core/strategies/index.js'
import { cell } from '../../components/format.js'
import { ActionForm } from '../../components/forms.js'
import { apiOf, type Props, pathOf } from './parts.js'

/** The name of a strategy, and the buttons for its state. Dangerous ones lead to a question. */
export function Actions({ data, request }: Props) {
  const { strategy } = data
  const { id, name, strategy_kind, underlying } = strategy
  return (
    <>
      <h1>{cell(name)}</h1>
      <p class="lead">
        #{id}, {strategy_kind}, {cell(underlying)}
      </p>
      <p class="notice warning" role="status" data-changed="" hidden>
        The strategy has changed since this page was opened.{' '}
        <a href={pathOf(strategy)}>Show what can be done now</a>
      </p>
      <div class="actions">
        {strategy.current_run_id === null ? (
          <WhileStopped data={data} request={request} />
        ) : strategy.run_state === 'reserved' ? (
          <WhileReserved data={data} request={request} />
        ) : (
          <WhileRunning data={data} request={request} />
        )}
      </div>
    </>
  )
}

function WhileStopped({ data: { strategy }, request: { csrf, now } }: Props) {
  const [to, back] = [apiOf(strategy), pathOf(strategy)]
  const early = entryAhead(strategy, now)
  const { live_enabled, strategy_kind } = strategy
  return (
    <>
      {strategy_kind === 'batch' && (
        <ActionForm
          to={`${to}/start`}
          csrf={csrf}
          back={back}
          fields={{ mode: 'sandbox' }}
          label={
            early === undefined
              ? 'Start in the sandbox'
              : `Start in the sandbox now, before its entry time ${early}`
          }
          tone="main"
        />
      )}
      {strategy_kind === 'batch' && live_enabled && (
        <Ask about="live" strategy={strategy} label="Start live…" />
      )}
      {live_enabled ? (
        <ActionForm
          to={`${to}/live`}
          csrf={csrf}
          back={back}
          fields={{ enabled: 'false' }}
          label="Refuse live runs"
        />
      ) : (
        <Ask about="allow-live" strategy={strategy} label="Allow live runs…" />
      )}
      <Lock data={{ strategy }} csrf={csrf} />
    </>
  )
}

function WhileRunning({ data: { strategy }, request: { csrf } }: Props) {
  return (
    <>
      <Ask about="stop" strategy={strategy} label="Stop…" />
      <Ask about="kill" strategy={strategy} label="Lock the webhook and stop…" />
      {strategy.webhook_locked && <Lock data={{ strategy }} csrf={csrf} />}
    </>
  )
}

/** A stop does not reach a reserved run, so it has no button. */
function WhileReserved({ data: { strategy }, request: { csrf } }: Props) {
  return (
    <>
      <Ask about="release" strategy={strategy} label="Release…" />
      <Lock data={{ strategy }} csrf={csrf} />
    </>
  )
}

/** Without a managed run the lock stops nothing, so it needs no question. */
function Lock({ data: { strategy }, csrf }: { data: Pick<Props['data'], 'strategy'>; csrf: string }) {
  const isLocked = strategy.webhook_locked
  return (
    <ActionForm
      to={`${apiOf(strategy)}/${isLocked ? 'unlock_webhook' : 'kill_switch'}`}
      csrf={csrf}
      back={pathOf(strategy)}
      label={isLocked ? 'Unlock the webhook' : 'Lock the webhook'}
    />
  )
}

function Ask({ about, strategy, label }: { about: string; strategy: { id: number }; label: string }) {
  return (
    <a class="button" href={`${pathOf(strategy)}?confirm=${about}`}>
      {label}
    </a>
  )
}
