import type { Binding } from '../keys/bindings.js'
import { DAY, PRESETS, type TileId } from './presets.js'
import { TILES } from './tiles/index.js'

/** What the keys of the cockpit do. */
export interface CockpitActs {
  /** Moves to the tile so many rows below. */
  down(by: number): void
  /** Moves to the tile so many places on; after the last comes the first. */
  turn(by: number): void
  /** Shows the screen of a tile; without one that of the tile under the cursor. */
  open(tile?: TileId): void
  /** Shows the next preset. */
  change(): void
}

export const COCKPIT = 'cockpit'

type CockpitKey = Binding<typeof COCKPIT, CockpitActs>

const HERE = [COCKPIT] as const

const MOVES: readonly CockpitKey[] = [
  { id: 'cockpit.up', in: HERE, keys: ['up', 'k'], act: (acts) => acts.down(-1) },
  {
    id: 'cockpit.down',
    in: HERE,
    keys: ['down', 'j'],
    shown: '↑↓←→',
    does: 'move',
    explained: 'move to another tile (also h, j, k and l)',
    act: (acts) => acts.down(1),
  },
  { id: 'cockpit.left', in: HERE, keys: ['left', 'h'], act: (acts) => acts.turn(-1) },
  { id: 'cockpit.right', in: HERE, keys: ['right', 'l'], act: (acts) => acts.turn(1) },
  {
    id: 'cockpit.next',
    in: HERE,
    keys: ['tab'],
    explained: 'the next tile',
    act: (acts) => acts.turn(1),
  },
  { id: 'cockpit.previous', in: HERE, keys: ['shift-tab'], act: (acts) => acts.turn(-1) },
]

/** For the list of keys: what enter shows on each tile, and the command that shows the same. */
const TILE_KEYS: readonly CockpitKey[] = DAY.tiles.map((id): CockpitKey => {
  const { command, screen, title } = TILES[id]
  return {
    id: `cockpit.${id}`,
    in: HERE,
    keys: [],
    shown: 'enter',
    explained: `${title} opens ${screen.title}`,
    command,
    act: (acts) => acts.open(id),
  }
})

/** The keys of the cockpit, in the order in which the last line names them. */
export const COCKPIT_KEYS: readonly CockpitKey[] = [
  {
    id: 'cockpit.open',
    in: HERE,
    keys: ['enter'],
    does: 'open',
    explained: 'show the screen of the tile',
    act: (acts) => acts.open(),
  },
  {
    id: 'cockpit.preset',
    in: HERE,
    keys: ['p'],
    does: 'preset',
    explained: `other tiles: ${PRESETS.map(({ name }) => name).join(', ')}`,
    act: (acts) => acts.change(),
  },
  ...MOVES,
  ...TILE_KEYS,
]
