import { sha256Hex } from '../../core/secrets/index.js'
import type { RunningService } from '../daemon.js'
import type { Recorded, ActRequest as Request, SharedTurn } from '../operations/audit-facts.js'
import type { OperationName } from '../operations/operation.js'
import { smtpView } from '../routes/control/smtp.js'
import { contactView, whatsappView } from '../routes/messages/control.js'
import { telegramView } from '../routes/messages/telegram.js'
import type { Service } from '../service.js'
import { killSwitchValues, pendingOrderValues } from './values.js'

type ActRequest = Request<Service>
type Act = Recorded<Service>

const row = (act: string, values?: Act['values']): Act => ({ act, ...(values && { values }) })
const emergency = (act: string, values: Act['values']): Act => ({ ...row(act, values), emergency: true })
const ofTarget = (act: string, values: Act['values']): Act => ({ ...row(act, values), ofTarget: true })

const mode = ({ service }: ActRequest) => ({ mode: service.mode() })
const killSwitch = ({ service }: ActRequest) => killSwitchValues(service.risk)
const journalled = async ({ service, params }: ActRequest) => {
  const order = await service.journal.find(params.ref ?? '')
  return order && { state: order.state, order_id: order.orderId, reason: order.reason }
}
const brokerSession = ({ service: { brokers } }: ActRequest) => ({
  broker: brokers.brokerId,
  signed_in: brokers.session !== undefined,
  session_expires: brokers.session?.expiresAt ?? null,
})
/** Apart from the session: a download takes minutes, and a sign-in must not wait for it. */
const instruments = ({ service: { brokers, instruments: list } }: ActRequest) => ({
  broker: brokers.brokerId,
  instruments: list.directory.count,
})
const smtp = ({ service }: ActRequest) => smtpView(service.settings)
const sandboxSettings = async ({ service }: ActRequest) =>
  Object.fromEntries((await service.sandbox.settings()).map(({ key, value }) => [key, value]))
const pendingOrder = ({ service, username, params }: ActRequest) =>
  pendingOrderValues(service.approvals, username, Number(params.id))
const queue = ({ service, username }: ActRequest) => service.approvals.statistics(username)
const analyzerRows = async ({ service }: ActRequest) => ({ rows: await service.orderLogs.total('analyze') })
const flowSecrets = ({ service }: ActRequest) =>
  Object.fromEntries(service.flows.secrets.list().map(({ name, ...facts }) => [name, facts]))
const contacts = ({ service }: ActRequest) =>
  Object.fromEntries(
    service.messages.contacts
      .all()
      .map((contact) => [`${contact.channel} ${contact.userId}`, contactView(contact)]),
  )

/** A reset removes the orders of the account, so they are recorded before. */
const recordedOrders = ({ service }: ActRequest) => service.orderAudit.catchUp()

/** A change of a webhook's token and secret must show, but neither may be stored. */
const fingerprint = (secret: string) => sha256Hex(secret).slice(0, 12)

const flows = ({ service }: ActRequest) =>
  Object.fromEntries(
    service.flows.workflows.list().map((flow) => [
      flow.id,
      {
        name: flow.name,
        version: flow.version,
        content: flow.contentHash,
        active: flow.isActive,
        webhook: { enabled: flow.webhookEnabled, check: flow.webhookAuthType },
        webhook_fingerprint: fingerprint(flow.webhookToken + flow.webhookSecret),
      },
    ]),
  )

const strategies = async ({ service, username }: ActRequest) =>
  Object.fromEntries(
    (await service.strategyCatalog.list(username)).map(({ strategy }) => [
      strategy.id,
      {
        name: strategy.name,
        content: strategy.contentHash,
        live_enabled: strategy.liveEnabled,
        webhook_locked: strategy.webhookLocked,
        webhook_fingerprint: strategy.webhookFingerprint,
      },
    ]),
  )
/** The unfinished runs by strategy. */
const runs = async ({ service, username }: ActRequest) =>
  Object.fromEntries(
    (await service.strategyHistory.unfinished(username)).map((run) => [
      run.strategyId,
      { run: run.id, mode: run.mode, stop_requested: run.stopRequestedReason, reserved: run.reservedReason },
    ]),
  )

const telegram = ({ service: { messages } }: ActRequest) => {
  const { created_at, updated_at, bot_token, ...settings } = telegramView(messages)
  const token = messages.settings.secret('telegramToken')
  return { ...settings, bot: bot_token, bot_fingerprint: token === undefined ? null : fingerprint(token) }
}
const whatsapp = ({ service: { messages } }: ActRequest) => {
  const token = messages.settings.secret('whatsappToken')
  return { ...whatsappView(messages), fingerprint: token === undefined ? null : fingerprint(token) }
}

