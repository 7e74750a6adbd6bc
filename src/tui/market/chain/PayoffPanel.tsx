import { Box } from 'ink'
import { visible } from '../../../views/table/cells.js'
import { countText } from '../../../views/text/count.js'
import { wrapped } from '../../terminal/fit.js'
import { PaintedLine, type Part } from '../../terminal/PaintedLine.js'
import type { Area } from '../../terminal/size.js'
import { signedTone } from '../../terminal/theme.js'
import { LEAST_CHART, PayoffChart } from './PayoffChart.js'
import { type ChainPayoff, figuresOf, legWords, type PricedLeg, payoffSentence } from './payoff.js'

interface PanelProps extends Area {
  shown: ChainPayoff
  venue: string
  isStale: boolean
}

/** More legs are counted only: the chart needs the room. */
const MOST_LEG_LINES = 8

/** Returns the title of the panel. */
export function panelTitle(shown: ChainPayoff): string {
  return shown.problem === undefined ? `Payoff at expiry ${shown.expiry}, before costs` : 'Marked options'
}

/** The marked options, the chart of their payoff at expiry, and its figures, which have the room first. */
export function PayoffPanel({ shown, venue, width, height, isStale }: PanelProps) {
  const words = wordsOf(shown, width).slice(0, height)
  const legs = legLines(shown.legs, venue, Math.min(MOST_LEG_LINES, height - words.length))
  const room = Math.min(height - legs.length - words.length, MOST_CHART)
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Lines lines={legs} width={width} isStale={isStale} />
      {shown.problem === undefined && room >= LEAST_CHART && (
        <PayoffChart shown={shown} width={width} height={room} isStale={isStale} />
      )}
      <Lines lines={words} width={width} isStale={isStale} />
    </Box>
  )
}

/** A higher chart says no more. */
const MOST_CHART = 18

interface LinesProps {
  lines: readonly (readonly Part[])[]
  width: number
  isStale: boolean
}

function Lines({ lines, width, isStale }: LinesProps) {
  return lines.map((parts, line) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
    <PaintedLine key={line} parts={parts} width={width} isDim={isStale} />
  ))
}

function legLines(legs: readonly PricedLeg[], venue: string, most: number): readonly (readonly Part[])[] {
  const withExpiry = new Set(legs.map(({ expiry }) => expiry)).size > 1
  const named = legs.length > most ? legs.slice(0, Math.max(0, most - 1)) : legs
  const lines = named.map((leg): readonly Part[] => {
    const { action, rest } = legWords(leg, venue, withExpiry)
    return [{ text: action, tone: action === 'BUY' ? 'good' : 'danger' }, { text: rest }]
  })
  const more = legs.length - named.length
  return more > 0 && most > 0 ? [...lines, [{ text: countText(more, 'more leg') }]] : lines
}

/** Returns the figures of a payoff, each with its name, or why there is none. */
function wordsOf(shown: ChainPayoff, width: number): readonly (readonly Part[])[] {
  if (shown.problem !== undefined)
    return wrapped(visible(shown.problem), width).map((text) => [{ text, tone: 'warning' }])
  const figures = figuresOf(shown)
  const longest = Math.max(...figures.map(({ name }) => name.length)) + 2
  return figures.flatMap(({ name, text, tone }) =>
    wrapped(text, Math.max(1, width - longest)).map((line, at) => [
      { text: (at === 0 ? name : '').padEnd(longest) },
      { text: line, tone },
    ]),
  )
}

/** Returns the payoff in words as lines, for a terminal without room for the panel. */
export function payoffLines(shown: ChainPayoff, width: number): readonly Part[] {
  const tone = shown.problem === undefined ? shown.now && signedTone(shown.now.profit) : 'warning'
  return wrapped(visible(payoffSentence(shown)), width).map((text) => ({ text, tone }))
}
