export type TileId =
  | 'pnl'
  | 'risk'
  | 'queue'
  | 'orders'
  | 'exposure'
  | 'margin'
  | 'feeds'
  | 'broker'
  | 'strategies'
  | 'workflows'
  | 'errors'

/** A choice of tiles. */
export interface Preset {
  name: string
  /** In the order of the screen: the first ones matter most. */
  tiles: readonly TileId[]
  /** The cells that a column needs at least. */
  leastWidth: number
}

/** Three columns fit into a terminal of 80 cells. */
const NARROW = 26
/** A list of orders needs more. */
const WIDE = 40

export const DAY: Preset = {
  name: 'day',
  tiles: [
    ...(['pnl', 'risk', 'queue', 'orders', 'exposure', 'margin'] as const),
    ...(['feeds', 'broker', 'strategies', 'workflows', 'errors'] as const),
  ],
  leastWidth: NARROW,
}

/** In the order of the key that changes them. */
export const PRESETS: readonly Preset[] = [
  DAY,
  { name: 'orders', tiles: ['queue', 'orders', 'risk'], leastWidth: WIDE },
  { name: 'automation', tiles: ['strategies', 'workflows', 'errors'], leastWidth: WIDE },
]