/**
 * The acts of the audit trail, by operation. A changing operation that is neither here nor in
 * {@link UNRECORDED} is recorded under its own name, without values.
 */
export const ACTS: Readonly<Partial<Record<OperationName, Act>>> = {
  'POST /settings/analyze-mode/:mode': row('mode.set', mode),
  'PUT /risk': row('risk.set', ({ service }) => service.risk.rules),
  'POST /risk/kill-switch': emergency('kill_switch.set', killSwitch),
  'POST /orders/journal/:ref/settle': ofTarget('order.settle', journalled),

  'POST /broker/use': row('broker.use', brokerSession),
  'POST /broker/login': row('broker.sign_in', brokerSession),
  'POST /broker/logout': emergency('broker.sign_out', brokerSession),
  'POST /broker/sync': row('instrument.sync', instruments),
  'PUT /broker/simulated/faults': row('broker.set_faults'),
  'POST /auth/smtp-config': row('smtp.set', smtp),

  'POST /sandbox/update': row('sandbox.set', sandboxSettings),
  'POST /sandbox/reset': row('sandbox.reset', recordedOrders),
  'POST /sandbox/reload-squareoff': row('sandbox.reload_squareoff'),
  'POST /analyzer/clear': row('log.clear_analyzer', analyzerRows),

  'POST /action-center/approve/:id': ofTarget('approval.approve', pendingOrder),
  'POST /action-center/reject/:id': ofTarget('approval.reject', pendingOrder),
  'DELETE /action-center/delete/:id': ofTarget('approval.delete', pendingOrder),
  'POST /action-center/approve-all': row('approval.approve_all', queue),
  'POST /action-center/approve-all/:id': row('approval.approve_all', queue),
  'POST /action-center/delete/:id': ofTarget('approval.delete', pendingOrder),

  'POST /flow/api/workflows': row('flow.create', flows),
  'POST /flow/api/workflows/import': row('flow.import', flows),
  'PUT /flow/api/workflows/:id': row('flow.change', flows),
  'DELETE /flow/api/workflows/:id': row('flow.delete', flows),
  'POST /flow/api/workflows/:id/replace': row('flow.replace', flows),
  'POST /flow/api/workflows/:id/rollback': row('flow.roll_back', flows),
  'POST /flow/api/apply': row('flow.apply', flows),
  'POST /flow/api/workflows/:id/activate': row('flow.activate', flows),
  'POST /flow/api/workflows/:id/deactivate': row('flow.deactivate', flows),
  'POST /flow/api/workflows/:id/execute': row('flow.execute'),
  'POST /flow/api/executions/:id/cancel': row('flow.cancel_run'),
  'POST /flow/api/run': row('flow.run_file'),
  'POST /flow/api/workflows/:id/webhook/enable': row('flow.webhook_enable', flows),
  'POST /flow/api/workflows/:id/webhook/disable': row('flow.webhook_disable', flows),
  'POST /flow/api/workflows/:id/webhook/regenerate': row('flow.webhook_rotate', flows),
  'POST /flow/api/workflows/:id/webhook/regenerate-secret': row('flow.webhook_rotate', flows),
  'POST /flow/api/workflows/:id/webhook/auth-type': row('flow.webhook_check', flows),
  'PUT /flow/api/secrets/:name': row('flow.secret_set', flowSecrets),
  'DELETE /flow/api/secrets/:name': row('flow.secret_remove', flowSecrets),

  'POST /strategy/api/strategies': row('strategy.create', strategies),
  'PATCH /strategy/api/strategies/:id': row('strategy.change', strategies),
  'DELETE /strategy/api/strategies/:id': row('strategy.delete', strategies),
  'POST /strategy/api/apply': row('strategy.apply', strategies),
  'POST /strategy/api/strategies/:id/webhook/rotate': row('strategy.webhook_rotate', strategies),
  'POST /strategy/api/strategies/:id/live': row('strategy.set_live', strategies),
  'POST /strategy/api/strategies/:id/kill_switch': emergency('strategy.lock', strategies),
  'POST /strategy/api/strategies/:id/unlock_webhook': row('strategy.unlock', strategies),
  'POST /strategy/api/strategies/:id/start': ofTarget('strategy.start', runs),
  'POST /strategy/api/strategies/:id/stop': emergency('strategy.stop', runs),
  'POST /strategy/api/strategies/:id/close_all': emergency('strategy.close_all', runs),
  'POST /strategy/api/strategies/:id/legs/:leg/close': emergency('strategy.close_leg', runs),
  'POST /strategy/api/strategies/:id/runs/:run/release': ofTarget('strategy.release', runs),
  'POST /api/v1/strategy/start': ofTarget('strategy.start', runs),
  'POST /api/v1/strategy/stop': emergency('strategy.stop', runs),
  'POST /api/v1/strategy/close_all': emergency('strategy.close_all', runs),
  'POST /api/v1/strategy/close_leg': emergency('strategy.close_leg', runs),

  'POST /api/v1/telegram/config': row('message.set_channel', telegram),
  'POST /api/v1/telegram/start': row('message.start_bot', telegram),
  'POST /api/v1/telegram/stop': row('message.stop_bot', telegram),
  'POST /api/v1/telegram/broadcast': row('message.broadcast'),
  'POST /api/v1/telegram/preferences': row('message.set_preferences', contacts),
  'PUT /messages/channels/telegram': row('message.set_channel', telegram),
  'PUT /messages/channels/whatsapp': row('message.set_channel', whatsapp),
  'POST /messages/channels/telegram/start': row('message.start_bot', telegram),
  'POST /messages/channels/telegram/stop': row('message.stop_bot', telegram),
  'PUT /messages/preferences/:channel': row('message.set_preferences', contacts),
  'PUT /messages/contacts/:channel': row('message.set_contact', contacts),
  'DELETE /messages/contacts/:channel': row('message.remove_contact', contacts),
  'POST /messages/link': row('message.create_code'),
  'POST /messages/queue/retry': row('message.retry'),
}

