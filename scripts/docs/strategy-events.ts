import { EVENT_KINDS, EVENT_SEVERITY, type EventKind } from '../../src/core/strategies/config/vocabulary.js'
import { code, table } from './table.js'

/** The meaning of each kind. The compiler refuses a kind without one. */
const MEANINGS: Readonly<Record<EventKind, string>> = {
  strategy_created: 'the strategy was created; `payload.file` and `payload.commit` if from a file',
  strategy_updated:
    'its configuration was changed; `payload.fields` names the fields, `payload.file` and `payload.commit` where they came from',
  webhook_token_rotated: 'the webhook has a new token, and the old one is refused',
  live_enabled: 'live runs are allowed',
  live_disabled: 'live runs are not allowed. `warn`: the schedule wanted a live start, and it was refused',
  webhook_locked: 'the webhook was locked; the message says what became of the run',
  webhook_unlocked: 'the webhook was unlocked',
  run_started: 'a run began; its mode and trigger are in the message',
  run_paused: 'not used: nothing pauses a run',
  run_resumed: 'not used',
  run_stop_requested: 'a stop is stored, and exits are being sent',
  run_stopped: 'the run is over; the message has the reason',
  run_stop_failed:
    'a stop could not close every position (exits were refused, an order is in doubt), or a fill came after the end. The run goes on trying. Also: a stop of a reserved run, which nobody manages',
  flip_outgoing_exit_rejected:
    'the exit of the old side of a flip was refused; the old side is still held and managed',
  close_all_manual: 'somebody asked to close all legs',
  leg_entry_placed: 'an entry order was placed. `warn`: the entry of a signal was refused',
  leg_entry_filled:
    'an entry ended with a fill; the message has quantity and price. `critical`: the fill has no price, so the position has no stop',
  leg_entry_rejected:
    'an entry was refused, a leg has no contract and takes no part in the run, or a scheduled start was refused. `critical`: the row of the entry could not be stored, so it was not sent',
  leg_exit_placed:
    'an exit order was placed; its kind is in the message. `critical`: it still rests at the broker after 30 s, and the position is not closed',
  leg_exit_filled: 'an exit ended with a fill. `critical`: the fill has no price',
  leg_exit_rejected: 'an exit was refused; the position stays managed. The same reason is told once',
  leg_close_manual:
    'somebody asked to close this leg. `critical`: somebody else has closed units of its position at the account, or has closed them in the moment of its exit; see below. `warn`: the account shows fewer shares of product CNC than runs count on, and no order explains it, or the instruments of the broker do not list the contract',
  leg_expiry_fallback: 'the wanted expiry is not listed, and another one was used',
  order_ack_unrecorded:
    'the disk refused the answer of the broker; the service stores exactly this row as soon as it can',
  leg_sl_hit: 'the price reached the stop of the leg, trailed or not',
  leg_target_hit: 'the price reached the target of the leg',
  leg_trail_armed: 'the trailing stop of the leg is armed',
  leg_trail_advanced: 'the trailing stop moved on',
  overall_sl_hit: 'the run reached its overall stop. `critical`: the daily loss limit',
  overall_target_hit: 'the run reached its overall target',
  lock_profit_armed: 'the profit lock has a floor from now on',
  lock_profit_floor_advanced: 'the floor rose',
  lock_profit_triggered: 'the profit fell to the floor',
  trail_to_entry_activated: 'a leg was stopped out, and the stops of others moved to their entries',
  eod_squareoff:
    'positions are closed because their day ends. `critical`: the broker or the sandbox has closed them, and the profit of the run does not include this trade',
  expiry_squareoff:
    'a leg is closed because its contract expires. `critical`: the contract has expired while the run held it',
  tick_source_switched_to_polling: 'the stream of a contract is silent, and its quotes are polled',
  tick_source_switched_to_ws: 'prices of the contract are streamed again',
  tick_source_stale:
    'no source has a price of the contract; its levels are not watched until one comes. Also: the session at the broker of a live run has ended; the positions in the message are unprotected until somebody signs in (no stop, target or exit is sent), and then the run goes on by itself',
  recovery_succeeded:
    'a start of the service restored the run. `critical`: fills have no price, so its profit must be checked by hand. `warn`: the broker session is back, and the outcome of orders in doubt is known',
  recovery_failed: 'the run could not be restored, or is live in a restored backup; see below',
}

/** Returns the table of events with their usual severity. */
export function strategyEvents(): string {
  return table(
    ['Kind', 'Severity', 'Meaning'],
    EVENT_KINDS.map((kind) => [code(kind), EVENT_SEVERITY[kind], MEANINGS[kind]]),
  )
}
