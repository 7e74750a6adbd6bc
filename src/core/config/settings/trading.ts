import {
  confirmLive,
  endpoints,
  hosts,
  integer,
  ipAddress,
  marketProtection,
  oneOf,
  percent,
  replayStart,
  text,
} from '../kinds.js'
import { optional, setting } from './describe.js'

/** The simulated market, orders at brokers, the questions before an order, approvals and workflows. */
export const TRADING = {
  SIM_SEED: setting(
    integer(0, 4_294_967_295),
    '1',
    'Seed of the simulated market: same seed and time, same ticks.',
  ),
  SIM_SESSIONS: setting(
    oneOf(['always', 'market']),
    'always',
    'Whether simulated trading runs at all hours or only in market hours.',
  ),
  SIM_FAULTS: optional(
    text('a fault script', /^[^\0\n]{1,4096}$/),
    'Faults of the simulated broker, for tests.',
  ),
  SIM_REPLAY: optional(
    text('a path', /^[^\0\n]{1,1024}$/),
    'File of recorded bars that the simulated market replays.',
  ),
  SIM_REPLAY_START: optional(
    replayStart,
    'When the first recorded bar plays: now (when the daemon starts), recorded (at its own time), or ' +
      'at an instant. By default recorded if the recording extends beyond the start of the daemon, ' +
      'otherwise now.',
  ),
  MARKET_PROTECTION: setting(
    marketProtection,
    '-1',
    'How far MARKET and SL-M orders may move the price at a broker that asks for it, in percent, where an order ' +
      'says nothing else; -1: as far as the exchange allows.',
  ),
  BROKER_PUBLIC_IP: optional(
    ipAddress,
    'The public address of this machine that is registered with the broker, told to a broker that asks for it. By default that ' +
      'of its network card.',
  ),
  BROKER_ENDPOINTS: optional(endpoints, 'Base URLs that replace those of a broker plugin, for tests.'),

  CONFIRM_LIVE: setting(
    confirmLive,
    '100000',
    'When a command asks on a terminal while orders are live: never, always, or for orders of a higher value ' +
      'than this (also of an unknown one), for a cancel and a close, and for everything that starts a workflow or strategy.',
  ),

  APPROVAL_EXPIRY_SECONDS: setting(
    integer(0, 604_800, 'seconds'),
    '0',
    'A queued order expires after this time. 0: never.',
  ),
  APPROVAL_MAX_DRIFT_PERCENT: setting(
    percent(),
    '0',
    'An approval is refused if a price moved by more than this since the order was queued (in a basket, ' +
      'the price of any order). Option orders are not checked, because their contracts are chosen at ' +
      'execution. 0: no check.',
  ),

  FLOW_EXECUTION_RETENTION_COUNT: setting(
    integer(0, 1_000_000, 'runs'),
    '500',
    'How many of the newest runs of each workflow are kept. 0: no limit.',
  ),
  FLOW_EXECUTION_RETENTION_DAYS: setting(
    integer(0, 36_500, 'days'),
    '30',
    'How many days runs of workflows are kept. 0: forever.',
  ),
  FLOW_HTTP_ALLOW: optional(
    hosts,
    'Hosts with a non-public address (your own services) that workflows may send requests to.',
  ),
}
