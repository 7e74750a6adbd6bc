import { setImmediate as turn } from 'node:timers/promises'
import { Text } from 'ink'
import { expect, it, onTestFinished, vi } from 'vitest'
import { useNow } from '../../../src/tui/terminal/use-now.js'
import { render } from '../support/render.js'

function Time({ of }: { of: string }) {
  return (
    <Text>
      {of} {useNow(1000)}
    </Text>
  )
}

function Parts({ hasTile }: { hasTile: boolean }) {
  return (
    <>
      <Time of="header" />
      {hasTile && <Time of="tile" />}
    </>
  )
}

it('parts that are first shown at different moments change together, to the same time', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: 10_000 })
  onTestFinished(() => void vi.useRealTimers())
  const app = render(<Parts hasTile={false} />)
  await expect.poll(() => vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(700)
  app.rerender(<Parts hasTile />)
  await expect.poll(app.lastFrame).toMatch(/tile \d/)
  for (let turns = 0; turns < 20; turns += 1) await turn()
  vi.advanceTimersByTime(300)
  await expect.poll(app.lastFrame).toMatch(/header 11000[\s\S]*tile 11000/)
})
