import type { TileId } from '../presets.js'
import type { Tile } from '../tile.js'
import { exposure, margin, pnl, risk } from './account.js'
import { strategies, workflows } from './automation.js'
import { orders, queue } from './orders.js'
import { broker, errors, feeds } from './service.js'

/** Every tile, by its id. */
export const TILES: Readonly<Record<TileId, Tile>> = {
  pnl,
  risk,
  queue,
  orders,
  exposure,
  margin,
  feeds,
  broker,
  strategies,
  workflows,
  errors,
}
