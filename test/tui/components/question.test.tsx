import { render } from 'ink-testing-library'
import { expect, it } from 'vitest'
import { Question } from '../../../src/tui/components/Question.js'
import { KeysProvider } from '../../../src/tui/keys/KeysProvider.js'

const nothing = () => undefined

it.each([
  [4, ['  line 1', '  line 2', '  line 3', '  line 4']],
  [5, ['  line 1', '  line 2', '  line 3', '  and 2 more']],
])('a question over %i lines says how many do not fit', (count, expected) => {
  const lines = Array.from({ length: count }, (_, at) => `line ${at + 1}`)
  const question = { title: 'Close all?', lines }
  const app = render(
    <KeysProvider>
      <Question {...{ question, width: 40, height: 7 }} onConfirm={nothing} onCancel={nothing} />
    </KeysProvider>,
  )
  expect(app.lastFrame()?.trimEnd().split('\n').slice(1)).toEqual(expected)
  app.unmount()
})
