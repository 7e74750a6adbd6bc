import type { ApprovalOutcome, Expectation, PendingOrderView } from '../../approvals/index.js'
import type { Veto } from '../../errors/index.js'
import type { Quote } from '../../market/schema.js'
import type { PlannedApproval } from '../../orders/index.js'
import type { TradingMode } from '../../trading/index.js'
import type { ChatAct, ChatActEnd } from '../schema.js'

/** A view of the account in the shape of the public API. */
export type AccountBody = Readonly<Record<string, unknown>>

/** What an approval would send now, and that the mode is another one than when the request was queued. */
export interface ChatPlan extends PlannedApproval {
  modeChange: string | undefined
  /** The id of the broker that live orders go to. */
  broker: string
}

/** The reads and acts of chats. Every call acts for the linked user. */
export interface ChatPorts {
  orderbook(userId: string): Promise<AccountBody>
  tradebook(userId: string): Promise<AccountBody>
  positionbook(userId: string): Promise<AccountBody>
  holdings(userId: string): Promise<AccountBody>
  funds(userId: string): Promise<AccountBody>
  /** @throws ServiceError for a symbol that is not listed */
  quote(symbol: string, exchange: string): Promise<Quote>
  /** The name of the broker; undefined without a session. */
  broker(): string | undefined
  mode(): TradingMode
  /** The order mode of the user: `auto` or `semi_auto`. */
  orderMode(userId: string): string | undefined
  setAnalyzeMode(on: boolean, by: string): Promise<void>
  killSwitch(): { on: boolean; reason: string }
  /** Returns a sentence about the positions that nobody manages; empty if there are none, or when it is turned off. */
  setKillSwitch(on: boolean, reason: string, by: string): Promise<string>
  /**
   * Closes all open positions of the user at market.
   * @throws ServiceError if it is refused, or no position could be closed
   */
  closePositions(userId: string): Promise<ChatActEnd>
  /** Returns the oldest orders that wait for approval. */
  pending(userId: string): Promise<PendingOrderView[]>
  /** @throws ServiceError `not_found` */
  pendingOrder(userId: string, id: number): Promise<PendingOrderView>
  /** Returns what the approval of an order would send now; undefined if it does not wait. */
  plan(userId: string, id: number): Promise<ChatPlan | undefined>
  approve(userId: string, id: number, by: string, veto: Veto, expected: Expectation): Promise<ApprovalOutcome>
  reject(userId: string, id: number, by: string, reason: string): Promise<void>
  /**
   * Runs an act that changes something, and records it in the audit trail.
   * @throws ServiceError that of the act, or `storage_full` if the act cannot be noted: it does not begin then
   */
  record(act: ChatAct, run: () => Promise<ChatActEnd>): Promise<ChatActEnd>
}
