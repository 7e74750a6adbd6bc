import { setImmediate as turn } from 'node:timers/promises'
import { Text } from 'ink'
import { onTestFinished } from 'vitest'
import { KeysProvider, useKeyLayer } from '../../../src/tui/keys/KeysProvider.js'
import type { KeyPress } from '../../../src/tui/keys/key-press.js'
import { render } from '../support/render.js'

function Listener({ onPress }: { onPress(press: KeyPress): void }) {
  useKeyLayer('screen', (press) => {
    onPress(press)
    return true
  })
  return <Text>ready</Text>
}

/** A program that records the presses which the bytes of a terminal stand for. */
export function keyboard() {
  const presses: KeyPress[] = []
  const app = render(
    <KeysProvider>
      <Listener onPress={(press) => void presses.push(press)} />
    </KeysProvider>,
  )
  onTestFinished(() => app.unmount())
  return {
    presses,
    /** Sends bytes as the terminal does, chunk by chunk. */
    async send(...chunks: readonly string[]) {
      for (const chunk of chunks) {
        for (let turns = 0; turns < 20; turns += 1) await turn()
        app.stdin.write(chunk)
      }
    },
  }
}
