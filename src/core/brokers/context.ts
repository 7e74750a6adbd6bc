import type { InstrumentDirectory } from '../instruments/schema.js'
import type { Logger } from '../logging/index.js'
import type { Clock } from '../time/index.js'
import type { CallBudgets } from './kit/budget/call-budgets.js'

/** The machine that calls, for brokers that want to be told. */
export interface CallingMachine {
  /** The address that is registered with the broker. */
  publicIp: string
  localIp: string
  mac: string
}

/** The environment of a plugin. */
export interface BrokerContext {
  clock: Clock
  /** Base URLs by name: the manifest's defaults, or those of a fake server in tests. */
  endpoints: Readonly<Record<string, string>>
  /**
   * The broker's own master; empty until it is loaded, because the tokens of another broker mean other contracts. The simulated
   * exchange knows no tokens and sees every master.
   */
  instruments: InstrumentDirectory
  log: Logger
  /** The budgets of the broker's call limits: every call waits for its class. */
  budgets: CallBudgets
  /**
   * A private directory of this plugin in the home folder, for state such as the simulated exchange's order
   * book.
   */
  stateDir: string
  /**
   * The market protection of MARKET and SL-M orders that ask for none, in percent; -1, and absent, for the broker's own.
   */
  marketProtection?: number
  /** Where the broker sends the browser after its log-in page, as configured; absent if that is another broker's or none. */
  redirectUrl?: string | undefined
  /**
   * True if the installation takes the broker's postbacks: a session then keeps, in its `extra` fields, the secret that
   * proves them. Otherwise a session keeps no secret of the application.
   */
  takesPostbacks?: boolean
  /** The machine of the service; absent if it is not known. */
  machine?: CallingMachine | undefined
  /**
   * Called when the broker refuses the session outside of a call: at a socket. The service ends the session if a call is
   * refused, too. The errors of calls need no report.
   */
  sessionRefused?: (() => void) | undefined
}
