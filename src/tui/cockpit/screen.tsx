import { Box } from 'ink'
import { useMemo } from 'react'
import { tabAfter } from '../components/TabLine.js'
import { Kept, useKept } from '../live/kept.js'
import { useDaemon } from '../live/use-daemon.js'
import { ScreenFrame } from '../screen/ScreenFrame.js'
import { type Screen, type ScreenProps, useShell } from '../screen/screen.js'
import { FaultBoundary } from '../shell/FaultBoundary.js'
import type { Area } from '../terminal/size.js'
import { GAP, type Placed, rowsOf, shownRows, tileBelow } from './grid.js'
import { COCKPIT, COCKPIT_KEYS, type CockpitActs } from './keys.js'
import { DAY, PRESETS, type TileId } from './presets.js'
import { TilePanel } from './TilePanel.js'
import type { Tile } from './tile.js'
import { TILES } from './tiles/index.js'

/** What the user has chosen. */
interface Choice {
  /** The name of the preset. */
  preset: string
  /** The tile under the cursor. */
  tile: TileId
}

const CHOICE = new Kept<Choice>({ preset: DAY.name, tile: 'pnl' })
const NAMES = PRESETS.map(({ name }) => name)

/** The day at a glance: each tile reads by itself, and leads to the screen that shows more. */
export const cockpit: Screen = {
  id: 'cockpit',
  title: 'Cockpit',
  keys: COCKPIT_KEYS,
  View: Cockpit,
}

function Cockpit({ width, height }: ScreenProps) {
  const daemon = useDaemon()
  const shell = useShell()
  const [choice, keep] = useKept(CHOICE)
  const preset = PRESETS.find(({ name }) => name === choice.preset) ?? DAY
  const { leastWidth } = preset
  const tiles = useMemo(() => preset.tiles.map((id) => TILES[id]), [preset])
  const rows = useMemo(() => rowsOf(tiles, { width, leastWidth }), [tiles, width, leastWidth])
  const selected = tiles.find(({ id }) => id === choice.tile) ?? tiles[0]
  if (selected === undefined) return null
  const choose = (next: Partial<Choice>) => {
    daemon.changes.say('')
    keep({ ...choice, ...next })
  }
  const acts: CockpitActs = {
    down: (by) => choose({ tile: tileBelow(rows, selected.id, by)?.id ?? selected.id }),
    turn: (by) => choose({ tile: tabAfter(preset.tiles, selected.id, by) }),
    open(id = selected.id) {
      const { screen, view } = TILES[id]
      if (view !== undefined) screen.choose(daemon, view)
      shell.show(screen.id)
    },
    change: () => choose({ preset: tabAfter(NAMES, preset.name, 1) }),
  }
  const names = NAMES.map((name) => (name === preset.name ? `[${name}]` : ` ${name} `))
  return (
    <ScreenFrame
      width={width}
      height={height}
      summary={names.join(' ')}
      place={`${tiles.indexOf(selected) + 1} of ${tiles.length}`}
      keys={COCKPIT_KEYS}
      pane={COCKPIT}
      state={acts}
    >
      {(area) => <Tiles {...area} rows={shownRows(rows, area.height, selected.id)} selected={selected} />}
    </ScreenFrame>
  )
}

interface TilesProps extends Area {
  rows: readonly (readonly Placed<Tile>[])[]
  selected: Tile
}

function Tiles({ rows, selected, width, height }: TilesProps) {
  return (
    <Box flexDirection="column" width={width} height={height}>
      {rows.map((row) => (
        <Box key={row[0]?.tile.id} columnGap={GAP} width={width}>
          {row.map(({ tile, ...place }) => (
            <Box key={tile.id} flexDirection="column" width={place.width} height={place.height}>
              <FaultBoundary width={place.width} height={place.height} part="tile">
                <TilePanel
                  tile={tile}
                  isSelected={tile === selected}
                  width={place.width}
                  height={place.height}
                />
              </FaultBoundary>
            </Box>
          ))}
        </Box>
      ))}
    </Box>
  )
}
