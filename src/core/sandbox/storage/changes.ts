import type {
  SandboxDailyPnl,
  SandboxEvent,
  SandboxFunds,
  SandboxGtt,
  SandboxHolding,
  SandboxJobMark,
  SandboxOrder,
  SandboxPosition,
  SandboxTrade,
} from '../schema.js'

/**
 * The changes of all decisions since the last flush. It holds rows by reference, so a position that ten
 * orders touched is written once, with its latest value.
 */
export class Changes {
  readonly orders = new Set<SandboxOrder>()
  readonly trades = new Set<SandboxTrade>()
  readonly positions = new Set<SandboxPosition>()
  readonly holdings = new Set<SandboxHolding>()
  readonly funds = new Set<SandboxFunds>()
  readonly gtts = new Set<SandboxGtt>()
  readonly dailyPnl = new Set<SandboxDailyPnl>()
  readonly jobs = new Set<SandboxJobMark>()
  /** The moment of a job after which its stored marks are deleted before the other writes. */
  readonly rewound = new Map<string, number>()
  /** Rows to delete before the other writes. */
  readonly gone = { positions: new Set<SandboxPosition>(), holdings: new Set<SandboxHolding>() }
  readonly settings = new Map<string, string>()
  /** Users whose accounts begin again. */
  readonly restarts = new Set<string>()
  /** Users whose rows are deleted before the other writes. */
  readonly resets = new Set<string>()
  readonly events: SandboxEvent[] = []

  get isEmpty(): boolean {
    return (
      this.funds.size + this.orders.size + this.positions.size + this.holdings.size === 0 &&
      this.gtts.size + this.jobs.size + this.dailyPnl.size === 0 &&
      this.gone.positions.size + this.gone.holdings.size === 0 &&
      this.settings.size + this.resets.size + this.rewound.size + this.events.length === 0
    )
  }

  /** Deletes the row instead of writing it. */
  removePosition(position: SandboxPosition): void {
    this.positions.delete(position)
    this.gone.positions.add(position)
  }

  removeHolding(holding: SandboxHolding): void {
    this.holdings.delete(holding)
    this.gone.holdings.add(holding)
  }

  /** Drops the pending writes of a user whose rows are about to be deleted. */
  reset(userId: string): void {
    dropUser(this.orders, userId)
    dropUser(this.trades, userId)
    dropUser(this.positions, userId)
    dropUser(this.holdings, userId)
    dropUser(this.funds, userId)
    dropUser(this.gtts, userId)
    dropUser(this.dailyPnl, userId)
    this.resets.add(userId)
  }
}

function dropUser<Row extends { readonly userId: string }>(rows: Set<Row>, userId: string): void {
  for (const row of rows) if (row.userId === userId) rows.delete(row)
}
