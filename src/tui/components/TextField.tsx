import { Text } from 'ink'
import { useRef, useState } from 'react'
import { visible } from '../../cli/output/tables/cells.js'
import { useKeyPress } from '../screen/use-key-press.js'

interface TextFieldProps {
  label: string
  onSubmit(text: string): void
  onCancel(): void
}

/** One line of text to type: Enter takes it, Esc leaves it, Ctrl-U empties it. */
export function TextField({ label, onSubmit, onCancel }: TextFieldProps) {
  // Two keys may arrive before the next drawing, so the text itself is kept outside of the drawn state.
  const typed = useRef('')
  const [shown, setShown] = useState('')
  useKeyPress((input, key) => {
    if (key.return) return onSubmit(typed.current)
    if (key.escape) return onCancel()
    if (key.backspace || key.delete) typed.current = [...typed.current].slice(0, -1).join('')
    else if (key.ctrl) typed.current = input === 'u' ? '' : typed.current
    else if (!key.meta && !key.tab) typed.current += input
    setShown(typed.current)
  })
  return (
    <Text wrap="truncate-start">
      {label}
      {visible(shown)}
      <Text inverse> </Text>
    </Text>
  )
}
