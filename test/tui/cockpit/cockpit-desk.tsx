import stringWidth from 'string-width'
import { expect } from 'vitest'
import { cockpit } from '../../../src/tui/cockpit/screen.js'
import type { liveDesk } from '../support/live-desk.js'
import { shown } from '../support/shown.js'

/** The lines of the header, and the last one of the terminal, which no program fills. */
const AROUND = 3

/** Shows the cockpit in a terminal of a size. */
export async function openCockpit(
  { access }: Pick<Awaited<ReturnType<typeof liveDesk>>, 'access'>,
  { columns = 80, rows = 24 } = {},
) {
  const area = { width: columns, height: rows - AROUND }
  const app = await shown(access, <cockpit.View {...area} />, { columns })
  const fits = () => {
    const lines = app.screen().split('\n')
    expect(lines.length).toBeLessThanOrEqual(area.height)
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns)
  }
  return { ...app, fits }
}

/** Matches a figure of a tile: its name, blanks and its value. */
export const figure = (label: string, value: string) =>
  new RegExp(`${escaped(label)} +${escaped(value)}(?![\\d,.])`)

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
