import { Text } from 'ink'
import { useRef, useState } from 'react'
import { visible } from '../../../views/table/cells.js'
import { useKeyLayer } from '../../keys/KeysProvider.js'
import type { Level } from '../../keys/router.js'

interface TextFieldProps {
  label: string
  /** The text at the start. */
  first?: string
  /** True for a password: a dot stands for each character. */
  isSecret?: boolean
  level?: Level
  /** True for a line in which Esc first removes what was typed. */
  emptiesFirst?: boolean
  onChange?(text: string): void
  onSubmit(text: string): void
  onCancel(): void
}

/** One line of text to type: Enter takes it, Esc leaves it, Ctrl-U empties it. */
export function TextField(props: TextFieldProps) {
  const { label, first = '', isSecret = false, level = 'pane', emptiesFirst = false } = props
  const { onChange, onSubmit, onCancel } = props
  // Two keys may arrive before the next drawing, so the text itself is kept outside of the drawn state.
  const typed = useRef(first)
  const [shown, setShown] = useState(first)
  const setText = (next: string) => {
    typed.current = next
    setShown(next)
    onChange?.(next)
  }
  useKeyLayer(level, ({ name, text }) => {
    if (name === 'enter') onSubmit(typed.current)
    else if (name !== 'esc') setText(edited(typed.current, name, text))
    else if (emptiesFirst && typed.current !== '') setText('')
    else onCancel()
    return true
  })
  return (
    <Text wrap="truncate-start">
      {label}
      {isSecret ? '•'.repeat([...shown].length) : visible(shown)}
      <Text inverse> </Text>
    </Text>
  )
}

/** Returns a text after a press. A pasted text loses its line breaks and other control characters. */
export function edited(before: string, name: string, text: string): string {
  if (name === 'backspace') return [...before].slice(0, -1).join('')
  if (name === 'ctrl-u') return ''
  return before + text.replace(/[\r\n]+/g, ' ').replace(/\p{Cc}/gu, '')
}
