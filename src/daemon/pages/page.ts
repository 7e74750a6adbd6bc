import type { Child } from 'hono/jsx'
import type { SessionState } from '../../core/brokers/index.js'
import type { FeedState } from '../../core/market/index.js'
import type { AnswerOf, KnownOperationName } from '../operations/types.js'
import type { Notice } from './notice.js'

/** The facts about the service that the head of every page shows to a signed-in user. */
export interface Surroundings {
  username: string
  analyzeMode: boolean
  orderMode: string
  broker: string | undefined
  brokerConnected: boolean
  brokerSession: SessionState
  feed: Pick<FeedState, 'state' | 'age_ms'>
  /** What is left of the broker's longest limit of order calls; undefined without one. */
  ordersLeft: { left: number; limit: number } | undefined
  /** The orders and positions of the account that are not from here, in words. Undefined if no comparison found any. */
  drift: string | undefined
  killSwitch: boolean
  pending: number
}

/** A request for a page, as the views see it. */
export interface PageRequest {
  path: string
  /** Without empty values. */
  query: Readonly<Record<string, string>>
  /** Undefined for a visitor who is not signed in. */
  around: Surroundings | undefined
  /** The token that every form of a signed-in user sends. Empty without a session. */
  csrf: string
  notice: Notice | undefined
  /** Epoch milliseconds. */
  now: number
}

/** The content of a page. */
export interface PageContent {
  title: string
  body: Child
  /**
   * The part above the body, with the buttons. A refresh never changes it: it disables the buttons once `state` has
   * another value, and shows the element `data-changed`.
   */
  fixed?: { state: string; body: Child }
  /** `rows`: the page marks rows that change, on any event. `whole`: it shows its own newest state. */
  live?: 'rows' | 'whole'
  /** The seconds after which a live page refreshes itself, also without an event. */
  refreshSeconds?: number
  /** The origins to which the answer to a form of the page may lead the browser. The page then runs no script. */
  formTargets?: readonly string[]
}

/** Leads the browser to another page. */
export interface Elsewhere {
  to: string
}

/** Turns the JSON answer of a route, as a script gets it, into the page that a browser shows. */
export type View<N extends KnownOperationName> = (
  answer: AnswerOf<N>,
  request: PageRequest,
) => PageContent | Elsewhere