/** The values that chats change, too: their acts and those of the routes wait for each other. */
const SHARED: ReadonlyMap<unknown, SharedTurn> = new Map<unknown, SharedTurn>([
  [mode, 'mode'],
  [contacts, 'contacts'],
])

/** Returns the key of the turn of an act; undefined for one that waits for no other. */
export function turnOf({ emergency, ofTarget: isOfTarget, turn, values }: Recorded<RunningService>): unknown {
  if (emergency || isOfTarget || !values) return undefined
  return turn ?? SHARED.get(values) ?? values
}

const ORDER = 'The order is recorded from the journal or the simulated account, which make it durable.'
const CHANGE = 'Recorded after the answer, so that the order path does not wait.'
const WEBHOOK = 'Each call is a row of the runs of its workflow; the orders of the run are recorded.'
const STRATEGY_WEBHOOK =
  'Each delivery is a row of the audit of webhooks; the orders of the run are recorded.'
const READ = 'It changes nothing.'
const CHAT = 'An act from a chat is recorded with the chat as its credential.'
const MESSAGE = 'It sends a message and changes nothing.'

/** The changing operations that the seam of the routes does not record, each with its reason. */
export const UNRECORDED: Readonly<Partial<Record<OperationName, string>>> = {
  'POST /api/v1/placeorder': ORDER,
  'POST /api/v1/placesmartorder': ORDER,
  'POST /api/v1/basketorder': ORDER,
  'POST /api/v1/splitorder': ORDER,
  'POST /api/v1/optionsorder': ORDER,
  'POST /api/v1/optionsmultiorder': ORDER,
  'POST /api/v1/modifyorder': CHANGE,
  'POST /api/v1/cancelorder': CHANGE,
  'POST /api/v1/cancelallorder': CHANGE,
  'POST /api/v1/closeposition': CHANGE,
  'POST /api/v1/placegttorder': CHANGE,
  'POST /api/v1/modifygttorder': CHANGE,
  'POST /api/v1/cancelgttorder': CHANGE,
  'POST /api/v1/telegram/notify': MESSAGE,
  'POST /api/v1/telegram/webhook': CHAT,
  'POST /messages/test': MESSAGE,
  'POST /whatsapp/webhook': CHAT,
  'POST /api/v1/whatsapp/notify': MESSAGE,
  'POST /auth/test-smtp': MESSAGE,
  'POST /auth/debug-smtp': MESSAGE,
  'POST /pnltracker/api/pnl': READ,
  'POST /flow/api/plan': READ,
  'POST /action-center/plan': READ,
  'POST /strategy/api/plan': READ,
  'POST /flow/api/symbol-lotsizes': READ,
  'POST /flow/webhook/:token': WEBHOOK,
  'POST /flow/webhook/:token/:symbol': WEBHOOK,
  'POST /strategy/webhook/:token': STRATEGY_WEBHOOK,
  'POST /strategy/webhook/:token/:sender': STRATEGY_WEBHOOK,
  'POST /tradingview': READ,
  'POST /gocharting': READ,
}
